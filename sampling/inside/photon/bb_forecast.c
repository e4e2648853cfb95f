#include "sampling/inside/photon/bb_forecast.h"

#include <stdlib.h>

#include "sampling/inside/warp_reader.h"
#include "sim/core/alloc.h"

static double sum_times(const bb_count_t *counts, size_t n, bb_time_fn time, const void *ctx)
{
    double cycles = 0;
    for (size_t i = 0; i < n; i++)
        cycles += (double)counts[i].n * time(ctx, counts[i].bb);
    return cycles;
}

/* The longest warp of the block that the reader is at; *found: the block has warps. */
static rb_code_t longest_warp(warp_reader_t *r, bb_time_fn time, const void *ctx, double *cycles,
                              bool *found, rb_err_t *err)
{
    *cycles = 0;
    *found = false;
    for (uint32_t w = 0; w < r->n_warps; w++) {
        RB_TRY(warp_reader_warp(r, w, err));
        const double of = sum_times(r->counts, r->n_counts, time, ctx);
        *found = *found || r->n_counts > 0;
        *cycles = of > *cycles ? of : *cycles;
    }
    return RB_OK;
}

rb_code_t bb_forecast(bb_forecast_t *f, const sampler_launch_t *l, read_ahead_t *ahead,
                      uint64_t first, bool every, double start, bb_time_fn time, const void *ctx,
                      rb_err_t *err)
{
    warp_reader_t r;
    double sum = 0;
    bool found = true;
    *f = (bb_forecast_t){.first = first};
    f->mean = start + sum_times(ahead->dominant, ahead->n_dominant, time, ctx);
    if (ahead->types <= 1 && (ahead->whole || !every))
        return RB_OK;
    rb_code_t rc = warp_reader_open(&r, l, &ahead->table, err);
    for (uint64_t b = first; rc == RB_OK && found && b < l->info->n_blocks; b++) {
        double cycles = 0;
        rc = warp_reader_block(&r, b, err);
        if (rc == RB_OK)
            rc = longest_warp(&r, time, ctx, &cycles, &found, err);
        if (rc == RB_OK && found) {
            rb_grow(&f->cycles, &f->cap, f->n + 1, sizeof(*f->cycles));
            f->cycles[f->n++] = (float)(start + cycles);
            sum += start + cycles;
        }
    }
    warp_reader_close(&r);
    if (f->n > 0)
        f->mean = sum / (double)f->n;
    return rc;
}

void bb_forecast_free(bb_forecast_t *f)
{
    free(f->cycles);
    *f = (bb_forecast_t){0};
}
