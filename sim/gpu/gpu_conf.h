/* Makes the spec of a GPU from a configuration. */
#ifndef RUBATO_GPU_GPU_CONF_H
#define RUBATO_GPU_GPU_CONF_H

#include "sim/conf/conf.h"
#include "sim/gpu/gpu_params.h"

/*
 * Fills spec from the layers of c (an empty c gives the defaults of the tables) and checks it with
 * gpu_spec_check(). spec must live as long as c is written or hashed.
 */
RB_CHECKED rb_code_t gpu_spec_from_conf(gpu_spec_t *spec, conf_t *c, rb_err_t *err);

/* The same without the check, so values may still be inconsistent. */
RB_CHECKED rb_code_t gpu_spec_apply(gpu_spec_t *spec, conf_t *c, rb_err_t *err);

#endif
