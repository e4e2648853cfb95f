#include "sampling/inside/smarts/slot_model.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

/* A slot: when it is free, and the block that it has until then. */
typedef struct {
    uint64_t free, block;
} slot_t;

/* Restores the heap, earliest slot first, after its root has changed. */
static void sift(slot_t *heap, uint64_t n)
{
    for (uint64_t i = 0, next; (next = 2 * i + 1) < n; i = next) {
        if (next + 1 < n && heap[next + 1].free < heap[next].free)
            next++;
        if (heap[i].free <= heap[next].free)
            return;
        const slot_t s = heap[i];
        heap[i] = heap[next];
        heap[next] = s;
    }
}

/* A run over the blocks in order, with the instructions of each. */
typedef struct {
    const block_insts_t *insts;
    size_t run;
} cursor_t;

static uint64_t insts_of(cursor_t *c, uint64_t block)
{
    while (c->run + 1 < c->insts->n && c->insts->runs[c->run + 1].first <= block)
        c->run++;
    return c->insts->runs[c->run].insts;
}

/* What is on the chip at time `last`, when the last block was dispatched. */
static slot_model_t at_end(const slot_t *heap, uint64_t slots, uint64_t last, uint64_t blocks)
{
    slot_model_t m = {.oldest = blocks};
    for (uint64_t i = 0; i < slots; i++) {
        if (heap[i].free <= last)
            continue;
        if (heap[i].block < m.oldest)
            m.oldest = heap[i].block;
        if ((double)(heap[i].free - last) > m.drain)
            m.drain = (double)(heap[i].free - last);
    }
    return m;
}

/* Blocks of one length: those of the last wave are on the chip. */
static slot_model_t even_end(const block_insts_t *insts, uint64_t slots)
{
    const uint64_t waves = (insts->blocks - 1) / slots, each = insts->runs[0].insts;
    return each == 0 ? (slot_model_t){.oldest = insts->blocks}
                     : (slot_model_t){.oldest = waves * slots, .drain = (double)each};
}

slot_model_t slot_model_run(const block_insts_t *insts, uint64_t slots, const block_range_t *left,
                            size_t n)
{
    if (n == 0 && insts->n == 1)
        return even_end(insts, slots);
    slot_t *heap = rb_calloc(slots, sizeof(*heap));
    cursor_t cursor = {insts, 0};
    uint64_t last = 0;
    for (uint64_t block = 0; block < insts->blocks; block++) {
        if (n > 0 && block == left->first) {
            block = left->end - 1;
            left++;
            n--;
            continue;
        }
        last = heap[0].free;
        heap[0] = (slot_t){last + insts_of(&cursor, block), block};
        sift(heap, slots);
    }
    const slot_model_t m = at_end(heap, slots, last, insts->blocks);
    free(heap);
    return m;
}
