/*
 * Progress of a run: the share of the requested launches that is done, weighted by their size.
 * Within a launch it is the share of its warp instructions. Their total is known from an index;
 * otherwise the mean of the blocks dispatched so far is assumed for the others.
 */
#ifndef RUBATO_GPU_RUN_PROGRESS_H
#define RUBATO_GPU_RUN_PROGRESS_H

#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    double total, done;    /* sizes: of all requested launches (0: unknown), and of those that are
                         * done */
    double launch;         /* size of the current launch */
    uint64_t launch_insts; /* its warp instructions if an index states them; 0: unknown */
    uint64_t insts_before; /* of the chip, at the start of the launch */
} run_progress_t;

/* Size of launch id, in a unit that is the same for all launches of the source: warp instructions,
 * bytes of input, or 1 if neither is known. Reads only the index. */
double run_progress_size(trace_source_t *source, uint64_t id);

/* Launch id begins; the chip has issued `insts` warp instructions before it. */
void run_progress_launch(run_progress_t *p, trace_source_t *source, uint64_t id, uint64_t insts);

/* The current launch has ended. */
void run_progress_over(run_progress_t *p);

/* Done share of the current launch, 0 to 1. insts: issued by the chip so far. Between windows. */
double run_progress_of_launch(const run_progress_t *p, const block_scheduler_t *s, uint64_t insts);

/* Done share of the run, given that of the current launch; negative: unknown. */
double run_progress_of_run(const run_progress_t *p, double of_launch);

#endif
