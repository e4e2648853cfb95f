#include "sampling/inside/code_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/warp_reader.h"
#include "sim/core/alloc.h"

/* Blocks that are read of a part. */
enum { BLOCKS_OF_PART = 4 };

/* Warp instructions by part and basic block. */
typedef struct {
    warp_reader_t reader;
    bb_table_t table;
    double **insts; /* owned: per part, as many as its cap */
    size_t *cap;    /* owned */
    size_t parts;
} shares_t;

static void take_warp(shares_t *s, size_t part)
{
    const size_t had = s->cap[part];
    rb_grow(&s->insts[part], &s->cap[part], s->table.n, sizeof(**s->insts));
    if (s->cap[part] > had)
        memset(s->insts[part] + had, 0, (s->cap[part] - had) * sizeof(**s->insts));
    for (size_t i = 0; i < s->reader.n_counts; i++) {
        const bb_count_t *c = &s->reader.counts[i];
        s->insts[part][c->bb] += (double)c->n * s->table.bbs[c->bb].n_insts;
    }
}

/* Reads blocks in the middles of equal sections of the launch. */
static rb_code_t take_blocks(shares_t *s, uint64_t n_blocks, rb_err_t *err)
{
    const size_t sections = s->parts * BLOCKS_OF_PART;
    uint64_t before = UINT64_MAX;
    for (size_t k = 0; k < sections; k++) {
        const uint64_t block =
            (uint64_t)(((double)k + 0.5) * ((double)n_blocks / (double)sections));
        if (block == before)
            continue;
        before = block;
        RB_TRY(warp_reader_block(&s->reader, block, err));
        for (uint32_t w = 0; w < s->reader.n_warps; w++) {
            RB_TRY(warp_reader_warp(&s->reader, w, err));
            take_warp(s, k / BLOCKS_OF_PART);
        }
    }
    return RB_OK;
}

static double insts_in(const shares_t *s, size_t part, size_t bb)
{
    return bb < s->cap[part] ? s->insts[part][bb] : 0;
}

/* Half the sum of the differences between the shares of a part and those of all. */
static double part_difference(const shares_t *s, size_t part, const double *all, double total)
{
    double sum = 0, difference = 0;
    for (size_t bb = 0; bb < s->table.n; bb++)
        sum += insts_in(s, part, bb);
    for (size_t bb = 0; sum > 0 && bb < s->table.n; bb++)
        difference += fabs(insts_in(s, part, bb) / sum - all[bb] / total) / 2;
    return difference;
}

static double largest_difference(const shares_t *s)
{
    double *all = rb_calloc(s->table.n + 1, sizeof(*all)), total = 0, largest = 0;
    for (size_t bb = 0; bb < s->table.n; bb++) {
        for (size_t part = 0; part < s->parts; part++)
            all[bb] += insts_in(s, part, bb);
        total += all[bb];
    }
    for (size_t part = 0; part < s->parts && total > 0; part++)
        largest = fmax(largest, part_difference(s, part, all, total));
    free(all);
    return largest;
}

rb_code_t code_share_difference(const sampler_launch_t *l, size_t parts, double *difference,
                                rb_err_t *err)
{
    shares_t s = {.parts = parts,
                  .insts = rb_calloc(parts, sizeof(*s.insts)),
                  .cap = rb_calloc(parts, sizeof(*s.cap))};
    rb_code_t rc = warp_reader_open(&s.reader, l, &s.table, err);
    if (rc == RB_OK)
        rc = take_blocks(&s, l->info->n_blocks, err);
    warp_reader_close(&s.reader);
    *difference = largest_difference(&s);
    bb_table_free(&s.table);
    for (size_t i = 0; i < parts; i++)
        free(s.insts[i]);
    free(s.insts);
    free(s.cap);
    return rc;
}
