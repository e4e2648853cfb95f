#include "frontend/tool/evaluate/evaluate.h"

#include <math.h>
#include <string.h>

#include "frontend/tool/run/sampled/run_inside.h"
#include "sampling/launch/launch_sampler.h"

bool evaluate_all(const evaluate_options_t *o)
{
    return o->samples.n == 0 ? o->plans.n == 0
                             : o->samples.n == 1 && strcmp(o->samples.text[0], "all") == 0;
}

double evaluate_asked(const param_group_t *group, const void *options)
{
    for (size_t i = 0; i < group->n_params; i++) {
        const param_t *p = &group->params[i];
        if (p->type == PARAM_TYPE_F64 &&
            (strcmp(p->name, "epsilon") == 0 || strcmp(p->name, "bound") == 0))
            return *(const double *)((const char *)options + p->offset);
    }
    return (double)NAN;
}

rb_code_t evaluate_look(const char *set, double *asked, bool *fixed, rb_err_t *err)
{
    run_inside_t parts = {0};
    launch_choice_t choice = {0};
    *asked = (double)NAN;
    *fixed = true;
    rb_code_t rc = run_inside_divide(&parts, set, 1, err);
    if (rc == RB_OK && parts.launch != NULL)
        rc = launch_choice_parse(&choice, parts.launch, err);
    if (choice.method != NULL)
        *asked = evaluate_asked(choice.method->options, choice.options);
    for (size_t i = 0; rc == RB_OK && i < parts.list.n; i++) {
        const inside_method_t *m = parts.list.methods[i];
        if (isnan(*asked))
            *asked = evaluate_asked(m->options, parts.list.options[i]);
        *fixed = *fixed && m->fixed;
    }
    launch_choice_free(&choice);
    run_inside_free(&parts);
    return rc;
}
