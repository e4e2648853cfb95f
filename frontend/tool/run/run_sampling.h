/*
 * A run that simulates only the launches of a plan: the plan, checked against the trace, and what
 * its samples give for the whole program.
 */
#ifndef RUBATO_RUN_RUN_SAMPLING_H
#define RUBATO_RUN_RUN_SAMPLING_H

#include "frontend/tool/run/launch_list.h"
#include "frontend/tool/run/run_record.h"
#include "sampling/launch/estimate.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/plan.h"
#include "sampling/launch/stem_online.h"

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
    bool on;     /* false: every launch that was asked for is simulated */
    plan_t plan; /* of a sampler that chooses as the run goes: its method only, until it is done */
    char *sampler;    /* owned: the method's name */
    chosen_t *chosen; /* owned; ascending by id */
    uint64_t n_chosen;
    uint64_t *positions; /* owned: where the source has them, ascending */
    double *cycles;      /* owned: of each sample of the plan; NAN: not simulated yet */
    uint64_t n_done;     /* launches of chosen */
    weighted_totals_t sum;
    estimate_t estimate;    /* of the total cycles; if the sampler gave it */
    bool has_counts;        /* the trace has all launches of the program, and an index of them */
    launch_counts_t counts; /* sums of it */

    /* A sampler that chooses as the run goes: there is no plan until it is done. */
    stem_online_t *online;      /* owned */
    launch_choice_t choice;     /* owned */
    launch_list_t trace;        /* owned: what it chooses from */
    struct known_launch *known; /* owned: results, in the order of the run */
    size_t n_known, cap_known;
    size_t n_fed;               /* of them, given to the sampler */
    const uint64_t *round;      /* borrowed: ids of the round */
    uint64_t n_round, at_round; /* and how many of them it has the results of */
} run_sampling_t;

/* Where the launches of a run come from; all texts borrowed. */
typedef struct {
    const char *plan;    /* a file; or */
    const char *sample;  /* a sampler, which chooses from */
    const char *profile; /*   this profile; NULL: from what the trace tells */
    uint64_t seed;
    bool selected; /* the launches were named otherwise: a plan that the trace holds is not used */
} sampling_options_t;

/*
 * Reads or makes the plan that the options ask for, if any, and begins with it. Without, a trace
 * that holds only the launches of a plan may have it, or their weights, with it.
 */
RB_CHECKED rb_code_t run_sampling_prepare(run_sampling_t *s, const sampling_options_t *o,
                                          trace_source_t *source, rb_err_t *err);

/*
 * Whether run_sampling_prepare() can do what is asked for, without choosing, which may take long.
 * Of a plan all is checked, of a sampler whether it finds what it needs.
 */
RB_CHECKED rb_code_t run_sampling_check(const sampling_options_t *o, trace_source_t *source,
                                        rb_err_t *err);

/*
 * Whether a trace holds the launches that a plan means; origin names the plan in messages.
 * RB_TRACE; the plan is freed then.
 */
RB_CHECKED rb_code_t run_sampling_check_plan(plan_t *plan, const char *origin,
                                             trace_source_t *source, rb_err_t *err);

/*
 * Takes a plan over and checks it against the launches of the trace. RB_TRACE, naming the first
 * launch at fault, if the trace lacks a launch of the plan or has another kernel there. The rest of
 * s is as after zeroing on failure; the plan is freed.
 */
RB_CHECKED rb_code_t run_sampling_begin(run_sampling_t *s, plan_t *plan, const launch_list_t *trace,
                                        rb_err_t *err);

/*
 * Begins with a sampler that chooses as the run goes, from the launches of the trace. Takes choice
 * and trace over. RB_USAGE, RB_TRACE: it cannot work with them; s is then as after zeroing.
 */
RB_CHECKED rb_code_t run_sampling_begin_online(run_sampling_t *s, uint64_t seed,
                                               launch_choice_t *choice, launch_list_t *trace,
                                               rb_err_t *err);

/* Harmless on a zeroed s. */
void run_sampling_free(run_sampling_t *s);

/* The chosen launch of an id; NULL if it is not one. */
const chosen_t *run_sampling_find(const run_sampling_t *s, uint64_t id);

/* A launch was simulated, or is known from an earlier part of the run. */
void run_sampling_add(run_sampling_t *s, const launch_result_t *r);

/*
 * For a sampler that chooses as the run goes: where the source has the launches to simulate next,
 * borrowed until the next call; *n is 0 when it is done. Then the plan is there, and the results of
 * the run are to be added once more, for what they weigh. Results that are known from an earlier
 * part of the run are not asked for again.
 */
void run_sampling_round(run_sampling_t *s, const uint64_t **positions, size_t *n);

/*
 * Totals of the whole program, once all samples are there, and the interval of its cycles; false
 * before. The counters are rounded to whole numbers.
 */
bool run_sampling_totals(const run_sampling_t *s, run_totals_t *totals, estimate_t *cycles);

/* Differs between plans that choose or weigh differently. */
uint64_t run_sampling_fingerprint(const run_sampling_t *s);

#endif
