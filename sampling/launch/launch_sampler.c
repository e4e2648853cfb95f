#include "sampling/launch/launch_sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_plugin.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/sample_syntax.h"
#include "sampling/plan/plan_build.h"
#include "sampling/plan/plan_check.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

const launch_method_t *const launch_methods[] = {
    &launch_random, &launch_allegro, &launch_stem,          &launch_stem_online, &launch_pka,
    &launch_sieve,  &launch_tbpoint, &launch_photon_kernel, &launch_dominant,    &launch_predict,
};
const size_t n_launch_methods = sizeof(launch_methods) / sizeof(launch_methods[0]);

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
    const launch_method_t *method;
    *options = '\0';
    *choice = (launch_choice_t){0};
    rb_code_t rc = find_method(&method, name, err);
    if (rc == RB_OK)
        rc = launch_choice_make(choice, method, given ? options + 1 : NULL, err);
    free(name);
    return rc;
}

/* The plan of the sampler that this one is to cost as much as; stays empty if there is none. */
static rb_code_t plan_other(plan_t *other, const launch_choice_t *choice, const population_t *pop,
                            uint64_t seed, rb_err_t *err)
{
    const launch_method_t *m = choice->method;
    const char *like = m->like != NULL ? m->like(choice->options) : NULL;
    launch_choice_t like_choice;
    if (like == NULL)
        return RB_OK;
    if (strncmp(like, m->name, strlen(m->name)) == 0)
        return rb_fail(err, RB_USAGE, "%s:like=%s: name another method", m->name, like);
    if (pop->time == NULL)
        return rb_fail(err, RB_USAGE,
                       "%s:like=%s needs durations, which this profile does not have", m->name,
                       like);
    char *text = rb_strdup(like);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == ';' ? ',' : *c;
    rb_code_t rc = launch_choice_parse(&like_choice, text, err);
    free(text);
    RB_TRY(rc);
    rc = launch_plan(&like_choice, pop, seed, other, err);
    launch_choice_free(&like_choice);
    return rc;
}

const char *launch_missing(const launch_method_t *method, const population_t *pop)
{
    if ((method->needs & LAUNCH_NEEDS_TIME) && pop->time == NULL)
        return "durations";
    if ((method->needs & LAUNCH_NEEDS_WARP_INSTS) && pop->counter[POP_WARP_INSTS] == NULL)
        return "counts of warp instructions (an .rbt trace has them)";
    if ((method->needs & LAUNCH_NEEDS_COUNTERS) &&
        (pop->counter[POP_THREAD_INSTS] == NULL || pop->counter[POP_REQUESTS] == NULL))
        return "counts of thread instructions and memory requests (an .rbt trace has them)";
    if ((method->needs & LAUNCH_NEEDS_BBV) && pop->bbv_of == NULL && pop->mix_of == NULL)
        return "basic-block vectors (an .rbt trace has them)";
    if ((method->needs & LAUNCH_NEEDS_GRID) && (pop->grid == NULL || pop->block == NULL))
        return "grid and block sizes";
    return NULL;
}

/* Lists which launch belongs to which cluster. */
static void list_members(plan_t *plan, const plan_build_t *b)
{
    const population_t *pop = b->pop;
    const double *size = pop->time != NULL ? pop->time : pop->counter[POP_WARP_INSTS];
    plan->members = rb_calloc(pop->n, sizeof(*plan->members));
    for (uint64_t i = 0; i < pop->n; i++)
        plan->members[i] = (plan_member_t){.launch = pop->id != NULL ? pop->id[i] : i + 1,
                                           .cluster = b->cluster_of[i],
                                           .size = size != NULL ? size[i] : 1.0};
}

rb_code_t launch_plan(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                      plan_t *plan, rb_err_t *err)
{
    *plan = (plan_t){.profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = NAN};
    if (choice->method->online != NULL)
        return rb_fail(err, RB_USAGE,
                       "%s chooses launches while they are simulated: it cannot plan beforehand",
                       choice->method->name);
    RB_TRY(population_check(pop, err));
    const char *missing = launch_missing(choice->method, pop);
    if (missing != NULL)
        return rb_fail(err, RB_USAGE, "%s needs data that this profile does not have: %s",
                       choice->method->name, missing);

    plan_t other = {0};
    RB_TRY(plan_other(&other, choice, pop, seed, err));
    plan_build_t build = {
        .method = choice->method, .plan = plan, .pop = pop, .seed = seed, .other = &other};
    build.cluster_of = rb_calloc(pop->n, sizeof(*build.cluster_of));
    plan->n_launches = pop->n;
    plan->seed = seed;
    plan->profile_cycles = pop->time != NULL && pop->time_is_cycles;
    rb_code_t rc = choice->method->plan(choice->options, &build, err);
    if (rc == RB_OK) {
        plan->method = launch_choice_text(choice);
        plan_diagnose(&build);
        plan_predict(&build);
        plan_sort_samples(plan);
        list_members(plan, &build);
    } else {
        plan_free(plan);
    }
    plan_free(&other);
    free(build.cluster_of);
    free(build.name_in_plan);
    return rc;
}
