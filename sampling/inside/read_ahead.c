#include "sampling/inside/read_ahead.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

enum { INST_BYTES = 16 };

typedef struct {
    uint64_t type, insts;
} warp_type_t;

typedef struct {
    warp_type_t *warps; /* owned */
    size_t n, cap;
    uint64_t blocks, insts;
} sample_t;

/* SplitMix64's finaliser. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/*
 * The sum of a hash of each dynamic basic block: the same for equal counts of equal blocks, in
 * whatever order, and otherwise with a chance of 2^-64.
 */
static uint64_t type_of(const warp_stream_t *w)
{
    uint64_t type = 0, length = 0;
    uint32_t start = 0, next = 0;
    bool ended = true;
    for (uint32_t r = 0; r < w->n_runs; r++) {
        for (uint32_t i = 0; i < w->runs[r].count; i++) {
            const inst_t *inst = w->runs[r].first + i;
            if (ended || inst->pc != next) {
                type += length == 0 ? 0 : mix((uint64_t)start << 32 ^ length);
                start = inst->pc;
                length = 0;
            }
            length++;
            next = inst->pc + INST_BYTES;
            ended = (inst->flags & (INST_BRANCH | INST_EXIT | INST_BARRIER)) != 0;
        }
    }
    return type + (length == 0 ? 0 : mix((uint64_t)start << 32 ^ length));
}

static void take_block(sample_t *s, const trace_block_t *b)
{
    s->blocks++;
    s->insts += b->n_insts;
    rb_grow(&s->warps, &s->cap, s->n + b->n_warps, sizeof(*s->warps));
    for (uint32_t w = 0; w < b->n_warps; w++) {
        if (b->warps[w].n_runs > 0)
            s->warps[s->n++] = (warp_type_t){type_of(&b->warps[w]), b->warps[w].n_insts};
    }
}

static rb_code_t take_sample(sample_t *s, const trace_source_ops_t *ops, trace_launch_t *launch,
                             uint64_t n, uint64_t wanted, rb_err_t *err)
{
    for (uint64_t k = 0; k < wanted; k++) {
        trace_block_t *b = NULL;
        /* The middle of the k-th of so many equal parts; wanted <= n < 2^63. */
        uint64_t index = (uint64_t)(((double)k + 0.5) * ((double)n / (double)wanted));
        RB_TRY(ops->get_block(launch, index, &b, err));
        if (b == NULL)
            return RB_OK;
        take_block(s, b);
        ops->free_block(launch, b);
    }
    return RB_OK;
}

static int by_type(const void *a, const void *b)
{
    const warp_type_t *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return (x->insts > y->insts) - (x->insts < y->insts);
}

static void conclude(sample_t *s, read_ahead_t *out)
{
    size_t most = 0;
    *out = (read_ahead_t){.blocks = s->blocks, .warps = s->n};
    if (s->n == 0)
        return;
    qsort(s->warps, s->n, sizeof(*s->warps), by_type);
    for (size_t from = 0, to; from < s->n; from = to) {
        for (to = from; to < s->n && s->warps[to].type == s->warps[from].type; to++)
            continue;
        out->types++;
        if (to - from > most) {
            most = to - from;
            out->dominant_insts = s->warps[from].insts;
        }
    }
    out->dominant_share = (double)most / (double)s->n;
    out->insts_per_block = (double)s->insts / (double)s->blocks;
}

rb_code_t read_ahead(const sampler_launch_t *l, double share, uint64_t at_least, read_ahead_t *out,
                     rb_err_t *err)
{
    const trace_source_ops_t *ops = l->source->ops;
    const uint64_t n = l->info->n_blocks;
    uint64_t wanted = (uint64_t)ceil(share * (double)n);
    trace_launch_t *launch;
    sample_t s = {0};
    if (wanted < at_least)
        wanted = at_least;
    if (wanted > n)
        wanted = n;
    RB_TRY(ops->open(l->source, l->position, &launch, err));
    rb_code_t rc = take_sample(&s, ops, launch, n, wanted, err);
    ops->close(launch);
    if (rc == RB_OK)
        conclude(&s, out);
    free(s.warps);
    return rc;
}
