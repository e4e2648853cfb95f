/*
 * What the blocks of a launch take if every basic block takes a known time: the longest of their
 * warps, each the sum of its basic blocks' times.
 */
#ifndef RUBATO_BB_FORECAST_H
#define RUBATO_BB_FORECAST_H

#include "sampling/inside/read_ahead.h"

typedef struct {
    uint64_t first; /* block of cycles[0] */
    float *cycles;  /* owned; NULL: all blocks take the same */
    size_t n, cap;  /* blocks from there on whose warps are known; the others take mean */
    double mean;    /* of the n, or of every block */
} bb_forecast_t;

/*
 * Looks at the blocks from first on: in the index, or, where a sample of them has shown more than
 * one type of warp, in the trace. time(ctx, bb): of a basic block of ahead's table, which grows by
 * those not met before. start: from a warp's start to its first issue.
 * Errors are those of the source. *f is to be freed in any case.
 */
typedef double (*bb_time_fn)(const void *ctx, uint32_t bb);
RB_CHECKED rb_code_t bb_forecast(bb_forecast_t *f, const sampler_launch_t *l, read_ahead_t *ahead,
                                 uint64_t first, double start, bb_time_fn time, const void *ctx,
                                 rb_err_t *err);
void bb_forecast_free(bb_forecast_t *f);

static inline double bb_forecast_of(const bb_forecast_t *f, uint64_t block)
{
    return block >= f->first && block - f->first < f->n ? (double)f->cycles[block - f->first]
                                                        : f->mean;
}

#endif
