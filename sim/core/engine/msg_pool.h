/*
 * Pool of messages that wait somewhere in a shard. A message is copied in once, when it is
 * delivered, and moves from list to list by its number; each has a host cache line of its own.
 */
#ifndef RUBATO_CORE_MSG_POOL_H
#define RUBATO_CORE_MSG_POOL_H

#include <stddef.h>

#include "sim/core/engine/msg.h"

typedef struct {
    msg_t msg;
    uint32_t next; /* number of the next node in its list; undefined for the last */
} msg_node_t;

typedef struct {
    msg_node_t *node; /* owned */
    uint32_t *free;   /* owned stack of freed numbers: the next ones to be used are known ahead */
    uint32_t n_free, n;
    size_t cap, cap_free;
} msg_pool_t;

/* A zeroed pool is empty. */
void msg_pool_destroy(msg_pool_t *p);

/* msg_pool_put() when the pool must grow. */
uint32_t msg_pool_grow(msg_pool_t *p);

/* Copies m into the pool and returns its number (never 0). May move the pool: pointers into it
 * become invalid. */
static inline uint32_t msg_pool_put(msg_pool_t *p, const msg_t *m)
{
    enum { AHEAD = 4 };
    uint32_t n = p->n_free > 0 ? p->free[--p->n_free] : msg_pool_grow(p);
    if (p->n_free >= AHEAD)
        __builtin_prefetch(&p->node[p->free[p->n_free - AHEAD] - 1], 1);
    p->node[n - 1].msg = *m;
    return n;
}

static inline msg_node_t *msg_pool_at(const msg_pool_t *p, uint32_t n)
{
    return &p->node[n - 1];
}

static inline void msg_pool_free(msg_pool_t *p, uint32_t n)
{
    p->free[p->n_free++] = n;
}

#endif
