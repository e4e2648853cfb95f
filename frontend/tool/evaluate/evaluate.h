/* rubato evaluate: its options, and its two methods: with known times, and by simulation. */
#ifndef RUBATO_EVALUATE_EVALUATE_H
#define RUBATO_EVALUATE_EVALUATE_H

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/run/run_setup.h"

enum { EPSILONS_MAX = 32, SEEDS_MAX = 1000000 };

typedef struct {
    setup_options_t setup; /* setup.trace: the profile, run or trace to evaluate */
    const char *against, *trace, *csv;
    const char *folder, *plan_from;
    text_list_t samples; /* arguments of --sample; none, and no plans: all samplers */
    text_list_t plans;   /* arguments of --plan */
    text_list_t warmups; /* none: that of the configuration */
    text_list_t deltas;  /* changes of the GPU; none: only the unchanged GPU */
    uint64_t seed, seeds, jobs;
    unsigned progress;
    bool detectors;                 /* keep the observations of samplers inside launches */
    bool metrics;                   /* print the 13 metrics of each run */
    char epsilon[EPSILONS_MAX][16]; /* arguments of --epsilon; none: the sampler's default */
    size_t n_epsilons;
    char *variant_words, *warmup_words; /* owned; texts to which these lists point */
} evaluate_options_t;

/* Whether --sample asks for all samplers. */
bool evaluate_all(const evaluate_options_t *o);

/* Scores plans against known times of all launches. */
RB_CHECKED rb_code_t evaluate_profile(const evaluate_options_t *o, rb_err_t *err);

/* Simulates the whole trace and sampled versions, and scores these. *failed: some of the runs
 * failed; the others are scored. */
RB_CHECKED rb_code_t evaluate_trace(const evaluate_options_t *o, bool *failed, rb_err_t *err);

#endif
