#include "sampling/inside/bb_table.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/inside/hash_mix.h"
#include "sim/core/alloc.h"

/* The slot of a basic block, or the free slot where it belongs. */
static size_t slot_of(const bb_table_t *t, uint32_t pc, uint32_t n_insts)
{
    size_t at = (size_t)hash_mix((uint64_t)pc << 32 ^ n_insts);
    for (;; at++) {
        const uint32_t number = t->slots[at & (t->n_slots - 1)];
        if (number == 0 || (t->bbs[number - 1].pc == pc && t->bbs[number - 1].n_insts == n_insts))
            return at & (t->n_slots - 1);
    }
}

int64_t bb_table_find(const bb_table_t *t, uint32_t pc, uint32_t n_insts)
{
    return t->n == 0 ? BB_NONE : (int64_t)t->slots[slot_of(t, pc, n_insts)] - 1;
}

static void widen(bb_table_t *t)
{
    free(t->slots);
    t->n_slots = t->n_slots == 0 ? 64 : 2 * t->n_slots;
    t->slots = rb_calloc(t->n_slots, sizeof(*t->slots));
    for (size_t i = 0; i < t->n; i++)
        t->slots[slot_of(t, t->bbs[i].pc, t->bbs[i].n_insts)] = (uint32_t)i + 1;
}

uint32_t bb_table_add(bb_table_t *t, const basic_block_t *b)
{
    if (2 * t->n >= t->n_slots)
        widen(t);
    uint32_t *slot = &t->slots[slot_of(t, b->pc, b->n_insts)];
    if (*slot == 0) {
        rb_grow(&t->bbs, &t->cap, t->n + 1, sizeof(*t->bbs));
        bb_entry_t *e = &t->bbs[t->n++];
        *e = (bb_entry_t){.pc = b->pc, .n_insts = b->n_insts, .known = b->known};
        e->code = rb_calloc(b->known, sizeof(*e->code));
        memcpy(e->code, b->first, b->known * sizeof(*e->code));
        *slot = (uint32_t)t->n;
    }
    return *slot - 1;
}

void bb_table_free(bb_table_t *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->bbs[i].code);
    free(t->bbs);
    free(t->slots);
    *t = (bb_table_t){0};
}
