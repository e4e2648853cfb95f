/* Functions shared by the parts of run_sampling.h: the plan, choosing it, and rounds. */
#ifndef RUBATO_RUN_RUN_SAMPLING_PARTS_H
#define RUBATO_RUN_RUN_SAMPLING_PARTS_H

#include "frontend/tool/run/run_arm.h"
#include "frontend/tool/run/sampled/run_sampling.h"

/* Lists the launches of a plan before any result exists. */
void run_sampling_await(run_sampling_t *s);

/* The nearest integer, at least 0. */
static inline uint64_t whole(double v)
{
    return v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

/*
 * Begins with the launches that the run in a folder chose, of which it takes as many as the change of the cycles
 * needs: until half of its interval is at most bound; 0, or a choice that was not random: all. May take
 * ownership of trace. RB_USAGE, RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t run_sampling_from_base(run_sampling_t *s, const char *folder, double bound,
                                            launch_list_t *trace, rb_err_t *err);

/* What the base has, to which the sums of its part are made to fit. */
struct part_base {
    run_arm_t arm;
    double sum[STAT_VALUES]; /* over its samples, with their weights */
};

/* All results are added: makes the sums those of the base times what the samples say that changes. Does nothing
 * without a base. */
void run_sampling_settle_base(run_sampling_t *s);
void run_sampling_free_base(run_sampling_t *s);

/* Adds a result for a sampler that chooses during the run. */
void run_sampling_know(run_sampling_t *s, const launch_result_t *r, const launch_error_t *error);

#endif
