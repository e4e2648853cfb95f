/* Launch methods with their options, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_plugin.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

const launch_method_t *launch_method_find(const char *name)
{
    for (size_t i = 0; i < n_launch_methods; i++) {
        if (strcmp(launch_methods[i]->name, name) == 0)
            return launch_methods[i];
    }
    return NULL;
}

static rb_code_t unknown_method(const char *name, rb_err_t *err)
{
    suggest_t near;
    char list[512] = "";
    size_t used = 0;
    suggest_begin(&near, name);
    for (size_t i = 0; i < n_launch_methods && used < sizeof(list); i++) {
        suggest_offer(&near, launch_methods[i]->name);
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : " ",
                                 launch_methods[i]->name);
    }
    if (near.best != NULL)
        return rb_fail(err, RB_USAGE, "unknown launch sampler '%.60s'; did you mean '%s'?", name,
                       near.best);
    return rb_fail(err, RB_USAGE,
                   "unknown launch sampler '%.60s'; known: %s; 'rubato plan --sample help' "
                   "also lists samplers inside launches",
                   name, list);
}

static sampler_options_t options_of(const launch_choice_t *choice)
{
    const launch_method_t *m = choice->method;
    return (sampler_options_t){m->item != NULL ? m->item : m->name, m->options, choice->options};
}

rb_code_t launch_choice_set(launch_choice_t *choice, const char *option, const char *value,
                            rb_err_t *err)
{
    const sampler_options_t o = options_of(choice);
    return sampler_options_set(&o, option, value, err);
}

static rb_code_t find_method(const launch_method_t **method, const char *name, rb_err_t *err)
{
    if (sample_is_plugin(name))
        return launch_plugin_open(method, name, err);
    *method = launch_method_find(name);
    return *method == NULL ? unknown_method(name, err) : RB_OK;
}

rb_code_t launch_choice_parse(launch_choice_t *choice, const char *text, rb_err_t *err)
{
    char *name = rb_strdup(text), *options = name + sample_name_length(text);
    const bool given = *options != '\0';
    *options = '\0';
    *choice = (launch_choice_t){0};
    rb_code_t rc = find_method(&choice->method, name, err);
    if (rc == RB_OK) {
        choice->options = rb_calloc(choice->method->options->spec_size, 1);
        param_group_defaults(choice->method->options, choice->options);
        const sampler_options_t o = options_of(choice);
        rc = given ? sampler_options_read(&o, options + 1, err) : RB_OK;
    }
    free(name);
    if (rc != RB_OK)
        launch_choice_free(choice);
    return rc;
}

char *launch_choice_text(const launch_choice_t *choice)
{
    const sampler_options_t o = options_of(choice);
    return sampler_options_text(&o);
}

void launch_choice_free(launch_choice_t *choice)
{
    free(choice->options);
    if (choice->method != NULL && choice->method->close != NULL)
        choice->method->close(choice->method);
    *choice = (launch_choice_t){0};
}
