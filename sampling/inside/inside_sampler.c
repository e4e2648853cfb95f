#include "sampling/inside/inside_sampler.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/inside/block_insts.h"
#include "sampling/inside/inside_plugin.h"
#include "sampling/inside/inside_table.h"
#include "sampling/launch/sample_syntax.h"
#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"

const inside_method_t *const inside_methods[] = {
    &inside_photon_bb, &inside_photon_warp, &inside_tbpoint_region, &inside_pka_stop,
    &inside_blocks,    &inside_units,       &inside_smarts};
const size_t n_inside_methods = sizeof(inside_methods) / sizeof(inside_methods[0]);

/* The built-in method of an item; NULL if there is none. */
static const inside_method_t *find(const char *item)
{
    const size_t n = strcspn(item, ":");
    for (size_t i = 0; i < n_inside_methods; i++) {
        const char *name = inside_methods[i]->ops->name;
        if (strlen(name) == n && strncmp(name, item, n) == 0)
            return inside_methods[i];
    }
    return NULL;
}

const param_group_t *inside_group(size_t i)
{
    return i < n_inside_methods ? inside_methods[i]->options : NULL;
}

void inside_add_groups(conf_t *c)
{
    for (size_t i = 0; i < n_inside_methods; i++)
        conf_add_group(c, inside_methods[i]->options);
}

bool inside_method_is(const char *name)
{
    return find(name) != NULL;
}

rb_code_t inside_method_open(const inside_method_t **method, const char *item, rb_err_t *err)
{
    if (sample_is_plugin(item))
        return inside_plugin_open(method, item, err);
    *method = find(item);
    return RB_OK;
}

void inside_method_close(const inside_method_t *method)
{
    if (method != NULL && method->close != NULL)
        method->close(method);
}

/* Sets a method's options from the configuration, or to their defaults. */
static void set_options(const inside_list_t *list, const inside_method_t *m, void *out)
{
    const void *set = list->conf == NULL ? NULL : conf_group_values(list->conf, m->options);
    if (set != NULL)
        memcpy(out, set, m->options->spec_size);
    else {
        param_group_defaults(m->options, out);
        param_group_preset(m->options, out, NULL);
    }
}

static void append(inside_list_t *list, const inside_method_t *m, const sampler_options_t *o,
                   void *state)
{
    const size_t n = list->n + 1;
    list->samplers = rb_realloc(list->samplers, n, sizeof(*list->samplers));
    list->methods = rb_realloc(list->methods, n, sizeof(*list->methods));
    list->texts = rb_realloc(list->texts, n, sizeof(*list->texts));
    list->options = rb_realloc(list->options, n, sizeof(*list->options));
    list->samplers[list->n] = (sampler_t){m->ops, state};
    list->methods[list->n] = m;
    list->texts[list->n] = sampler_options_text(o);
    list->options[list->n] = o->values;
    list->n = n;
}

/* Appends the sampler of a method with these options (may be NULL). Takes ownership of the method
 * on success. */
static rb_code_t add(inside_list_t *list, const inside_method_t *m, char *options, uint64_t seed,
                     rb_err_t *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->methods[i]->ops->name, m->ops->name) == 0)
            return rb_fail(err, RB_USAGE, "--sample: %s is named twice", m->ops->name);
    }
    bool *given = list->conf == NULL ? NULL : conf_group_given(list->conf, m->options);
    const sampler_options_t o = {m->item != NULL ? m->item : m->ops->name, m->options,
                                 rb_calloc(1, m->options->spec_size), given};
    set_options(list, m, o.values);
    rb_code_t rc = options == NULL ? RB_OK : sampler_options_read(&o, options, err);
    free(given);
    void *state = rc == RB_OK ? m->create(m, o.values, seed, err) : NULL;
    if (state != NULL)
        append(list, m, &o, state);
    else
        free(o.values);
    return state != NULL ? RB_OK : rc != RB_OK ? rc : err->code;
}

rb_code_t inside_list_take(inside_list_t *list, const char *item, uint64_t seed, bool *added,
                           rb_err_t *err)
{
    const inside_method_t *m;
    const size_t name = sample_name_length(item);
    char *options = item[name] == '\0' ? NULL : rb_strdup(item + name + 1);
    rb_code_t rc = inside_method_open(&m, item, err);
    if (rc == RB_OK && m != NULL)
        rc = add(list, m, options, seed, err);
    *added = rc == RB_OK && m != NULL;
    if (rc != RB_OK)
        inside_method_close(m);
    free(options);
    return rc;
}

rb_code_t inside_list_add(inside_list_t *list, const char *item, uint64_t seed, rb_err_t *err)
{
    bool added;
    RB_TRY(inside_list_take(list, item, seed, &added, err));
    return added ? RB_OK : rb_fail(err, RB_USAGE, "'%.60s' is not a sampler inside launches", item);
}

rb_code_t inside_check_configured(const char *samplers, rb_err_t *err)
{
    if (strstr(samplers, SAMPLE_PLUGIN) == NULL)
        return RB_OK;
    return rb_fail(err, RB_CONFIG,
                   "sampling.samplers: a sampler from outside is a program, which no configuration "
                   "may name: give it with --sample");
}

uint64_t inside_list_digest(const inside_list_t *list, size_t i)
{
    const inside_method_t *m = list->methods[i];
    return m->digest == NULL ? 0 : m->digest(m, list->samplers[i].state);
}

void inside_list_options(const inside_list_t *list, const char *name, void *out)
{
    const inside_method_t *m = find(name);
    set_options(list, m, out);
    for (size_t i = 0; i < list->n; i++) {
        if (list->methods[i] == m)
            memcpy(out, list->options[i], m->options->spec_size);
    }
}

rb_code_t inside_list_check(const inside_list_t *list, const trace_source_t *source, rb_err_t *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->methods[i]->index)
            RB_TRY(block_insts_known(source, err));
    }
    return RB_OK;
}

size_t inside_list_units(const inside_list_t *list)
{
    size_t i = 0;
    while (i < list->n && list->methods[i]->units == NULL)
        i++;
    return i;
}

void inside_list_free(inside_list_t *list)
{
    for (size_t i = 0; i < list->n; i++) {
        list->methods[i]->destroy(list->samplers[i].state);
        inside_method_close(list->methods[i]);
        free(list->texts[i]);
        free(list->options[i]);
    }
    free(list->samplers);
    free(list->methods);
    free(list->texts);
    free(list->options);
    *list = (inside_list_t){0};
}
