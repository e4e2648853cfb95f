/*
 * Artificial results of launches, for tests of what is computed from samples of them: counters that
 * depend on each other as those of a real program, and jackknife replicates.
 */
#ifndef RUBATO_TESTS_LAUNCH_LAB_H
#define RUBATO_TESTS_LAUNCH_LAB_H

#include "frontend/tool/run/results/run_report.h"

/* A program: strata of launches, one after the other. */
typedef struct {
    uint64_t n, strata;
    /* Coefficients of variation within a stratum: of instructions; of what the counters do beside
     * going along with them. */
    double of_insts, of_rest;
    double slow; /* share of the launches that take five times as long, in hits and cycles */
} lab_program_t;

enum { LAB_GROUPS = 16 };

/* The launches of a program; seed: its random numbers. The caller frees the array. */
launch_result_t *lab_launches(const lab_program_t *p, const gpu_spec_t *spec, uint64_t seed);

/* What an index would know about them. */
launch_counts_t lab_counts(const launch_result_t *launches, uint64_t n);

/*
 * An estimate of a launch from LAB_GROUPS groups, each off by a relative error; the errors of its
 * counters are correlated. Its index is known: instructions, blocks and sums of sectors are exact.
 * list: room for the replicates, borrowed by the result.
 */
launch_result_t lab_estimated(const launch_result_t *r, double error, uint64_t seed,
                              uint64_t stream, launch_estimate_t list[LAB_GROUPS]);

/* A random plan: `each` launches of every stratum (all, if it has fewer). */
plan_t lab_stratified(const lab_program_t *p, uint64_t each, uint64_t seed);

/* A run that follows a plan, or of all launches. Its members are borrowed from each other. */
typedef struct {
    run_sampling_t sampling;
    journal_t *journal; /* owned */
    run_report_t report;
    uint64_t end; /* of the last launch */
} lab_run_t;

/* Begins a run; plan NULL: all launches. Takes ownership of the plan. known NULL: there is no
 * index. path NULL: an unnamed journal. */
void lab_run_begin(lab_run_t *run, const gpu_spec_t *spec, const plan_t *plan,
                   const launch_counts_t *known, const char *path);

/* Adds the result of a launch. */
void lab_run_add(lab_run_t *run, const launch_result_t *r);

/* Sets totals and intervals. */
void lab_run_end(lab_run_t *run);
void lab_run_free(lab_run_t *run);

#endif
