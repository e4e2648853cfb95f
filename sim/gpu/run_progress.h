/*
 * How far a run is: the share of the launches that it was asked for, each counted by its size. A
 * launch's own share is that of its warp instructions: known from an index, or else those of the
 * blocks dispatched so far, and their mean for each block that is not.
 */
#ifndef RUBATO_GPU_RUN_PROGRESS_H
#define RUBATO_GPU_RUN_PROGRESS_H

#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/trace_source.h"

typedef struct {
    double total, done; /* sizes: of all launches asked for (0: unknown), of those that are over */
    double launch;      /* size of the launch that runs */
    uint64_t launch_insts; /* its warp instructions, if an index tells; 0: unknown */
    uint64_t insts_before; /* of the chip, when the launch began */
} run_progress_t;

/*
 * Size of launch id in a unit that is the same for all launches of the source: warp instructions,
 * bytes of input, or 1 where neither is known. Nothing of the launch is read but its index.
 */
double run_progress_size(trace_source_t *source, uint64_t id);

/* Launch id begins; the chip has issued so many warp instructions before it. */
void run_progress_launch(run_progress_t *p, trace_source_t *source, uint64_t id, uint64_t insts);

/* The launch that runs is over. */
void run_progress_over(run_progress_t *p);

/* Share of the launch that runs, 0 to 1; insts: issued by the chip so far. Between windows. */
double run_progress_of_launch(const run_progress_t *p, const block_scheduler_t *s, uint64_t insts);

/* Share of the run whose present launch has come so far; negative: unknown. */
double run_progress_of_run(const run_progress_t *p, double of_launch);

#endif
