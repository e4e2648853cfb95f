/*
 * What a point of a study says about the run itself, with the words sample, plan, seed and
 * launches, and whether a run can do it.
 */
#ifndef RUBATO_STUDY_SWEEP_WORDS_H
#define RUBATO_STUDY_SWEEP_WORDS_H

#include "frontend/tool/study/study.h"
#include "sim/core/sha256.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/trace_source.h"

typedef struct {
    const char *sample, *seed, *launches; /* borrowed; NULL: not said, or "none" */
    const char *profile; /* borrowed: what the sampler chooses launches from; NULL: no profile */
    char *plan;          /* owned: path of the file; NULL: not said, or "none" */
} sweep_words_t;

/* RB_USAGE names the mistake. Free with sweep_words_free(), also after a failure. */
RB_CHECKED rb_code_t sweep_words_read(sweep_words_t *w, const study_t *study, size_t trace,
                                      size_t point, uint64_t n_launches, rb_err_t *err);
void sweep_words_free(sweep_words_t *w);

/* RB_USAGE unless the launches of such a job can be shared out among jobs. */
RB_CHECKED rb_code_t sweep_words_check_split(const sweep_words_t *w, const gpu_spec_t *spec,
                                             rb_err_t *err);

/* Ways to choose launches that were checked on a trace: each is checked once. */
typedef struct {
    struct sweep_trial *list; /* owned */
    size_t n, cap;
} sweep_trials_t;

/*
 * Whether a run can choose launches so: a sampler that needs what nothing tells, a profile that
 * cannot be read and a plan for another program are found before anything runs. plan_sha256: of the
 * plan's file, "" without; valid until the next call. RB_USAGE, RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t sweep_words_try(const sweep_words_t *w, const gpu_spec_t *spec,
                                     trace_source_t *source, sweep_trials_t *trials,
                                     const char **plan_sha256, rb_err_t *err);
void sweep_trials_free(sweep_trials_t *t);

#endif
