/* What the samples of a plan give for the whole program. */
#include "frontend/tool/run/run_sampling.h"

#include <math.h>
#include <string.h>

#include "frontend/tool/run/run_sampling_parts.h"

static void add_counters(double *sum, const uint64_t *part, size_t n, double weight)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += weight * (double)part[i];
}

void run_sampling_add(run_sampling_t *s, const launch_result_t *r)
{
    if (run_sampling_is_online(s)) {
        run_sampling_know(s, r);
        return;
    }
    const chosen_t *c = run_sampling_find(s, r->info.id);
    weighted_totals_t *t = &s->sum;
    if (c == NULL)
        return;
    const double weight = s->plan.samples[c->sample].weight;
    s->cycles[c->sample] = (double)launch_result_cycles(r);
    s->n_done++;
    t->blocks += weight * (double)r->blocks;
    t->warp_insts += weight * (double)r->warp_insts;
    t->thread_insts += weight * (double)r->thread_insts;
    t->launch_cycles += weight * (double)r->launch_cycles;
    t->warp_slot_cycles += weight * (double)r->warp_slot_cycles;
    t->copied_bytes += weight * (double)r->copied_bytes;
    t->cycles += weight * (double)launch_result_cycles(r);
    add_counters(t->sm, (const uint64_t *)&r->sm, SM_STAT_COUNT, weight);
    add_counters(t->l2, (const uint64_t *)&r->l2, L2_STAT_COUNT, weight);
    add_counters(t->dram, (const uint64_t *)&r->dram, DRAM_STAT_COUNT, weight);
}

static void round_counters(uint64_t *out, const double *sum, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = whole(sum[i]);
}

bool run_sampling_totals(const run_sampling_t *s, run_totals_t *totals, estimate_t *cycles)
{
    const weighted_totals_t *t = &s->sum;
    if (!s->on || run_sampling_is_online(s) || s->n_done < s->n_chosen)
        return false;
    *totals = (run_totals_t){.launches = s->plan.n_launches,
                             .blocks = whole(t->blocks),
                             .warp_insts = whole(t->warp_insts),
                             .thread_insts = whole(t->thread_insts),
                             .launch_cycles = whole(t->launch_cycles),
                             .warp_slot_cycles = whole(t->warp_slot_cycles),
                             .copied_bytes = whole(t->copied_bytes),
                             .cycles = whole(t->cycles)};
    round_counters((uint64_t *)&totals->sm, t->sm, SM_STAT_COUNT);
    round_counters((uint64_t *)&totals->l2, t->l2, L2_STAT_COUNT);
    round_counters((uint64_t *)&totals->dram, t->dram, DRAM_STAT_COUNT);
    if (s->estimate.method != NULL) {
        *cycles = s->estimate;
        return true;
    }
    double confidence = isfinite(s->plan.confidence) ? s->plan.confidence : 0.95;
    *cycles = estimate_total(&s->plan, s->cycles, confidence);
    return true;
}

uint64_t run_sampling_fingerprint(const run_sampling_t *s)
{
    uint64_t h = 0;
    if (run_sampling_is_online(s)) {
        h = journal_checksum(s->plan.seed, s->plan.method, strlen(s->plan.method));
        if (s->choice.method->digest != 0)
            h = journal_checksum(h, &s->choice.method->digest, sizeof(uint64_t));
        return h;
    }
    for (uint64_t i = 0; i < s->n_chosen; i++) {
        h = journal_checksum(h, &s->chosen[i].id, sizeof(s->chosen[i].id));
        const plan_sample_t *sample = &s->plan.samples[s->chosen[i].sample];
        h = journal_checksum(h, &sample->weight, sizeof(sample->weight));
    }
    return h;
}
