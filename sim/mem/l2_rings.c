#include "sim/mem/l2_rings.h"

#include "sim/core/model_mem.h"

enum { FIRST_CAPACITY = 64 };

void l2_reply_ring_add(l2_reply_ring_t *r, const l2_reply_t *reply)
{
    if (r->count == r->cap) {
        size_t cap = r->cap == 0 ? FIRST_CAPACITY : 2 * r->cap;
        l2_reply_t *item = rb_model_calloc(cap, sizeof(*item));
        for (size_t i = 0; i < r->count; i++)
            item[i] = r->item[(r->head + i) & (r->cap - 1)];
        rb_model_free(r->item);
        *r = (l2_reply_ring_t){.item = item, .count = r->count, .cap = cap};
    }
    r->item[(r->head + r->count++) & (r->cap - 1)] = *reply;
}

void l2_transfer_ring_add(l2_transfer_ring_t *r, const l2_transfer_t *transfer)
{
    if (r->count == r->cap) {
        size_t cap = r->cap == 0 ? FIRST_CAPACITY : 2 * r->cap;
        l2_transfer_t *item = rb_model_calloc(cap, sizeof(*item));
        for (size_t i = 0; i < r->count; i++)
            item[i] = r->item[(r->head + i) & (r->cap - 1)];
        rb_model_free(r->item);
        *r = (l2_transfer_ring_t){.item = item, .count = r->count, .cap = cap};
    }
    r->item[(r->head + r->count++) & (r->cap - 1)] = *transfer;
}
