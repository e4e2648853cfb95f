#include "tests/support/trace/spec_load.h"

#include "sim/gpu/gpu_conf.h"

rb_code_t spec_load(gpu_spec_t *spec, const char *gpu, const char *const *overrides, rb_err_t *err)
{
    conf_t *c = conf_create();
    rb_code_t rc = conf_load_gpu(c, gpu, err);

    for (; rc == RB_OK && overrides && *overrides; overrides++)
        rc = conf_set(c, *overrides, err);
    if (rc == RB_OK)
        rc = gpu_spec_from_conf(spec, c, err);
    conf_destroy(c);
    return rc;
}
