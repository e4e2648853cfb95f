#include "frontend/tool/run/sampled/run_sampling_parts.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* A launch that was simulated. */
struct known_launch {
    uint64_t id;
    double cycles, variance;
};

rb_code_t run_sampling_begin_online(run_sampling_t *s, uint64_t seed, launch_choice_t *choice,
                                    launch_list_t *trace, rb_err_t *err)
{
    *s = (run_sampling_t){.on = true, .choice = *choice, .trace = *trace};
    *choice = (launch_choice_t){0};
    *trace = (launch_list_t){0};
    s->plan = (plan_t){.method = launch_choice_text(&s->choice),
                       .seed = seed,
                       .error_bound = NAN,
                       .confidence = NAN};
    s->sampler = rb_strdup(s->choice.method->name);
    const launch_online_ops_t *ops = s->choice.method->online;
    s->online.state = ops->create(&s->choice, &s->trace.pop, seed, err);
    if (s->online.state != NULL) {
        s->online.ops = ops;
        return RB_OK;
    }
    rb_code_t rc = err->code;
    run_sampling_free(s);
    return rc;
}

/* Variance of a launch's cycles, from what was left out inside it; NAN: unknown. It is taken from what
 * the journal keeps, so that a resumed run decides alike. */
static double cycles_variance(const launch_result_t *r, const launch_error_t *error)
{
    const linear_term_t cycles = {.value = 0, .coefficient = 1.0};
    launch_error_t own;
    size_t n;
    if (!r->sampling.estimated)
        return 0.0;
    if (error != NULL)
        return launch_error_variance(error, &cycles, 1);
    uint8_t *bytes = launch_error_write(&r->replicates, &n);
    double variance =
        launch_error_read(&own, bytes, n) ? launch_error_variance(&own, &cycles, 1) : (double)NAN;
    free(bytes);
    return variance;
}

void run_sampling_know(run_sampling_t *s, const launch_result_t *r, const launch_error_t *error)
{
    rb_grow(&s->known, &s->cap_known, s->n_known + 1, sizeof(*s->known));
    s->known[s->n_known++] = (struct known_launch){r->info.id, (double)launch_result_cycles(r),
                                                   cycles_variance(r, error)};
}

/* Ends the rounds when the sampler has seen enough: from now on the run follows a plan. */
static rb_code_t settle(run_sampling_t *s, rb_err_t *err)
{
    launch_online_t *o = &s->online;
    plan_t plan = {0};
    o->ops->report(o->state, s->sampler);
    RB_TRY(o->ops->finish(o->state, &plan, &s->estimate, err));
    const char *note = o->ops->note != NULL ? o->ops->note(o->state) : NULL;
    s->note = note != NULL ? rb_strdup(note) : NULL;
    o->ops->destroy(o->state);
    *o = (launch_online_t){0};
    plan_free(&s->plan);
    s->plan = plan;
    run_sampling_await(s);
    return RB_OK;
}

/* Passes the known results of its round to the sampler. */
static rb_code_t feed(run_sampling_t *s, rb_err_t *err)
{
    for (; s->at_round < s->n_round && s->n_fed < s->n_known; s->at_round++, s->n_fed++) {
        const struct known_launch *k = &s->known[s->n_fed];
        if (k->id != s->round[s->at_round])
            return rb_fail(err, RB_USAGE,
                           "%s: launch %llu was simulated where it now chooses launch %llu: its "
                           "choice does not follow from the seed and the results alone",
                           s->sampler, (unsigned long long)k->id,
                           (unsigned long long)s->round[s->at_round]);
        s->online.ops->result(s->online.state, s->at_round, k->cycles, k->variance);
    }
    return RB_OK;
}

rb_code_t run_sampling_round(run_sampling_t *s, const uint64_t **positions, size_t *n,
                             rb_err_t *err)
{
    *n = 0;
    if (!run_sampling_is_online(s))
        return RB_OK;
    RB_TRY(feed(s, err));
    while (s->at_round == s->n_round) {
        RB_TRY(s->online.ops->round(s->online.state, &s->round, &s->n_round, err));
        s->at_round = 0;
        if (s->n_round == 0)
            return settle(s, err);
        RB_TRY(feed(s, err));
    }
    *n = s->n_round - s->at_round;
    s->positions = rb_realloc(s->positions, *n, sizeof(*s->positions));
    for (size_t i = 0; i < *n; i++)
        s->positions[i] = launch_list_row(&s->trace, s->round[s->at_round + i]) + 1;
    *positions = s->positions;
    return RB_OK;
}
