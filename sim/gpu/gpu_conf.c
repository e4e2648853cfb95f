#include "sim/gpu/gpu_conf.h"

#include <string.h>

#include "sim/gpu/gpu.h"

enum { GROUPS_MAX = 32 };

/* Adds the origin of a value to a message of gpu_spec_check(), which begins with the setting. */
static void add_origin(conf_t *c, rb_err_t *err)
{
    char key[64], text[sizeof(err->text)];
    size_t n = strcspn(err->text, " :");
    snprintf(key, sizeof(key), "%.*s", n < sizeof(key) ? (int)n : 0, err->text);
    const char *origin = conf_origin(c, key);
    if (!origin || !strcmp(origin, "default"))
        return;
    snprintf(text, sizeof(text), "%.200s: %.800s", origin, err->text);
    memcpy(err->text, text, sizeof(text));
}

rb_code_t gpu_spec_apply(gpu_spec_t *spec, conf_t *c, rb_err_t *err)
{
    conf_group_t groups[GROUPS_MAX];
    size_t n = 0;
    for (const gpu_group_t *g = gpu_groups; g->group; g++) {
        RB_INVARIANT(n < GROUPS_MAX, "more than %d parameter groups", GROUPS_MAX);
        groups[n++] = (conf_group_t){g->group, (char *)spec + g->offset};
    }
    memset(spec, 0, sizeof(*spec));
    RB_TRY(conf_apply(c, groups, n, err));
    spec->mem.core_mhz = spec->gpu.clock_mhz;
    return RB_OK;
}

rb_code_t gpu_spec_from_conf(gpu_spec_t *spec, conf_t *c, rb_err_t *err)
{
    RB_TRY(gpu_spec_apply(spec, c, err));
    rb_code_t code = gpu_spec_check(spec, err);
    if (code != RB_OK && err)
        add_origin(c, err);
    return code;
}
