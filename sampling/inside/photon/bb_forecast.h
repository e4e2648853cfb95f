/*
 * Predicts the time of a launch's blocks from known times of the basic blocks: a warp takes the sum
 * of its basic blocks' times, a block as long as its longest warp.
 */
#ifndef RUBATO_BB_FORECAST_H
#define RUBATO_BB_FORECAST_H

#include "sampling/inside/read_ahead.h"

typedef struct {
    uint64_t first; /* block of cycles[0] */
    float *cycles;  /* owned; NULL: the same for all blocks */
    size_t n, cap;  /* n: predicted blocks from `first` on; the others take mean */
    double mean;    /* of the n blocks, or of every block */
} bb_forecast_t;

/*
 * Predicts the blocks from `first` on. Reads their warps from the index, or from the trace, unless a
 * sample showed one type of warp; every: unless all of them did. time(ctx, bb): cycles of a basic block of ahead's
 * table, to which new basic blocks are added. start: cycles from a warp's start to its first issue.
 * Errors are those of the source. *f must be freed in any case.
 */
typedef double (*bb_time_fn)(const void *ctx, uint32_t bb);
RB_CHECKED rb_code_t bb_forecast(bb_forecast_t *f, const sampler_launch_t *l, read_ahead_t *ahead,
                                 uint64_t first, bool every, double start, bb_time_fn time,
                                 const void *ctx, rb_err_t *err);
void bb_forecast_free(bb_forecast_t *f);

static inline double bb_forecast_of(const bb_forecast_t *f, uint64_t block)
{
    return block >= f->first && block - f->first < f->n ? (double)f->cycles[block - f->first]
                                                        : f->mean;
}

#endif
