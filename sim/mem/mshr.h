/*
 * MSHRs of an L2 slice: lines with outstanding fetches and the requests that wait for them. After
 * creation only the pool of waiting requests may allocate.
 */
#ifndef RUBATO_MEM_MSHR_H
#define RUBATO_MEM_MSHR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/engine/msg.h"
#include "sim/parts/cache/cache.h"
#include "sim/parts/cache/tag_table.h"

/* A request that waits for some of its sectors. */
typedef struct {
    uint32_t txn;
    uint32_t next; /* index + 1 */
    uint16_t sm;
    uint8_t op, src;
    uint8_t sectors;         /* sectors of the request */
    uint8_t missing;         /* sectors that have not arrived */
    uint8_t conflict, words; /* atomics and reductions */
} mshr_wait_t;

typedef struct {
    _Alignas(64) cache_key_t key; /* the line as the cache addresses it */
    uint64_t line;                /* the line as the SMs address it */
    mshr_wait_t first; /* oldest request, mostly the only one; valid while missing != 0 */
    uint32_t head,
        tail; /* index + 1 into waiting: requests behind `first`; in a free entry, head is the next
               * free one */
    uint16_t site; /* of the request that missed, with its kind: cache_request_t */
    uint8_t kind;
    bool prefetched;
    uint16_t n_waiting; /* requests */
    uint8_t pending;    /* sectors being fetched */
    bool absent;        /* the cache has not had the line since the entry was added */
} mshr_entry_t;

_Static_assert(sizeof(mshr_entry_t) == 64, "fills one line of the host's cache");

typedef struct {
    uint32_t size, used;
    mshr_entry_t *entry; /* owned */
    uint32_t free_entry; /* index + 1 */
    tag_chunk_t *table;  /* owned; hash table by key */
    uint32_t chunks;
    mshr_wait_t *waiting; /* owned pool */
    size_t n_waiting, cap_waiting;
    uint32_t free_waiting; /* index + 1 */
} mshr_t;

void mshr_init(mshr_t *m, uint32_t size);
void mshr_free(mshr_t *m);

/* Host-side hint that a line will be looked up soon. */
void mshr_prefetch(const mshr_t *m, cache_key_t key);

/* The entry of a line; NULL if it has none. */
mshr_entry_t *mshr_find(mshr_t *m, cache_key_t key);

/* Adds an entry for a line without one; one must be free (used < size). The owner sets `absent`. */
mshr_entry_t *mshr_add(mshr_t *m, cache_key_t key, uint64_t line);

/* Any line may have been inserted into the cache. */
void mshr_forget_absent(mshr_t *m);

/* Frees an entry without waiting requests. */
void mshr_remove(mshr_t *m, mshr_entry_t *e);

/* Appends a request that waits for the sectors in missing. */
void mshr_wait(mshr_t *m, mshr_entry_t *e, const mem_msg_t *r, uint8_t missing);

static inline uint32_t mshr_index(const mshr_t *m, const mshr_entry_t *e)
{
    return (uint32_t)(e - m->entry);
}

/* The waiting requests, oldest first: the first one, and the one after w; NULL: no more. A request
 * may be served during the iteration, but not dropped. */
static inline mshr_wait_t *mshr_first(const mshr_t *m, mshr_entry_t *e)
{
    if (e->first.missing != 0)
        return &e->first;
    return e->head != 0 ? &m->waiting[e->head - 1] : NULL;
}

static inline mshr_wait_t *mshr_next(const mshr_t *m, const mshr_entry_t *e, const mshr_wait_t *w)
{
    uint32_t next = w == &e->first ? e->head : w->next;
    return next != 0 ? &m->waiting[next - 1] : NULL;
}

/* Removes the waiting requests that have all their sectors. */
void mshr_drop_served(mshr_t *m, mshr_entry_t *e);

#endif
