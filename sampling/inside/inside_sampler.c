#include "sampling/inside/inside_sampler.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/inside/block_insts.h"
#include "sampling/inside/inside_table.h"
#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"

const inside_method_t *const inside_methods[] = {&inside_photon_bb,      &inside_photon_warp,
                                                 &inside_tbpoint_region, &inside_pka_stop,
                                                 &inside_blocks,         &inside_units};
const size_t n_inside_methods = sizeof(inside_methods) / sizeof(inside_methods[0]);

/* The method of an item; NULL if there is none. */
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

bool inside_method_is(const char *item)
{
    return find(item) != NULL;
}

/* What the configuration says of a method's options, or their defaults. */
static void set_options(const inside_list_t *list, const inside_method_t *m, void *out)
{
    const void *set = list->conf == NULL ? NULL : conf_group_values(list->conf, m->options);
    if (set != NULL)
        memcpy(out, set, m->options->spec_size);
    else
        param_group_defaults(m->options, out);
}

rb_code_t inside_list_add(inside_list_t *list, const char *item, uint64_t seed, rb_err_t *err)
{
    const inside_method_t *m = find(item);
    if (m == NULL)
        return rb_fail(err, RB_USAGE, "'%.60s' is no sampler inside launches", item);
    for (size_t i = 0; i < list->n; i++) {
        if (list->methods[i] == m)
            return rb_fail(err, RB_USAGE, "--sample: %s is named twice", m->ops->name);
    }
    const char *colon = strchr(item, ':');
    char *text = colon == NULL ? NULL : rb_strdup(colon + 1);
    const sampler_options_t o = {m->ops->name, m->options, rb_calloc(1, m->options->spec_size)};
    set_options(list, m, o.values);
    rb_code_t rc = text == NULL ? RB_OK : sampler_options_read(&o, text, err);
    if (rc == RB_OK) {
        const size_t n = list->n + 1;
        list->samplers = rb_realloc(list->samplers, n, sizeof(*list->samplers));
        list->methods = rb_realloc(list->methods, n, sizeof(*list->methods));
        list->texts = rb_realloc(list->texts, n, sizeof(*list->texts));
        list->options = rb_realloc(list->options, n, sizeof(*list->options));
        list->samplers[list->n] = (sampler_t){m->ops, m->create(o.values, seed)};
        list->methods[list->n] = m;
        list->texts[list->n] = sampler_options_text(&o);
        list->options[list->n] = o.values;
        list->n = n;
    } else {
        free(o.values);
    }
    free(text);
    return rc;
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

void inside_list_free(inside_list_t *list)
{
    for (size_t i = 0; i < list->n; i++) {
        list->methods[i]->destroy(list->samplers[i].state);
        free(list->texts[i]);
        free(list->options[i]);
    }
    free(list->samplers);
    free(list->methods);
    free(list->texts);
    free(list->options);
    *list = (inside_list_t){0};
}
