#include "frontend/tool/evaluate/score/sampled_score.h"

#include <math.h>
#include <string.h>

#include "sim/core/engine/msg.h"

/* part / whole; NAN if whole is 0. */
static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

static void fill_metrics(double out[METRIC_COUNT], const gpu_spec_t *spec, const run_totals_t *t,
                         bool estimated)
{
    metric_input_t m = metric_input(spec, t->cycles, t->launch_cycles, &t->sm, &t->l2, &t->dram);
    m.estimated = estimated;
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        out[i] = metric_value((metric_id_t)i, &m);
}

#define SCORE_COUNT_NAME_(name, value) #name,
const char *const score_count_names[SCORE_COUNTS] = {SCORE_COUNT_LIST(SCORE_COUNT_NAME_)};

static void fill_counts(double out[SCORE_COUNTS], const run_totals_t *t)
{
#define SCORE_COUNT_VALUE_(name, value) out[SCORE_##name] = (double)(value);
    SCORE_COUNT_LIST(SCORE_COUNT_VALUE_)
}

static void fill_states(double out[STATE_COUNT], const sm_stats_t *sm)
{
    const uint64_t *states = (const uint64_t *)sm;
    uint64_t resident = metric_resident(sm);
    for (size_t i = 0; i < STATE_COUNT; i++)
        out[i] = i == STATE_NO_WARP || resident == 0 ? 0.0 : share(states[i], resident);
}

static void add(uint64_t *sum, const uint64_t *part, size_t n, double weight)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += (uint64_t)llround(weight * (double)part[i]);
}

/* Estimates the totals from the chosen launches, using their values in the full run. */
static run_totals_t pick(const run_result_t *full, const run_result_t *sampled, double *cycles)
{
    run_totals_t t = {0};
    *cycles = 0.0;
    for (size_t i = 0; i < sampled->n; i++) {
        double weight = sampled->launches[i].weight;
        const run_launch_t *l = run_result_find(full, sampled->launches[i].r.info.id);
        if (l == NULL)
            continue;
        const launch_result_t *r = &l->r;
        *cycles += weight * (double)launch_result_cycles(r);
        t.launch_cycles += (uint64_t)llround(weight * (double)r->launch_cycles);
        add((uint64_t *)&t.sm, (const uint64_t *)&r->sm, SM_STAT_COUNT, weight);
        add((uint64_t *)&t.l2, (const uint64_t *)&r->l2, L2_STAT_COUNT, weight);
        add((uint64_t *)&t.dram, (const uint64_t *)&r->dram, DRAM_STAT_COUNT, weight);
    }
    t.cycles = (uint64_t)llround(*cycles);
    return t;
}

/* Divides the instructions by who skipped them. */
static void divide(sampled_score_t *s, const run_result_t *full, const run_result_t *sampled)
{
    uint64_t all = full->totals.warp_insts, chosen = 0;
    for (size_t i = 0; i < sampled->n; i++) {
        const run_launch_t *l = run_result_find(full, sampled->launches[i].r.info.id);
        chosen += l != NULL ? l->r.warp_insts : 0;
    }
    s->simulated = share(sampled->totals.run_warp_insts, all);
    s->skipped_between = 1.0 - share(chosen, all);
    s->skipped_inside = share(chosen, all) - s->simulated;
    s->launches = share(sampled->n, full->n);
}

static uint64_t dram_sectors(const run_totals_t *t)
{
    return t->dram.read_sectors + t->dram.write_sectors;
}

sampled_score_t sampled_score(const gpu_spec_t *spec, const run_result_t *full,
                              const run_result_t *sampled)
{
    const run_totals_t *t = &full->totals, *u = &sampled->totals;
    double picked;
    run_totals_t p = pick(full, sampled, &picked);
    sampled_score_t s = {
        .error = share(u->cycles, t->cycles) - 1.0,
        .picked_error = sampled->n < full->n ? picked / (double)t->cycles - 1.0 : (double)NAN,
        .has_interval = sampled->low < sampled->high,
        .covered = sampled->low <= (double)t->cycles && (double)t->cycles <= sampled->high,
        .speedup_cpu = full->host_cpu_seconds / sampled->host_cpu_seconds,
        .speedup_wall = full->host_seconds / sampled->host_seconds,
        .speedup_cycles = share(t->cycles, u->run_cycles),
        .dram_error = share(dram_sectors(u), dram_sectors(t)) - 1.0,
    };
    divide(&s, full, sampled);
    fill_metrics(s.full, spec, t, full->estimated);
    fill_metrics(s.sampled, spec, u, sampled->estimated);
    fill_metrics(s.picked, spec, &p, true);
    fill_counts(s.full_count, t);
    fill_counts(s.sampled_count, u);
    fill_counts(s.picked_count, &p);
    fill_states(s.full_state, &t->sm);
    fill_states(s.sampled_state, &u->sm);
    s.worst_state = score_worst_state(&s);
    return s;
}

size_t score_worst_state(const sampled_score_t *s)
{
    size_t worst = 0;
    for (size_t i = 0; i < STATE_COUNT; i++) {
        if (fabs(s->sampled_state[i] - s->full_state[i]) >
            fabs(s->sampled_state[worst] - s->full_state[worst]))
            worst = i;
    }
    return worst;
}

const char *score_state_name(size_t state)
{
    return sm_stat_defs[state].name + strlen("state_");
}

double launch_metric(metric_id_t id, const gpu_spec_t *spec, const launch_result_t *l)
{
    metric_input_t m =
        metric_input(spec, launch_result_cycles(l), l->launch_cycles, &l->sm, &l->l2, &l->dram);
    m.estimated = l->sampling.estimated;
    return metric_value(id, &m);
}

double sampled_waves(const gpu_spec_t *spec, const launch_result_t *l)
{
    double slots = (double)l->occupancy.blocks_per_sm * spec->sm.sm.count;
    return (double)l->blocks / slots;
}
