#include "sampling/launch/launch_sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/launch/launch_table.h"
#include "sampling/launch/plan_build.h"
#include "sampling/launch/plan_check.h"
#include "sim/core/alloc.h"

const launch_method_t *const launch_methods[] = {
    &launch_random, &launch_allegro, &launch_stem,          &launch_stem_online, &launch_pka,
    &launch_sieve,  &launch_tbpoint, &launch_photon_kernel, &launch_dominant,
};
const size_t n_launch_methods = sizeof(launch_methods) / sizeof(launch_methods[0]);

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

    plan_build_t build = {.method = choice->method, .plan = plan, .pop = pop, .seed = seed};
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
    } else {
        plan_free(plan);
    }
    free(build.cluster_of);
    free(build.name_in_plan);
    return rc;
}
