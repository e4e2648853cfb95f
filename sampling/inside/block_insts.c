#include "sampling/inside/block_insts.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

void block_insts_add(block_insts_t *b, uint64_t insts)
{
    const insts_run_t *last = b->n == 0 ? NULL : &b->runs[b->n - 1];
    if (last == NULL || last->insts != insts) {
        uint64_t before = last == NULL ? 0 : last->before + (b->blocks - last->first) * last->insts;
        rb_grow(&b->runs, &b->cap, b->n + 1, sizeof(*b->runs));
        b->runs[b->n++] = (insts_run_t){b->blocks, before, insts};
    }
    b->blocks++;
}

void block_insts_equal(block_insts_t *b, uint64_t blocks)
{
    if (blocks > 0)
        block_insts_add(b, 1);
    b->blocks = blocks;
}

rb_code_t block_insts_known(const trace_source_t *source, rb_err_t *err)
{
    if (source->ops->block_facts != NULL)
        return RB_OK;
    return rb_fail(err, RB_USAGE,
                   "this needs the index of a native trace, which has the instructions of each "
                   "block; this source (%s) "
                   "has none: 'rubato convert TRACE FILE.rbt' writes one",
                   source->ops->name);
}

rb_code_t block_insts_read(block_insts_t *b, trace_source_t *source, uint64_t position,
                           void (*visit)(void *ctx, const block_facts_t *facts), void *ctx,
                           rb_err_t *err)
{
    const trace_source_ops_t *ops = source->ops;
    trace_launch_t *launch;
    rb_code_t rc = RB_OK;
    bool stored = true;
    *b = (block_insts_t){0};
    RB_TRY(block_insts_known(source, err));
    RB_TRY(ops->open(source, position, &launch, err));
    while (rc == RB_OK && stored) {
        block_facts_t facts;
        rc = ops->block_facts(launch, b->blocks, &facts, &stored, err);
        if (rc != RB_OK || !stored)
            continue;
        block_insts_add(b, facts.warp_insts);
        if (visit != NULL)
            visit(ctx, &facts);
    }
    ops->close(launch);
    return rc;
}

void block_insts_free(block_insts_t *b)
{
    free(b->runs);
    *b = (block_insts_t){0};
}

uint64_t block_insts_before(const block_insts_t *b, uint64_t block)
{
    size_t after;
    if (b->n == 0)
        return 0;
    FIND_FIRST(after, 1, b->n, b->runs[after].first > block);
    const insts_run_t *r = &b->runs[after - 1];
    return r->before + (block - r->first) * r->insts;
}
