#include "frontend/input/rbt/rbt_bb_map.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/isa/basic_block.h"

static const uint32_t none = UINT32_MAX;

static uint32_t first_inst(const rbt_code_t *code, uint32_t bb)
{
    return code->spans[code->bbs[bb].span].first;
}

static uint64_t hash_of(uint32_t first, uint32_t n)
{
    return (uint64_t)first << 32 ^ n * UINT64_C(0xc2b2ae3d27d4eb4f);
}

/* The basic block of n instructions that begins at instruction first. */
static uint32_t find(const rbt_bb_map_t *m, uint32_t first, uint32_t n)
{
    for (hash_walk_t w = hash_map_walk(&m->map, hash_of(first, n)); hash_walk_next(&w);)
        if (first_inst(m->code, w.number) == first && m->code->bbs[w.number].n_insts == n)
            return w.number;
    return none;
}

void rbt_bb_map_init(rbt_bb_map_t *m, const rbt_code_t *code)
{
    *m = (rbt_bb_map_t){.code = code};
    m->counts = rb_calloc(code->n_bbs + 1, sizeof(*m->counts));
    for (uint32_t bb = 0; bb < code->n_bbs; bb++)
        if (find(m, first_inst(code, bb), code->bbs[bb].n_insts) == none)
            hash_map_add(&m->map, hash_of(first_inst(code, bb), code->bbs[bb].n_insts), bb);
}

void rbt_bb_map_free(rbt_bb_map_t *m)
{
    hash_map_free(&m->map);
    free(m->counts);
    *m = (rbt_bb_map_t){0};
}

/* Removes one execution of a basic block from the counts; false if the index does not have it. */
static bool take(rbt_bb_map_t *m, const inst_t *first, uint32_t n)
{
    uint32_t bb = find(m, (uint32_t)(first - m->code->insts), n);

    if (bb == none || m->counts[bb] == 0)
        return false;
    m->counts[bb]--;
    return true;
}

/* The basic block that a warp is in. */
typedef struct {
    const inst_t *first, *last;
    uint32_t n;
} open_bb_t;

/* Removes the basic blocks that end in a piece of a warp. */
static bool take_piece(rbt_bb_map_t *m, const warp_stream_t *piece, open_bb_t *open)
{
    for (uint32_t r = 0; r < piece->n_runs; r++) {
        for (unsigned k = 0; k < piece->runs[r].count; k++) {
            const inst_t *in = piece->runs[r].first + k;

            if (open->n > 0 && !basic_block_goes_on(open->last, open->n, in)) {
                if (!take(m, open->first, open->n))
                    return false;
                open->n = 0;
            }
            open->first = open->n++ == 0 ? in : open->first;
            open->last = in;
        }
    }
    return true;
}

/* Removes the basic blocks of a warp from the counts. */
static bool take_warp(rbt_bb_map_t *m, warp_stream_t *warp)
{
    open_bb_t open = {0};

    for (bool some = stream_first(warp); some; some = stream_next(warp))
        if (!take_piece(m, warp, &open))
            return false;
    return open.n == 0 || take(m, open.first, open.n);
}

bool rbt_bb_map_agrees(rbt_bb_map_t *m, warp_stream_t *warp, const bb_count_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        m->counts[find(m, first_inst(m->code, counts[i].bb), m->code->bbs[counts[i].bb].n_insts)] +=
            counts[i].n;
    bool agrees = take_warp(m, warp);

    for (size_t i = 0; i < n; i++) {
        uint64_t *left = &m->counts[find(m, first_inst(m->code, counts[i].bb),
                                         m->code->bbs[counts[i].bb].n_insts)];

        agrees &= *left == 0;
        *left = 0;
    }
    return agrees;
}
