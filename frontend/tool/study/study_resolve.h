/* The configuration of a run at a point of a study on a GPU. */
#ifndef RUBATO_STUDY_STUDY_RESOLVE_H
#define RUBATO_STUDY_STUDY_RESOLVE_H

#include "frontend/tool/study/study.h"
#include "frontend/tool/study/study_delta.h"
#include "sim/gpu/gpu_conf.h"

typedef struct {
    delta_sets_t sets; /* "key=value" in the order in which -s takes them; deltas are expanded */
    gpu_spec_t spec;
    char sha256[SHA256_TEXT]; /* of all values */
} study_config_t;

/*
 * Resolves and checks, in this order: the GPU, the common settings, those of the point in the order
 * of the columns, and its deltas. The message names the GPU and the point. The caller frees out,
 * also after an error.
 */
RB_CHECKED rb_code_t study_resolve(const study_t *s, const char *gpu, size_t point,
                                   study_config_t *out, rb_err_t *err);
void study_config_free(study_config_t *c);

#endif
