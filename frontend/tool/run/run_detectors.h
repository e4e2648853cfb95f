/*
 * What detectors inside launches looked at, as detectors.json in the folder of a run, for plots:
 * when warps, blocks and basic blocks started and retired, how launches went on from interval to
 * interval, the sizes of blocks and their regions, and where a sampler decided. Its size is bounded
 * for each launch (point_series.h), and of a whole run.
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

/* Puts a sampler that looks and decides nothing before those of the plan, which are the list's. */
void run_detectors_join(run_detectors_t *d, run_plan_t *plan);

/* A launch is complete. */
void run_detectors_launch(run_detectors_t *d, const launch_result_t *r);

/* Puts the file in place. RB_IO. Nothing on NULL. */
RB_CHECKED rb_code_t run_detectors_finish(run_detectors_t *d, rb_err_t *err);

/* Releases d, and what is not finished; NULL is allowed. */
void run_detectors_free(run_detectors_t *d);

#endif
