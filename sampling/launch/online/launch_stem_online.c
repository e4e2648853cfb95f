/* stem_online as a launch sampler: adapts stem_online.h to launch_online.h. */
#include "sampling/launch/launch_online.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/online/stem_online.h"
#include "sim/core/log.h"

static void *create_online(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                           rb_err_t *err)
{
    return stem_online_create(choice->options, pop, seed, err);
}

static void destroy_online(void *state)
{
    stem_online_free(state);
}

static void restart_online(void *state, uint64_t seed)
{
    stem_online_restart(state, seed);
}

static rb_code_t round_online(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err)
{
    (void)err;
    const double before = stem_online_too_dear(state);
    *n = stem_online_round(state, ids);
    const double now = stem_online_too_dear(state);
    if (now > 0 && !(before > 0))
        rb_info(
            "stem_online: sampling saves nothing: it would simulate %.0f %% of the work, and walk "
            "the rest: all launches are simulated",
            100 * now);
    return RB_OK;
}

static void take_result(void *state, uint64_t i, double cycles, double variance)
{
    stem_online_result(state, i, cycles, variance);
}

static const char *note_online(void *state)
{
    return stem_online_note(state);
}

static rb_code_t finish_online(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err)
{
    (void)err;
    stem_online_plan(state, &launch_stem_online, plan);
    *cycles = stem_online_estimate(state);
    return RB_OK;
}

static void report_online(const void *state, const char *name)
{
    const unsigned rounds = stem_online_rounds(state);
    const uint32_t strata = stem_online_strata(state);
    if (!stem_online_met(state))
        rb_warn("%s: the error bound is not met after %u rounds", name, rounds);
    rb_info("%s: %u round%s, %u strat%s", name, rounds, rounds == 1 ? "" : "s", strata,
            strata == 1 ? "um" : "a");
}

static const launch_online_ops_t online_ops = {
    .create = create_online,
    .destroy = destroy_online,
    .restart = restart_online,
    .round = round_online,
    .result = take_result,
    .finish = finish_online,
    .note = note_online,
    .report = report_online,
};

const launch_method_t launch_stem_online = {
    .name = "stem_online",
    .help = "sequential STEM: sample sizes from simulated cycles, needs no profile",
    .options = &stem_online_group,
    .needs = LAUNCH_USES_PREDICTION,
    .online = &online_ops,
};
