/* Predictions of a trace at the points of a study (sampling/predict/predict.h). */
#ifndef RUBATO_STUDY_PREDICTIONS_H
#define RUBATO_STUDY_PREDICTIONS_H

#include "frontend/tool/study/study.h"
#include "frontend/tool/study/study_resolve.h"
#include "sampling/predict/predict.h"

typedef struct {
    size_t n_points;
    uint64_t n_launches;
    study_config_t *config; /* owned; by point */
    char **label;           /* owned, like its elements; by point */
    predicted_t *at;        /* owned; launch by launch, in each by point */
    char **name;            /* owned, like its elements; kernel of each launch */
    double *insts;          /* owned; warp instructions of each launch */
    double cpu_seconds;     /* processor time that it took */
} predictions_t;

/* Resolves the points of a finished study on a GPU and predicts every launch of the source. Errors of
 * both. The caller frees *p, also after an error. */
RB_CHECKED rb_code_t predictions_make(predictions_t *p, const study_t *study, const char *gpu,
                                      trace_source_t *source, unsigned level, rb_err_t *err);
void predictions_free(predictions_t *p);

static inline const predicted_t *prediction_of(const predictions_t *p, uint64_t launch,
                                               size_t point)
{
    return &p->at[launch * p->n_points + point];
}

/* Sum over the launches. */
double predictions_total(const predictions_t *p, size_t point);

/* The bound that has the most cycles in a point's launches, and its share of them. */
predict_bound_t predictions_bound(const predictions_t *p, size_t point, double *share);

/* Doubts of any launch, and the share of the cycles of launches that have some. */
unsigned predictions_doubts(const predictions_t *p, double *share);

#endif
