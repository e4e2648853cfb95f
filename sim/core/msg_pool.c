#include "sim/core/msg_pool.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

enum { FIRST_CAPACITY = 64 };

_Static_assert(sizeof(msg_node_t) == 64,
               "a message and its link fill one line of the host's cache");

void msg_pool_destroy(msg_pool_t *p)
{
    free(p->node);
    *p = (msg_pool_t){0};
}

uint32_t msg_pool_grow(msg_pool_t *p)
{
    if (p->n == p->cap) {
        RB_INVARIANT(p->cap < 1u << 30, "a shard with %u messages waiting", p->n);
        uint32_t cap = p->cap == 0 ? FIRST_CAPACITY : 2 * p->cap;
        msg_node_t *node = rb_calloc_aligned(cap, sizeof(*node));
        if (p->n > 0)
            memcpy(node, p->node, p->n * sizeof(*node));
        free(p->node);
        p->node = node;
        p->cap = cap;
    }
    p->node[p->n].next = 0; /* the free list, which is empty, goes on behind it */
    return ++p->n;
}
