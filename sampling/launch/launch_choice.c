/* A chosen launch method with its options, and both as text. */
#include <stdlib.h>

#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"

static sampler_options_t options_of(const launch_choice_t *choice)
{
    const launch_method_t *m = choice->method;
    return (sampler_options_t){m->item != NULL ? m->item : m->name, m->options, choice->options,
                               NULL};
}

rb_code_t launch_choice_set(launch_choice_t *choice, const char *option, const char *value,
                            rb_err_t *err)
{
    const sampler_options_t o = options_of(choice);
    return sampler_options_set(&o, option, value, err);
}

rb_code_t launch_choice_make(launch_choice_t *choice, const launch_method_t *method, char *options,
                             rb_err_t *err)
{
    *choice = (launch_choice_t){method, rb_calloc(method->options->spec_size, 1)};
    param_group_defaults(method->options, choice->options);
    param_group_preset(method->options, choice->options, NULL);
    const sampler_options_t o = options_of(choice);
    rb_code_t rc = options != NULL ? sampler_options_read(&o, options, err) : RB_OK;
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
