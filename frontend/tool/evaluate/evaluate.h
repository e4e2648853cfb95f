/* rubato evaluate: its options, and its two ways: from known times, and by simulating. */
#ifndef RUBATO_EVALUATE_EVALUATE_H
#define RUBATO_EVALUATE_EVALUATE_H

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/run/run_setup.h"

enum { EPSILONS_MAX = 32, SEEDS_MAX = 1000000 };

typedef struct {
    setup_options_t setup; /* setup.trace: what is evaluated, a profile, a run or a trace */
    const char *against, *trace, *csv;
    const char *folder, *plan_from;
    text_list_t samples; /* of each --sample; none, and no plans: all */
    text_list_t plans;   /* files of each --plan */
    text_list_t warmups; /* none: that of the configuration */
    text_list_t deltas;  /* changes of the GPU; none: only the GPU as it is */
    uint64_t seed, seeds, jobs;
    unsigned progress;
    bool detectors;                 /* keep what samplers inside launches looked at */
    bool metrics;                   /* print the 13 metrics of each run */
    char epsilon[EPSILONS_MAX][16]; /* texts of --epsilon; none: that of the sampler */
    size_t n_epsilons;
    char *variant_words, *warmup_words; /* owned: what these lists point into */
} evaluate_options_t;

/* Whether --sample asks for all samplers. */
bool evaluate_all(const evaluate_options_t *o);

/* Scores plans against times of all launches that are known beforehand. */
RB_CHECKED rb_code_t evaluate_profile(const evaluate_options_t *o, rb_err_t *err);

/* Simulates the trace as a whole and sampled, and scores the one against the other. *failed: some
 * of the runs did not succeed; the others are scored. */
RB_CHECKED rb_code_t evaluate_trace(const evaluate_options_t *o, bool *failed, rb_err_t *err);

#endif
