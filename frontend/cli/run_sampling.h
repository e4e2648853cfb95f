/*
 * A run that simulates only the launches of a plan: the plan, checked against the trace, and what
 * its samples give for the whole program.
 */
#ifndef RUBATO_CLI_RUN_SAMPLING_H
#define RUBATO_CLI_RUN_SAMPLING_H

#include "frontend/cli/launch_list.h"
#include "frontend/cli/run_record.h"
#include "sampling/launch/estimate.h"
#include "sampling/launch/plan.h"

/* Sums with weights: of every counter that run_totals_t has, before they are rounded. */
typedef struct {
    double blocks, warp_insts, thread_insts, launch_cycles, warp_slot_cycles, copied_bytes, cycles;
    double sm[SM_STAT_COUNT], l2[L2_STAT_COUNT], dram[DRAM_STAT_COUNT];
} weighted_totals_t;

/* A launch that is simulated. */
typedef struct {
    uint64_t id;
    uint64_t sample; /* its index in the plan: every launch has one */
} chosen_t;

typedef struct {
    bool on; /* false: every launch that was asked for is simulated */
    plan_t plan;
    char *sampler;    /* owned: the method's name */
    chosen_t *chosen; /* owned; ascending by id */
    uint64_t n_chosen;
    uint64_t *positions; /* owned: where the source has them, ascending */
    double *cycles;      /* owned: of each sample of the plan; NAN: not simulated yet */
    uint64_t n_done;     /* launches of chosen */
    weighted_totals_t sum;
} run_sampling_t;

/* Where the launches of a run come from; all texts borrowed. */
typedef struct {
    const char *plan;    /* a file; or */
    const char *sample;  /* a sampler, which chooses from */
    const char *profile; /*   this profile; NULL: from what the trace tells */
    uint64_t seed;
} sampling_options_t;

/* Reads or makes the plan that the options ask for, if any, and begins with it. */
RB_CHECKED rb_code_t run_sampling_prepare(run_sampling_t *s, const sampling_options_t *o,
                                          trace_source_t *source, rb_err_t *err);

/*
 * Takes a plan over and checks it against the launches of the trace. RB_TRACE, naming the first
 * launch at fault, if the trace lacks a launch of the plan or has another kernel there. The rest of
 * s is as after zeroing on failure; the plan is freed.
 */
RB_CHECKED rb_code_t run_sampling_begin(run_sampling_t *s, plan_t *plan, const launch_list_t *trace,
                                        rb_err_t *err);

/* Harmless on a zeroed s. */
void run_sampling_free(run_sampling_t *s);

/* The chosen launch of an id; NULL if it is not one. */
const chosen_t *run_sampling_find(const run_sampling_t *s, uint64_t id);

/* A launch was simulated, or is known from an earlier part of the run. */
void run_sampling_add(run_sampling_t *s, const launch_result_t *r);

/*
 * Totals of the whole program, once all samples are there, and the interval of its cycles; false
 * before. The counters are rounded to whole numbers.
 */
bool run_sampling_totals(const run_sampling_t *s, run_totals_t *totals, estimate_t *cycles);

/* Differs between plans that choose or weigh differently. */
uint64_t run_sampling_fingerprint(const run_sampling_t *s);

/*
 * Whether two spellings of a kernel's name, mangled or not, with template arguments and parameters
 * or without, cannot be of one kernel.
 */
bool kernel_names_differ(const char *a, const char *b);

#endif
