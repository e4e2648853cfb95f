#include "frontend/tool/run/run_setup.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/log.h"
#include "sim/gpu/setting_scope.h"

uint64_t setup_usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > SETUP_THREADS_MAX ? SETUP_THREADS_MAX : (uint64_t)n;
}

rb_code_t setup_resolve(setup_t *s, const setup_options_t *o, rb_err_t *err)
{
    s->config = library_config_open(s->gpu, o->sets.text, o->sets.n, err);
    if (s->config == NULL)
        return err->code;
    s->conf = library_config_layers(s->config);
    s->spec = library_config_spec(s->config);
    conf_hash(s->conf, s->config_sha256);
    return RB_OK;
}

/* Names settings of the command line that cannot act beside the others. */
static void tell_idle(const setup_t *s, const text_list_t *sets)
{
    for (size_t i = 0; i < sets->n; i++) {
        const char *text = sets->text[i], *dot = strchr(text, '.');
        char group[64], name[64];
        const size_t n = dot == NULL ? 0 : (size_t)(dot - text), m = strcspn(text, "= ");
        if (n == 0 || n >= sizeof(group) || m <= n + 1 || m - n > sizeof(name))
            continue;
        snprintf(group, sizeof(group), "%.*s", (int)n, text);
        snprintf(name, sizeof(name), "%.*s", (int)(m - n - 1), dot + 1);
        const setting_scope_t *scope = setting_scope_find(group, name);
        const char *why = scope != NULL ? setting_scope_idle(scope, s->spec) : NULL;
        const char *part = setting_hidden_by(group, name, s->spec);
        if (why != NULL)
            rb_warn("-s %s has no effect here: it acts %s", text, why);
        else if (part != NULL)
            rb_warn("-s %s has no effect here: not with %s = true", text, part);
    }
}

rb_code_t setup_open(setup_t *s, const setup_options_t *o, rb_err_t *err)
{
    *s = (setup_t){0};
    s->trace = o->opened != NULL ? o->opened : library_trace_open(o->trace, o->tmpdir, err);
    if (s->trace == NULL)
        return err->code;
    s->source = library_trace_source(s->trace);
    bool there = true;
    if (s->source->ops->has_launch != NULL)
        RB_TRY(s->source->ops->has_launch(s->source, 1, &there, err));
    s->n_launches = s->source->ops->n_launches(s->source);
    if (!there || s->n_launches == 0)
        return rb_fail(err, RB_TRACE, "%s: has no kernel launches", o->trace);
    RB_TRY(s->source->ops->launch_info(s->source, 1, &s->first, err));
    s->gpu = o->gpu != NULL ? o->gpu : library_default_gpu(o->arch != 0 ? o->arch : s->first.arch);
    s->gpu_is_default = o->gpu == NULL;
    RB_TRY(setup_resolve(s, o, err));
    tell_idle(s, &o->sets);
    return RB_OK;
}

void setup_close(setup_t *s)
{
    rubato_trace_destroy(s->trace);
    rubato_config_destroy(s->config);
    *s = (setup_t){0};
}
