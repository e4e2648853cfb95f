/*
 * A run that simulates only the launches of a plan: checks the plan against the trace, and
 * estimates the whole program from the samples.
 */
#ifndef RUBATO_RUN_RUN_SAMPLING_H
#define RUBATO_RUN_RUN_SAMPLING_H

#include "frontend/tool/library/stat_forms.h"
#include "frontend/tool/run/launch_list.h"
#include "frontend/tool/run/run_record.h"
#include "sampling/estimate/estimate.h"
#include "sampling/launch/launch_online.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/plan/plan.h"

/* A launch to simulate. */
typedef struct {
    uint64_t id;
    uint64_t sample; /* its index in the plan: every chosen launch has one */
} chosen_t;

typedef struct {
    bool on;     /* false: every requested launch is simulated */
    plan_t plan; /* with a sampler that chooses during the run: only its method until it is done */
    char *sampler;    /* owned; its name in results */
    chosen_t *chosen; /* owned; sorted by id */
    uint64_t n_chosen;
    uint64_t *positions;     /* owned; positions in the source, ascending */
    double *cycles;          /* owned; per sample of the plan; NAN: not yet simulated */
    uint64_t n_done;         /* number of simulated launches in chosen */
    double sum[STAT_VALUES]; /* weighted sums of the samples' values */
    struct part_base *base;  /* owned; for a part of another run's choice; NULL: no */
    estimate_t estimate;     /* of the total cycles, if the sampler provided one */
    char *note;             /* owned; what that assumes, or why it has no interval; NULL: nothing */
    bool has_counts;        /* the trace has all launches of the program, and an index */
    launch_counts_t counts; /* sums over the index */
    uint64_t copied_bytes;  /* sum over the host copies, if has_counts */

    /* For a sampler that chooses during the run: there is no plan until it is done. */
    launch_online_t online;     /* state owned; ops NULL: there is a plan */
    launch_choice_t choice;     /* owned */
    uint64_t followed;          /* checksum of the choice of which it takes a part; 0: none */
    launch_list_t trace;        /* owned; the launches from which it chooses */
    struct known_launch *known; /* owned; results in the order of the run */
    size_t n_known, cap_known;
    size_t n_fed;               /* results passed to the sampler so far */
    const uint64_t *round;      /* borrowed; ids of the round */
    uint64_t n_round, at_round; /* ... and how many of them have results */
} run_sampling_t;

/* How the launches of a run are chosen; all texts borrowed. */
typedef struct {
    const char *plan;    /* a plan file; or */
    const char *sample;  /* a sampler, which chooses from */
    const char *profile; /* this profile; NULL: from the information in the trace */
    const char *base;    /* the folder of a sampled run, whose launches show the change from it */
    double change_bound; /* ... to this half-width of its interval, relative; 0: all of them */
    uint64_t seed;
    bool selected;          /* launches were selected otherwise: ignore a plan in the trace */
    const gpu_spec_t *spec; /* the GPU, which bounds how long launches take; NULL: unknown */
} sampling_options_t;

/*
 * Reads or makes the requested plan, if any, and begins with it. Otherwise, a trace that has only
 * the launches of a plan may contain that plan or its weights.
 */
RB_CHECKED rb_code_t run_sampling_prepare(run_sampling_t *s, const sampling_options_t *o,
                                          trace_source_t *source, rb_err_t *err);

/*
 * Checks whether run_sampling_prepare() could succeed, without choosing launches, which may take
 * long. Checks a plan completely, and whether a sampler's input is available.
 */
RB_CHECKED rb_code_t run_sampling_check(const sampling_options_t *o, trace_source_t *source,
                                        rb_err_t *err);

/*
 * Checks whether a trace has the launches of a plan; origin is the plan's name in messages. On
 * RB_TRACE the plan is freed.
 */
RB_CHECKED rb_code_t run_sampling_check_plan(plan_t *plan, const char *origin,
                                             trace_source_t *source, rb_err_t *err);

/*
 * Takes ownership of a plan and checks it against the launches of the trace. RB_TRACE, naming the
 * first wrong launch, if the trace lacks a launch of the plan or has another kernel there. On
 * failure *s is zeroed and the plan is freed.
 */
RB_CHECKED rb_code_t run_sampling_begin(run_sampling_t *s, plan_t *plan, const launch_list_t *trace,
                                        rb_err_t *err);

/*
 * Begins with a sampler that chooses from the launches of the trace during the run. Takes ownership
 * of choice and trace. RB_USAGE, RB_TRACE: it cannot work with them; *s is then zeroed.
 */
RB_CHECKED rb_code_t run_sampling_begin_online(run_sampling_t *s, uint64_t seed,
                                               launch_choice_t *choice, launch_list_t *trace,
                                               rb_err_t *err);

/* Does nothing for a zeroed s. */
void run_sampling_free(run_sampling_t *s);

/* The chosen launch with an id; NULL if it was not chosen. */
const chosen_t *run_sampling_find(const run_sampling_t *s, uint64_t id);

/* Adds the result of a launch that was simulated, or is known from an earlier part of the run. error: of
 * a launch that comes from a journal; NULL: its replicates are those of r. */
void run_sampling_add(run_sampling_t *s, const launch_result_t *r, const launch_error_t *error);

/*
 * For a sampler that chooses during the run: returns the positions in the source of the launches to
 * simulate next, borrowed until the next call; *n is 0 when it is done. The plan then exists, and
 * the results of the run must be added again, with their weights. Results known from an earlier
 * part of the run are not requested again. Errors of the sampler; RB_USAGE if its choice differs
 * from that part.
 */
RB_CHECKED rb_code_t run_sampling_round(run_sampling_t *s, const uint64_t **positions, size_t *n,
                                        rb_err_t *err);

/* Whether the sampler chooses during the run and is not done. */
bool run_sampling_is_online(const run_sampling_t *s);

/* Whether all samples of the plan are simulated, so that totals of the whole program are known. */
bool run_sampling_is_done(const run_sampling_t *s);

/* Differs between plans that choose or weight differently. */
uint64_t run_sampling_fingerprint(const run_sampling_t *s);

#endif
