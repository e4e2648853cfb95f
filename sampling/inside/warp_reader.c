#include "sampling/inside/warp_reader.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/isa/basic_block.h"

rb_code_t warp_reader_open(warp_reader_t *r, const sampler_launch_t *l, bb_table_t *table,
                           rb_err_t *err)
{
    const uint32_t *dim = l->info->block;
    *r = (warp_reader_t){.ops = l->source->ops,
                         .table = table,
                         .indexed = l->source->ops->warp_profile != NULL,
                         .n_warps = (dim[0] * dim[1] * dim[2] + 31) / 32};
    RB_TRY(block_reading_open(&r->reading, l->source, l->position, err));
    r->launch = r->reading.launch;
    return RB_OK;
}

static void give_back(warp_reader_t *r)
{
    if (r->block != NULL)
        r->ops->free_block(r->launch, r->block);
    r->block = NULL;
}

void warp_reader_close(warp_reader_t *r)
{
    give_back(r);
    if (r->launch != NULL)
        block_reading_close(&r->reading);
    free(r->number);
    free(r->executions);
    free(r->counts);
    *r = (warp_reader_t){0};
}

rb_code_t warp_reader_block(warp_reader_t *r, uint64_t index, rb_err_t *err)
{
    r->index = index;
    if (r->indexed)
        return RB_OK;
    give_back(r);
    RB_TRY(r->ops->get_block(r->launch, index, &r->block, err));
    r->n_warps = r->block == NULL ? 0 : r->block->n_warps;
    return RB_OK;
}

static void zeroed(void *array, size_t *cap, size_t n, size_t size)
{
    const size_t had = *cap;
    rb_grow(array, cap, n, size);
    if (*cap > had)
        memset(*(char **)array + had * size, 0, (*cap - had) * size);
}

static uint32_t number_of(warp_reader_t *r, uint32_t bb)
{
    zeroed(&r->number, &r->cap_number, bb + (size_t)1, sizeof(*r->number));
    if (r->number[bb] == 0) {
        basic_block_t b;
        r->ops->basic_block(r->launch, bb, &b);
        r->number[bb] = bb_table_add(r->table, &b) + 1;
    }
    return r->number[bb] - 1;
}

static rb_code_t look_up(warp_reader_t *r, uint32_t warp, rb_err_t *err)
{
    const bb_count_t *counts;
    size_t n;
    RB_TRY(r->ops->warp_profile(r->launch, r->index, warp, &counts, &n, err));
    rb_grow(&r->counts, &r->cap_counts, n, sizeof(*r->counts));
    for (size_t i = 0; i < n; i++)
        r->counts[i] = (bb_count_t){number_of(r, counts[i].bb), counts[i].n};
    r->n_counts = n;
    return RB_OK;
}

static void count(warp_reader_t *r, const basic_block_t *b)
{
    const uint32_t bb = bb_table_add(r->table, b);
    zeroed(&r->executions, &r->cap_executions, bb + (size_t)1, sizeof(*r->executions));
    if (r->executions[bb]++ == 0) {
        rb_grow(&r->counts, &r->cap_counts, r->n_counts + 1, sizeof(*r->counts));
        r->counts[r->n_counts++].bb = bb;
    }
}

/* Counts the basic blocks that end in a piece of a warp; *b is the one that it is in. */
static void count_piece(warp_reader_t *r, const warp_stream_t *w, basic_block_t *b,
                        const inst_t **last)
{
    for (uint32_t k = 0; k < w->n_runs; k++) {
        for (uint32_t i = 0; i < w->runs[k].count; i++) {
            const inst_t *inst = w->runs[k].first + i;
            if (b->n_insts > 0 && !basic_block_goes_on(*last, b->n_insts, inst)) {
                count(r, b);
                b->n_insts = 0;
            }
            if (b->n_insts == 0)
                *b = (basic_block_t){.pc = inst->pc, .first = inst};
            b->known += inst == b->first + b->n_insts && b->known == b->n_insts;
            b->n_insts++;
            *last = inst;
        }
    }
}

static void count_stream(warp_reader_t *r, warp_stream_t *w)
{
    const inst_t *last = NULL;
    basic_block_t b = {0};
    r->n_counts = 0;
    for (bool some = stream_first(w); some; some = stream_next(w))
        count_piece(r, w, &b, &last);
    if (b.n_insts > 0)
        count(r, &b);
    for (size_t i = 0; i < r->n_counts; i++) {
        r->counts[i].n = r->executions[r->counts[i].bb];
        r->executions[r->counts[i].bb] = 0;
    }
}

rb_code_t warp_reader_warp(warp_reader_t *r, uint32_t warp, rb_err_t *err)
{
    if (r->indexed)
        return look_up(r, warp, err);
    count_stream(r, &r->block->warps[warp]);
    return RB_OK;
}
