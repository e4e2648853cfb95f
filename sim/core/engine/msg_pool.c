#include "sim/core/engine/msg_pool.h"

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

_Static_assert(sizeof(msg_node_t) == 64,
               "a message and its link fill one line of the host's cache");

void msg_pool_destroy(msg_pool_t *p)
{
    rb_model_free(p->node);
    rb_model_free(p->free);
    *p = (msg_pool_t){0};
}

uint32_t msg_pool_grow(msg_pool_t *p)
{
    RB_INVARIANT(p->n < 1u << 30, "a shard with %u messages waiting", p->n);
    rb_model_grow(&p->node, &p->cap, (size_t)p->n + 1, sizeof(*p->node));
    rb_model_grow(&p->free, &p->cap_free, (size_t)p->n + 1, sizeof(*p->free));
    return ++p->n;
}
