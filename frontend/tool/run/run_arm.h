/*
 * What a run's folder says about the launches that it simulated, to compare it with another run: from
 * launches.csv, plan.json and config.cfg.
 */
#ifndef RUBATO_RUN_RUN_ARM_H
#define RUBATO_RUN_RUN_ARM_H

#include "frontend/tool/library/library_client.h"
#include "frontend/tool/library/stat_forms.h"
#include "sampling/estimate/estimate.h"

typedef struct {
    uint64_t id;
    uint64_t name;   /* hash */
    uint64_t kernel; /* hash of name and grid */
    double inside;   /* variance of the cycles from what was left out; NAN: not known */
    double values[STAT_VALUES];
} arm_launch_t;

typedef struct {
    rubato_config *config;
    stat_list_t forms;      /* for its chip */
    bool sampled;           /* it followed a plan */
    plan_t plan;            /* if sampled */
    unit_file_t units;      /* parts of launches that it measured; n 0: none */
    arm_launch_t *launches; /* owned; by id */
    size_t n, cap;
    uint64_t *wanted; /* owned; ids that were looked for to fill launches */
    uint64_t n_wanted;
    bool cold;     /* launches were left out and not walked */
    bool overlaps; /* launches of several streams may overlap: times do not add up */
} run_arm_t;

/* Reads the configuration and the plan; the caller has zeroed *arm, and frees it, also after an error. Errors name a file: RB_TRACE, RB_IO, RB_USAGE. */
RB_CHECKED rb_code_t run_arm_open(run_arm_t *arm, const char *folder, rb_err_t *err);
void run_arm_free(run_arm_t *arm);

/* Reads the launches of the plan (all that a sampled run has, if it is its own; NULL: all of the run), unless they
 * have been read. */
RB_CHECKED rb_code_t run_arm_read(run_arm_t *arm, const char *folder, const plan_t *plan,
                                  rb_err_t *err);

/* NULL: it was not simulated, or not read. */
const arm_launch_t *run_arm_find(const run_arm_t *arm, uint64_t id);

#endif
