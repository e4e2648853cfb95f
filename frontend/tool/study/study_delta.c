#include "frontend/tool/study/study_delta.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

void delta_add(delta_sets_t *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = rb_vformat(fmt, args);
    va_end(args);
    rb_grow(&out->sets, &out->cap, out->n + 1, sizeof(*out->sets));
    out->sets[out->n++] = text;
}

void delta_sets_free(delta_sets_t *d)
{
    for (size_t i = 0; i < d->n; i++)
        free(d->sets[i]);
    free(d->sets);
    *d = (delta_sets_t){0};
}

static void none(const gpu_spec_t *spec, delta_sets_t *out)
{
    (void)spec;
    (void)out;
}

static void l1off(const gpu_spec_t *spec, delta_sets_t *out)
{
    (void)spec;
    delta_add(out, "l1.enabled=false");
}

/* If a number cannot be halved exactly, the checks of the configuration report it. */
static void cache_x2(const gpu_spec_t *spec, delta_sets_t *out)
{
    delta_add(out, "l1.scale=%.17g", spec->sm.l1.scale * 2);
    delta_add(out, "l2.size=%llu", (unsigned long long)spec->mem.l2.size * 2);
    delta_add(out, "l2.slices=%u", spec->mem.l2.slices * 2);
}

static void cache_half(const gpu_spec_t *spec, delta_sets_t *out)
{
    delta_add(out, "l1.scale=%.17g", spec->sm.l1.scale / 2);
    delta_add(out, "l1.sets=%u", spec->sm.l1.sets / 2);
    delta_add(out, "l2.size=%llu", (unsigned long long)spec->mem.l2.size / 2);
}

static void sm_x2(const gpu_spec_t *spec, delta_sets_t *out)
{
    delta_add(out, "sm.count=%u", spec->sm.sm.count * 2);
}

static void sm_half(const gpu_spec_t *spec, delta_sets_t *out)
{
    delta_add(out, "sm.count=%u", spec->sm.sm.count / 2);
}

const delta_t delta_table[] = {
    {"none", "the configuration as it is", none},
    {"l1off", "global loads go to the L2", l1off},
    {"stem_cache_x2", "L1 and L2 twice as large: ways of the L1, slices of the L2", cache_x2},
    {"stem_cache_half", "L1 and L2 half as large: sets of both", cache_half},
    {"stem_sm_x2", "twice the SMs", sm_x2},
    {"stem_sm_half", "half the SMs", sm_half},
    {NULL, NULL, NULL},
};

static bool known(const study_t *s, const char *name)
{
    for (const delta_t *d = delta_table; d->name != NULL; d++) {
        if (strcmp(d->name, name) == 0)
            return true;
    }
    for (size_t i = 0; i < s->n_deltas; i++) {
        if (strcmp(s->deltas[i].name, name) == 0)
            return true;
    }
    return false;
}

static rb_code_t unknown(const study_t *s, const char *name, int line, rb_err_t *err)
{
    suggest_t like;
    suggest_begin(&like, name);
    for (const delta_t *d = delta_table; d->name != NULL; d++)
        suggest_offer(&like, d->name);
    for (size_t i = 0; i < s->n_deltas; i++)
        suggest_offer(&like, s->deltas[i].name);
    if (like.best != NULL)
        return study_fail(s, line, err, "unknown delta '%.100s'; did you mean '%s'?", name,
                          like.best);
    return study_fail(
        s, line, err,
        "unknown delta '%.100s': the deltas are none, l1off, stem_cache_x2, "
        "stem_cache_half, stem_sm_x2, stem_sm_half, and those of the study's 'deltas'",
        name);
}

rb_code_t delta_check(const study_t *s, const char *names, int line, rb_err_t *err)
{
    rb_code_t rc = RB_OK;
    char *copy = rb_strdup(names);
    for (char *name = copy, *next; rc == RB_OK && name != NULL; name = next) {
        next = strchr(name, '+');
        if (next != NULL)
            *next++ = '\0';
        if (!known(s, name))
            rc = unknown(s, name, line, err);
    }
    free(copy);
    return rc;
}
