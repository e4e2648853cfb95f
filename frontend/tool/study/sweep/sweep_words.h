/*
 * The run options of a point (the words sample, plan, seed and launches), and checks whether a run
 * can use them.
 */
#ifndef RUBATO_STUDY_SWEEP_WORDS_H
#define RUBATO_STUDY_SWEEP_WORDS_H

#include "frontend/tool/study/study.h"
#include "sim/core/files/sha256.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    const char *sample, *seed, *launches; /* borrowed; NULL: not set, or "none" */
    const char *profile; /* borrowed; profile from which the sampler chooses launches; NULL: none */
    char *plan;          /* owned; path of the file; NULL: not set, or "none" */
    bool chooses;        /* a sampler or the plan chooses launches, for all points */
    bool units;          /* no launches are chosen, but units inside them are measured */
    bool predicts;       /* the sampler of launches predicts them */
    char *inside;        /* owned; the samplers inside launches alone; NULL: none */
    const char *change_bound; /* borrowed; of points after the first one of a trace */
    uint64_t files;           /* hash of the contents of files that samplers name; 0: none */
} sweep_words_t;

/* RB_USAGE names the mistake. The caller frees w with sweep_words_free(), also after an error. */
RB_CHECKED rb_code_t sweep_words_read(sweep_words_t *w, const study_t *study, size_t trace,
                                      size_t point, uint64_t n_launches, rb_err_t *err);
void sweep_words_free(sweep_words_t *w);

/*
 * SHA-256 of a profile, or of what a sampler takes from the folder of a run. RB_USAGE for another
 * folder, RB_IO.
 */
RB_CHECKED rb_code_t sweep_words_hash_profile(const char *path, char text[SHA256_TEXT],
                                              rb_err_t *err);

/* RB_USAGE unless the launches of such a job can be divided among jobs. */
RB_CHECKED rb_code_t sweep_words_check_split(const sweep_words_t *w, const gpu_spec_t *spec,
                                             rb_err_t *err);

/* Choices of launches already checked on a trace, so that each is checked once. */
typedef struct {
    struct sweep_trial *list; /* owned */
    size_t n, cap;
} sweep_trials_t;

/*
 * Checks whether a run can choose launches in this way. Finds, before anything runs, a sampler
 * whose input is not available, an unreadable profile, and a plan for another program. plan_sha256:
 * of the plan, "" without one; valid until the next call. RB_USAGE, RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t sweep_words_try(const sweep_words_t *w, const gpu_spec_t *spec,
                                     trace_source_t *source, sweep_trials_t *trials,
                                     const char **plan_sha256, rb_err_t *err);
void sweep_trials_free(sweep_trials_t *t);

#endif
