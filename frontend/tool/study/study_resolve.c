#include "frontend/tool/study/study_resolve.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/library_client.h"
#include "sim/core/alloc.h"

static void add_setting(study_config_t *out, const char *key, const char *value)
{
    if (strchr(key, '.') != NULL)
        delta_add(&out->sets, "%s=%s", key, value);
}

static void add_said(study_config_t *out, const study_t *s, size_t point)
{
    for (size_t i = 0; i < s->common.n; i++)
        add_setting(out, s->common.item[i].key, s->common.item[i].value);
    for (size_t i = 0; i < s->n_columns; i++) {
        const char *value = study_cell(s, point, i);
        if (value != NULL)
            add_setting(out, s->columns[i], value);
    }
}

/* Adds the settings of one delta, which has been checked; spec: the configuration without it. */
static void add_delta(study_config_t *out, const study_t *s, const char *name)
{
    gpu_spec_t before = out->spec;
    for (const delta_t *d = delta_table; d->name != NULL; d++) {
        if (strcmp(d->name, name) == 0)
            d->change(&before, &out->sets);
    }
    for (size_t i = 0; i < s->n_deltas; i++) {
        const study_set_t *set = &s->deltas[i].set;
        for (size_t k = 0; strcmp(s->deltas[i].name, name) == 0 && k < set->n; k++)
            add_setting(out, set->item[k].key, set->item[k].value);
    }
}

/* Resolves the GPU's configuration with all settings so far. */
static rb_code_t apply(study_config_t *out, const char *gpu, rb_err_t *err)
{
    const char *const *sets = (const char *const *)out->sets.sets;
    rubato_config *config = library_config_open(gpu, sets, out->sets.n, err);
    if (config == NULL)
        return err->code;
    out->spec = *library_config_spec(config);
    conf_hash(library_config_layers(config), out->sha256);
    rubato_config_destroy(config);
    return RB_OK;
}

static rb_code_t resolve(const study_t *s, const char *gpu, size_t point, study_config_t *out,
                         rb_err_t *err)
{
    const char *names = study_word(s, point, "delta");
    add_said(out, s, point);
    RB_TRY(apply(out, gpu, err));
    if (names == NULL)
        return RB_OK;
    RB_TRY(delta_check(s, names, 0, err));
    rb_code_t rc = RB_OK;
    char *copy = rb_strdup(names);
    for (char *name = copy, *next; rc == RB_OK && name != NULL; name = next) {
        next = strchr(name, '+');
        if (next != NULL)
            *next++ = '\0';
        add_delta(out, s, name);
        rc = apply(out, gpu, err); /* the next one is relative to this */
    }
    free(copy);
    return rc;
}

rb_code_t study_resolve(const study_t *s, const char *gpu, size_t point, study_config_t *out,
                        rb_err_t *err)
{
    rb_err_t why = {0};
    *out = (study_config_t){0};
    rb_code_t rc = resolve(s, gpu, point, out, &why);
    if (rc == RB_OK)
        return RB_OK;
    return study_point_fail(s, point, NULL, gpu, &why, err);
}

void study_config_free(study_config_t *c)
{
    delta_sets_free(&c->sets);
}
