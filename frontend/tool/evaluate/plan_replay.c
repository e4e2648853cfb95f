#include "frontend/tool/evaluate/plan_replay.h"

#include <stdlib.h>

#include "frontend/tool/evaluate/evaluate.h"
#include "frontend/tool/run/progress_line.h"
#include "sampling/launch/launch_online.h"
#include "sim/core/alloc.h"

/* Replays a sampler that chooses during the run: all results are known. */
static rb_code_t replay_online(const replay_t *r, const launch_online_t *s, uint64_t seed,
                               plan_t *plan, estimate_t *cycles, rb_err_t *err)
{
    const uint64_t *ids;
    uint64_t n;
    s->ops->restart(s->state, seed);
    do {
        RB_TRY(s->ops->round(s->state, &ids, &n, err));
        for (uint64_t i = 0; i < n; i++)
            s->ops->result(s->state, i, r->truth->pop.time[launch_list_row(r->truth, ids[i])], 0.0);
    } while (n > 0);
    RB_TRY(s->ops->finish(s->state, plan, cycles, err));
    plan->error_bound = (cycles->high - cycles->low) / 2.0 / cycles->value;
    return RB_OK;
}

/* online: the sampler, if it chooses during the run. */
static rb_code_t score_seed(const replay_t *r, const launch_choice_t *choice,
                            const launch_online_t *online, uint64_t i, score_t *score,
                            char **method, rb_err_t *err)
{
    const bool during = online->ops != NULL;
    plan_t plan;
    estimate_t said;
    double begun = clock_seconds();
    RB_TRY(during ? replay_online(r, online, r->seed + i, &plan, &said, err)
                  : launch_plan(choice, &r->planned->pop, r->seed + i, &plan, err));
    double seconds = clock_seconds() - begun;
    *score = evaluation_score(&plan, r->truth, during ? &said : NULL);
    score->seconds = seconds;
    if (i == 0)
        *method = rb_strdup(plan.method);
    plan_free(&plan);
    return RB_OK;
}

rb_code_t replay_scores(const replay_t *r, const launch_choice_t *choice, score_t *scores,
                        char **method, rb_err_t *err)
{
    launch_online_t online = {.ops = choice->method->online};
    rb_code_t rc = RB_OK;
    *method = NULL;
    if (online.ops != NULL) {
        online.state = online.ops->create(choice, &r->planned->pop, r->seed, err);
        if (online.state == NULL)
            return err->code;
    }
    for (uint64_t i = 0; rc == RB_OK && i < r->seeds; i++)
        rc = score_seed(r, choice, &online, i, &scores[i], method, err);
    if (online.ops != NULL)
        online.ops->destroy(online.state);
    if (rc != RB_OK) {
        free(*method);
        *method = NULL;
    }
    return rc;
}

rb_code_t replay_summary(const replay_t *r, const launch_choice_t *choice, summary_t *out,
                         rb_err_t *err)
{
    score_t *scores = rb_calloc(r->seeds, sizeof(*scores));
    char *method;
    rb_code_t rc = replay_scores(r, choice, scores, &method, err);
    if (rc == RB_OK)
        *out = evaluation_summary(scores, r->seeds,
                                  evaluate_asked(choice->method->options, choice->options));
    free(method);
    free(scores);
    return rc;
}

static bool same_plan(const plan_t *a, const plan_t *b)
{
    bool same = a->n_samples == b->n_samples;
    for (uint64_t i = 0; same && i < a->n_samples; i++)
        same = a->samples[i].launch == b->samples[i].launch &&
               a->samples[i].weight == b->samples[i].weight;
    return same;
}

rb_code_t replay_is_fixed(const replay_t *r, const launch_choice_t *choice, bool *same,
                          rb_err_t *err)
{
    plan_t first, other;
    *same = false;
    if (choice->method->online != NULL)
        return RB_OK;
    *same = true;
    RB_TRY(launch_plan(choice, &r->planned->pop, r->seed, &first, err));
    rb_code_t rc = RB_OK;
    for (uint64_t i = 1; rc == RB_OK && *same && i < r->seeds; i++) {
        rc = launch_plan(choice, &r->planned->pop, r->seed + i, &other, err);
        if (rc != RB_OK)
            break;
        *same = same_plan(&first, &other);
        plan_free(&other);
    }
    plan_free(&first);
    return rc;
}
