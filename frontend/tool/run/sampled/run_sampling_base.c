/* A run that simulates what its change from another run needs, of the launches that the other one chose. */
#include <math.h>
#include <stdlib.h>

#include "frontend/tool/run/run_arm.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_sampling_parts.h"
#include "sampling/launch/change_rounds.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

static const char note[] =
    "launches were chosen for the change from another run only: the total is that run's times the "
    "change; rubato stats diff and sweep have the interval of the change";

typedef struct {
    plan_t plan;      /* of the base */
    double *cycles;   /* of its samples */
    uint64_t *kernel; /* the same */
    double bound;
    bool whole; /* all launches of the base were simulated */
    change_rounds_t *rounds;
} state_t;

static void destroy(void *state)
{
    state_t *s = state;
    change_rounds_free(s->rounds);
    plan_free(&s->plan);
    free(s->cycles);
    free(s->kernel);
    free(s);
}

static rb_code_t next_round(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err)
{
    state_t *s = state;
    (void)err;
    *n = change_rounds_next(s->rounds, ids);
    return RB_OK;
}

static void take_result(void *state, uint64_t i, double cycles, double variance)
{
    state_t *s = state;
    change_rounds_result(s->rounds, i, cycles, variance);
}

static rb_code_t finish(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err)
{
    state_t *s = state;
    (void)err;
    s->whole = change_rounds_is_whole(s->rounds);
    if (s->whole) {
        *plan = s->plan;
        s->plan = (plan_t){0};
        *cycles = (estimate_t){0};
        return RB_OK;
    }
    change_rounds_plan(s->rounds, plan);
    const uint64_t n_samples = s->plan.n_samples;
    plan->base = rb_calloc(1, sizeof(*plan->base));
    *plan->base = s->plan;
    s->plan = (plan_t){0};
    *cycles = (estimate_t){.low = NAN, .high = NAN, .confidence = plan->confidence};
    cycles->method = "none";
    cycles->df = INFINITY;
    for (uint64_t i = 0; i < n_samples; i++) {
        plan_sample_t *of = &plan->base->samples[i];
        of->cycles = s->cycles[i];
        of->kernel = s->kernel[i];
        cycles->value += of->weight * of->cycles;
    }
    cycles->value *= 1 + change_rounds_change(s->rounds).change;
    return RB_OK;
}

static const char *note_of(void *state)
{
    const state_t *s = state;
    return s->whole ? NULL : note;
}

static void report(const void *state, const char *name)
{
    const state_t *s = state;
    const change_t c = change_rounds_change(s->rounds);
    const unsigned rounds = change_rounds_count(s->rounds);
    const double half_width = 50 * (c.high - c.low); /* in % */
    if (half_width > 100 * s->bound)
        rb_warn(
            "%s: the launches that the other run chose show the change to +-%.1f %%: it would have "
            "to choose more (stem_online:pilot=6, random:count=...)",
            name, half_width);
    rb_info("%s: the change of the cycles, %+.2f +-%.2f %%, after %u round%s", name, 100 * c.change,
            half_width, rounds, rounds == 1 ? "" : "s");
}

static const launch_online_ops_t base_ops = {
    .destroy = destroy,
    .round = next_round,
    .result = take_result,
    .finish = finish,
    .note = note_of,
    .report = report,
};

/* Reads the results of the samples of a plan from the run that it gave. */
static rb_code_t read_base(struct part_base *b, const char *folder, const plan_t *plan,
                           double *cycles, rb_err_t *err)
{
    RB_TRY(run_arm_read(&b->arm, folder, plan, err));
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const arm_launch_t *l = run_arm_find(&b->arm, plan->samples[i].launch);
        if (l == NULL || !(l->values[VALUE_CYCLES] > 0))
            return rb_fail(err, RB_TRACE,
                           "%s/launches.csv: has no cycles of launch %llu, which the run chose",
                           folder, (unsigned long long)plan->samples[i].launch);
        cycles[i] = l->values[VALUE_CYCLES];
        for (size_t v = 0; v < STAT_VALUES; v++)
            b->sum[v] += plan->samples[i].weight * l->values[v];
    }
    return RB_OK;
}

/* Turns a run that follows a plan into one that takes a part of it, in rounds. */
static void take_part(run_sampling_t *s, double *cycles, double bound, launch_list_t *trace)
{
    state_t *state = rb_calloc(1, sizeof(*state));
    *state = (state_t){.plan = s->plan, .cycles = cycles, .bound = bound};
    state->kernel = rb_calloc(s->plan.n_samples + 1, sizeof(*state->kernel));
    for (uint64_t i = 0; i < s->plan.n_samples; i++)
        state->kernel[i] = run_arm_find(&s->base->arm, s->plan.samples[i].launch)->name;
    const uint64_t n = state->plan.n_samples;
    state->rounds =
        change_rounds_create(&state->plan, cycles, state->kernel, bound, state->plan.seed);
    s->followed = journal_checksum(1, cycles, n * sizeof(*cycles));
    for (uint64_t i = 0; i < n; i++)
        s->followed = journal_checksum(s->followed, &state->plan.samples[i].launch,
                                       sizeof(state->plan.samples[i].launch));
    s->followed = journal_checksum(s->followed, &bound, sizeof(bound));
    free(s->cycles);
    s->cycles = NULL;
    s->plan = (plan_t){.method = rb_strdup(state->plan.method),
                       .seed = state->plan.seed,
                       .error_bound = NAN,
                       .confidence = NAN};
    s->online = (launch_online_t){.ops = &base_ops, .state = state};
    s->trace = *trace;
    *trace = (launch_list_t){0};
}

rb_code_t run_sampling_from_base(run_sampling_t *s, const char *folder, double bound,
                                 launch_list_t *trace, rb_err_t *err)
{
    plan_t plan;
    rb_err_t why = {0};
    RB_TRY(plan_file_read(&plan, folder, err));
    if (plan.part) {
        plan_free(&plan);
        return rb_fail(err, RB_USAGE,
                       "%s: simulated a part of what another run chose: name that run", folder);
    }
    const bool part = bound > 0 && plan.random;
    if (run_sampling_begin(s, &plan, trace, &why) != RB_OK)
        return rb_fail(err, why.code, "%s: %.600s", folder, why.text);
    if (!part)
        return RB_OK;
    double *cycles = rb_calloc(s->plan.n_samples + 1, sizeof(*cycles));
    s->base = rb_calloc(1, sizeof(*s->base));
    const rb_code_t rc = read_base(s->base, folder, &s->plan, cycles, err);
    if (rc == RB_OK)
        take_part(s, cycles, bound, trace);
    else
        free(cycles);
    return rc;
}
