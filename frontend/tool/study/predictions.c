#include "frontend/tool/study/predictions.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/host_time.h"

static rb_code_t resolve(predictions_t *p, const study_t *study, const char *gpu, rb_err_t *err)
{
    for (size_t i = 0; i < study->n_points; i++) {
        p->label[i] = study_point_text(study, i);
        p->n_points++;
        RB_TRY(study_resolve(study, gpu, i, &p->config[i], err));
    }
    return RB_OK;
}

static rb_code_t predict_all(predictions_t *p, trace_source_t *source, predictor_t *predictor,
                             rb_err_t *err)
{
    size_t cap_at = 0, cap_name = 0, cap_insts = 0;
    for (uint64_t id = 1;; id++) {
        bool there = id <= source->ops->n_launches(source);
        launch_info_t info;
        launch_counts_t counts = {0};
        if (source->ops->has_launch != NULL)
            RB_TRY(source->ops->has_launch(source, id, &there, err));
        if (!there)
            return RB_OK;
        rb_grow(&p->at, &cap_at, (size_t)id * p->n_points, sizeof(*p->at));
        rb_grow(&p->name, &cap_name, (size_t)id, sizeof(*p->name));
        rb_grow(&p->insts, &cap_insts, (size_t)id, sizeof(*p->insts));
        RB_TRY(source->ops->launch_info(source, id, &info, err));
        RB_TRY(predictor_launch(predictor, source, id, &p->at[(id - 1) * p->n_points], err));
        if (source->ops->launch_counts != NULL)
            RB_TRY(source->ops->launch_counts(source, id, &counts, err));
        p->insts[id - 1] = (double)counts.warp_insts;
        p->name[id - 1] = rb_strdup(info.name);
        p->n_launches = id;
    }
}

rb_code_t predictions_make(predictions_t *p, const study_t *study, const char *gpu,
                           trace_source_t *source, unsigned level, rb_err_t *err)
{
    const double begin = clock_cpu_seconds();
    *p = (predictions_t){.config = rb_calloc(study->n_points, sizeof(*p->config)),
                         .label = rb_calloc(study->n_points, sizeof(*p->label))};
    RB_TRY(resolve(p, study, gpu, err));
    const gpu_spec_t **spec = rb_calloc(p->n_points, sizeof(*spec));
    for (size_t i = 0; i < p->n_points; i++)
        spec[i] = &p->config[i].spec;
    predictor_t *predictor = predictor_create(spec, p->n_points, level);
    const rb_code_t rc = predict_all(p, source, predictor, err);
    predictor_destroy(predictor);
    free(spec);
    p->cpu_seconds = clock_cpu_seconds() - begin;
    return rc;
}

void predictions_free(predictions_t *p)
{
    for (size_t i = 0; i < p->n_points; i++) {
        study_config_free(&p->config[i]);
        free(p->label[i]);
    }
    for (uint64_t i = 0; i < p->n_launches; i++)
        free(p->name[i]);
    free(p->config);
    free(p->label);
    free(p->name);
    free(p->insts);
    free(p->at);
    *p = (predictions_t){0};
}

double predictions_total(const predictions_t *p, size_t point)
{
    double sum = 0;
    for (uint64_t i = 0; i < p->n_launches; i++)
        sum += prediction_of(p, i, point)->cycles;
    return sum;
}

predict_bound_t predictions_bound(const predictions_t *p, size_t point, double *share)
{
    double cycles[PREDICT_BOUND_COUNT] = {0}, all = 0;
    predict_bound_t most = 0;
    for (uint64_t i = 0; i < p->n_launches; i++) {
        const predicted_t *x = prediction_of(p, i, point);
        cycles[x->bound] += x->cycles;
        all += x->cycles;
    }
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        most = cycles[b] > cycles[most] ? (predict_bound_t)b : most;
    *share = all > 0 ? cycles[most] / all : 0;
    return most;
}

unsigned predictions_doubts(const predictions_t *p, double *share)
{
    unsigned doubts = 0;
    double doubted = 0, all = 0;
    for (uint64_t i = 0; i < p->n_launches * p->n_points; i++) {
        doubts |= p->at[i].doubts;
        doubted += p->at[i].doubts != 0 ? p->at[i].cycles : 0;
        all += p->at[i].cycles;
    }
    *share = all > 0 ? doubted / all : 0;
    return doubts;
}
