/* What an evaluation reports about: runs, and sets of samplers with all their runs. */
#ifndef RUBATO_EVALUATE_EVALUATED_RUN_H
#define RUBATO_EVALUATE_EVALUATED_RUN_H

#include "frontend/tool/evaluate/score/evaluation.h"
#include "frontend/tool/evaluate/score/set_score.h"

/* A scored run. Everything is borrowed. */
typedef struct {
    const char *sample;           /* set of samplers; NULL: all launches were simulated */
    const char *variant, *warmup; /* NULL: the unchanged GPU; the configuration's mode */
    const char *seed;             /* NULL: none was given */
    const char *folder;           /* folder of the run */
    const char *failure;          /* why there is no result; NULL: there is one */
    const gpu_spec_t *spec;
    const run_result_t *full, *sampled;
    const sampled_score_t *score;
    const summary_t *picked; /* score of the launch samplers over several seeds; NULL: none */
    const printed_intervals_t *intervals;
    bool stops; /* print where its launches were stopped */
} evaluated_run_t;

/* A set of samplers, with its runs. Texts are borrowed. */
typedef struct {
    const char *sample; /* NULL: all launches were simulated */
    const char *variant, *warmup;
    bool reference;   /* the full run itself, against which all are scored */
    double asked;     /* the bound on the relative error that was asked for; NAN: none */
    summary_t picked; /* if has_picked: of plans that were replayed on the full run */
    bool has_picked;
    set_score_t score; /* owned */
} evaluated_set_t;

/* The label of a run or set: its samplers, and its warm-up if that varies. */
static inline void evaluated_label(const char *sample, const char *warmup, char *text, size_t n)
{
    snprintf(text, n, "%s%s%s", sample != NULL ? sample : "all launches",
             warmup != NULL ? ", " : "", warmup != NULL ? warmup : "");
}

#endif
