#include "frontend/tool/run/run_setup.h"

#include <sched.h>
#include <stdlib.h>

#include "frontend/tool/run/open_trace.h"
#include "sampling/inside/inside_sampler.h"

const char *setup_tmpdir(const setup_options_t *o)
{
    const char *dir = o->tmpdir != NULL ? o->tmpdir : getenv("TMPDIR");
    return dir != NULL && dir[0] != '\0' ? dir : "/tmp";
}

uint64_t setup_usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > SETUP_THREADS_MAX ? SETUP_THREADS_MAX : (uint64_t)n;
}

/* Newer ones than Turing run on the largest model. */
const char *setup_default_gpu(unsigned arch)
{
    return arch == 75 ? "rtx2060" : "v100";
}

rb_code_t setup_resolve(setup_t *s, const setup_options_t *o, rb_err_t *err)
{
    s->conf = conf_create();
    inside_add_groups(s->conf);
    RB_TRY(conf_load_gpu(s->conf, s->gpu, err));
    for (size_t i = 0; i < o->sets.n; i++)
        RB_TRY(conf_set(s->conf, o->sets.text[i], err));
    RB_TRY(gpu_spec_from_conf(&s->spec, s->conf, err));
    conf_hash(s->conf, s->config_sha256);
    return RB_OK;
}

rb_code_t setup_open(setup_t *s, const setup_options_t *o, rb_err_t *err)
{
    *s = (setup_t){0};
    s->source = o->source != NULL ? o->source : open_trace(o->trace, setup_tmpdir(o), err);
    if (s->source == NULL)
        return err->code;
    bool there = true;
    if (s->source->ops->has_launch != NULL)
        RB_TRY(s->source->ops->has_launch(s->source, 1, &there, err));
    s->n_launches = s->source->ops->n_launches(s->source);
    if (!there || s->n_launches == 0)
        return rb_fail(err, RB_TRACE, "%s: holds no kernel launch", o->trace);
    RB_TRY(s->source->ops->launch_info(s->source, 1, &s->first, err));
    s->gpu = o->gpu != NULL ? o->gpu : setup_default_gpu(o->arch != 0 ? o->arch : s->first.arch);
    s->gpu_is_default = o->gpu == NULL;
    return setup_resolve(s, o, err);
}

void setup_close(setup_t *s)
{
    if (s->source != NULL)
        s->source->ops->destroy(s->source);
    if (s->conf != NULL)
        conf_destroy(s->conf);
    *s = (setup_t){0};
}
