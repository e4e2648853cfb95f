/* rubato evaluate: its options, and its two methods: with known times, and by simulation. */
#ifndef RUBATO_EVALUATE_EVALUATE_H
#define RUBATO_EVALUATE_EVALUATE_H

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/run/run_setup.h"
#include "sim/conf/param.h"

enum { EPSILONS_MAX = 32, SEEDS_MAX = 1000000 };

typedef struct {
    setup_options_t setup; /* setup.trace: the profile, run or trace to evaluate */
    const char *against, *trace, *csv;
    const char *folder, *plan_from;
    const char
        *change_bound; /* variants after the first one simulate as many of its launches; NULL: they
                               * choose themselves */
    text_list_t samples; /* arguments of --sample; none, and no plans: all samplers */
    text_list_t plans;   /* arguments of --plan */
    text_list_t warmups; /* none: that of the configuration */
    text_list_t deltas;  /* changes of the GPU; none: only the unchanged GPU */
    uint64_t seed, jobs;
    uint64_t seeds;   /* of a profile: plans per sampler; of a trace: simulated runs per set */
    uint64_t replays; /* of a trace: plans per sampler that are replayed on the full run */
    unsigned progress;
    bool detectors;                 /* keep the observations of samplers inside launches */
    bool predict;                   /* score predictions instead of samplers */
    bool metrics;                   /* print the 13 metrics of each run */
    char epsilon[EPSILONS_MAX][16]; /* arguments of --epsilon; none: the sampler's default */
    size_t n_epsilons;
    char *variant_words, *warmup_words; /* owned; texts to which these lists point */
} evaluate_options_t;

/* Whether --sample asks for all samplers. */
bool evaluate_all(const evaluate_options_t *o);

/* The bound on the relative error that the options of a sampler ask for (epsilon, bound); NAN:
 * none. */
double evaluate_asked(const param_group_t *group, const void *options);

/* The same for a set of samplers: of the one that chooses launches, otherwise of the first one inside
 * launches that has a bound. *fixed: no sampler inside launches depends on the seed. RB_USAGE. */
RB_CHECKED rb_code_t evaluate_look(const char *set, double *asked, bool *fixed, rb_err_t *err);

/* Scores plans against known times of all launches. */
RB_CHECKED rb_code_t evaluate_profile(const evaluate_options_t *o, rb_err_t *err);

/* Simulates the whole trace and sampled versions, and scores these. *failed: some of the runs
 * failed; the others are scored. */
RB_CHECKED rb_code_t evaluate_trace(const evaluate_options_t *o, bool *failed, rb_err_t *err);

#endif
