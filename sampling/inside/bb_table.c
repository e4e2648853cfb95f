#include "sampling/inside/bb_table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

static uint64_t hash_of(uint32_t pc, uint32_t n_insts)
{
    return mix64((uint64_t)pc << 32 ^ n_insts);
}

int64_t bb_table_find(const bb_table_t *t, uint32_t pc, uint32_t n_insts)
{
    for (hash_walk_t w = hash_map_walk(&t->map, hash_of(pc, n_insts)); hash_walk_next(&w);)
        if (t->bbs[w.number].pc == pc && t->bbs[w.number].n_insts == n_insts)
            return w.number;
    return BB_NONE;
}

uint32_t bb_table_add(bb_table_t *t, const basic_block_t *b)
{
    const int64_t known = bb_table_find(t, b->pc, b->n_insts);
    if (known != BB_NONE)
        return (uint32_t)known;
    rb_grow(&t->bbs, &t->cap, t->n + 1, sizeof(*t->bbs));
    bb_entry_t *e = &t->bbs[t->n];
    *e = (bb_entry_t){.pc = b->pc, .n_insts = b->n_insts, .known = b->known};
    e->code = rb_calloc(b->known, sizeof(*e->code));
    memcpy(e->code, b->first, b->known * sizeof(*e->code));
    hash_map_add(&t->map, hash_of(b->pc, b->n_insts), (uint32_t)t->n);
    return (uint32_t)t->n++;
}

void bb_table_free(bb_table_t *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->bbs[i].code);
    free(t->bbs);
    hash_map_free(&t->map);
    *t = (bb_table_t){0};
}
