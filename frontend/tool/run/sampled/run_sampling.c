/* What the samples of a plan give for the whole program. */
#include "frontend/tool/run/sampled/run_sampling.h"

#include <string.h>

#include "frontend/tool/run/sampled/run_sampling_parts.h"

void run_sampling_add(run_sampling_t *s, const launch_result_t *r, const launch_error_t *error)
{
    if (run_sampling_is_online(s)) {
        run_sampling_know(s, r, error);
        return;
    }
    const chosen_t *c = run_sampling_find(s, r->info.id);
    if (c == NULL)
        return;
    s->cycles[c->sample] = (double)launch_result_cycles(r);
    s->n_done++;
    launch_values_add(s->sum, r, s->plan.samples[c->sample].weight);
    if (run_sampling_is_done(s))
        run_sampling_settle_base(s);
}

bool run_sampling_is_done(const run_sampling_t *s)
{
    return s->on && !run_sampling_is_online(s) && s->n_done >= s->n_chosen;
}

uint64_t run_sampling_fingerprint(const run_sampling_t *s)
{
    uint64_t h = 0;
    if (run_sampling_is_online(s)) {
        h = journal_checksum(s->plan.seed, s->plan.method, strlen(s->plan.method));
        if (s->choice.method != NULL && s->choice.method->digest != 0)
            h = journal_checksum(h, &s->choice.method->digest, sizeof(uint64_t));
        if (s->followed != 0)
            h = journal_checksum(h, &s->followed, sizeof(s->followed));
        return h;
    }
    for (uint64_t i = 0; i < s->n_chosen; i++) {
        h = journal_checksum(h, &s->chosen[i].id, sizeof(s->chosen[i].id));
        const plan_sample_t *sample = &s->plan.samples[s->chosen[i].sample];
        h = journal_checksum(h, &sample->weight, sizeof(sample->weight));
    }
    return h;
}
