/*
 * Observations of detectors inside launches, written to detectors.json in the folder of a run for
 * plots: start and end of warps, blocks and basic blocks, the progress of launches per interval,
 * sizes of blocks and their regions, and the decisions of samplers. Its size is bounded per launch
 * (point_series.h) and per run.
 */
#ifndef RUBATO_RUN_RUN_DETECTORS_H
#define RUBATO_RUN_RUN_DETECTORS_H

#include "sampling/inside/inside_sampler.h"
#include "sim/gpu/gpu.h"

#define RUN_DETECTORS_FILE "detectors.json"

typedef struct run_detectors run_detectors_t;

/* list: the samplers of the run; borrowed. RB_IO. */
RB_CHECKED rb_code_t run_detectors_open(run_detectors_t **d, const char *folder,
                                        const inside_list_t *list, rb_err_t *err);

/* Adds an observer, which decides nothing, before the plan's samplers, which are those of the
 * list. */
void run_detectors_join(run_detectors_t *d, run_plan_t *plan);

/* Call it when a launch is complete. */
void run_detectors_launch(run_detectors_t *d, const launch_result_t *r);

/* Renames the file to its final name. RB_IO. Does nothing for NULL. */
RB_CHECKED rb_code_t run_detectors_finish(run_detectors_t *d, rb_err_t *err);

/* Releases d and discards an unfinished file; NULL is allowed. */
void run_detectors_free(run_detectors_t *d);

#endif
