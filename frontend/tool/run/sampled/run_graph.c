#include "frontend/tool/run/sampled/run_graph.h"

#include <math.h>
#include <stdlib.h>

#include "frontend/tool/run/sampled/run_sampling_parts.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { KINDS_MOST = 1024 }; /* kernels; tables of pairs grow with their square */

rb_code_t run_graph_check(const run_sampling_t *s, trace_source_t *source, rb_err_t *err)
{
    static const char alone[] = "launches that overlap: %s; set gpu.concurrent_launches = 1, or %s";
    const uint64_t n = source->ops->n_launches(source);
    if (run_sampling_is_online(s))
        return rb_fail(
            err, RB_USAGE,
            "launches that overlap: %s stops when the sum of the launches' times is known "
            "well enough, which says nothing about the time of their graph; choose a "
            "sampler that plans beforehand, such as stem, or set "
            "gpu.concurrent_launches = 1",
            s->sampler);
    if (s->plan.members == NULL)
        return rb_fail(err, RB_USAGE, alone,
                       "a plan from a file does not say which launches are alike, so the time of a "
                       "launch that was not simulated is not known",
                       "use --sample");
    if (s->plan.n_launches != n)
        return rb_fail(err, RB_USAGE, alone,
                       "the sampler chooses from other launches than those of the trace, and the "
                       "replay of the graph needs the time of each",
                       "use a trace of the whole program");
    return RB_OK;
}

/* The launches of the graph and what the replay needs of them. */
typedef struct {
    uint64_t *position;      /* owned, as the others; per operation */
    replay_launch_t *launch; /* per operation */
    uint64_t *code;          /* of each kind */
    uint32_t n_kinds;
    graph_sample_t *sample; /* of the plan */
    graph_times_t times;
} parts_t;

static rb_code_t kind_of(parts_t *p, const launch_info_t *info, uint32_t *kind, rb_err_t *err)
{
    for (*kind = 0; *kind < p->n_kinds; ++*kind) {
        if (p->code[*kind] == info->code_id)
            return RB_OK;
    }
    if (p->n_kinds == KINDS_MOST)
        return rb_fail(err, RB_USAGE,
                       "launches that overlap: more than %d kernels are too many for the "
                       "slow-downs of their pairs; set gpu.concurrent_launches = 1",
                       KINDS_MOST);
    p->code[p->n_kinds++] = info->code_id;
    return RB_OK;
}

static rb_code_t read_launches(parts_t *p, const run_graph_input_t *in, const stream_graph_t *g,
                               rb_err_t *err)
{
    const uint64_t n = in->source->ops->n_launches(in->source);
    size_t op = 0;
    for (uint64_t id = 1; id <= n; id++) {
        launch_info_t info;
        RB_TRY(in->source->ops->launch_info(in->source, id, &info, err));
        while (op < g->n && (g->ops[op].kind != STREAM_OP_LAUNCH || g->ops[op].launch < info.id))
            op++;
        if (op == g->n || g->ops[op].launch != info.id)
            return rb_fail(err, RB_TRACE,
                           "%s: launch %llu is not among the operations of its graph", info.file,
                           (unsigned long long)info.id);
        replay_launch_t *l = &p->launch[op];
        p->position[op] = id;
        l->n_blocks = info.n_blocks;
        RB_TRY(occupancy_compute(in->spec, &info, &l->occupancy, err));
        RB_TRY(kind_of(p, &info, &l->kind, err));
    }
    return RB_OK;
}

/* What the simulated launches showed. */
static rb_code_t read_samples(parts_t *p, const run_graph_input_t *in, uint64_t *one_by_one,
                              rb_err_t *err)
{
    double sum = 0;
    record_walk_t walk = record_walk(in->journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk)) {
        const launch_result_t *r = &walk.record.launch;
        const chosen_t *c = run_sampling_find(in->sampling, r->info.id);
        if (c == NULL)
            continue;
        p->sample[c->sample] = graph_pairs_alone(in->spec, r);
        sum += in->sampling->plan.samples[c->sample].weight * (double)launch_result_cycles(r);
    }
    *one_by_one = whole(sum);
    return walk.code;
}

/* Cycles in which launches were running, but none had been given a block. */
static uint64_t latency_of(const stream_graph_t *g, const replay_time_t *times, uint64_t busy)
{
    replay_time_t *late = rb_calloc(g->n + 1, sizeof(*late));
    for (size_t i = 0; i < g->n; i++) {
        late[i] = times[i];
        late[i].at.start = times[i].first_block;
    }
    const uint64_t with_blocks = graph_replay_busy(g, late);
    free(late);
    return busy > with_blocks ? busy - with_blocks : 0;
}

/* The interval of the sum of the launches, for its confidence and degrees of freedom. */
static estimate_t sum_of(const run_graph_input_t *in, const parts_t *p)
{
    const plan_t *plan = &in->sampling->plan;
    double *value = rb_calloc(plan->n_samples + 1, sizeof(*value));
    for (uint64_t i = 0; i < plan->n_samples; i++)
        value[i] = p->sample[i].cycles;
    const estimate_t e = estimate_total(plan, value, 0.95);
    free(value);
    return e;
}

static rb_code_t estimate(run_graph_t *g, parts_t *p, const run_graph_input_t *in, rb_err_t *err)
{
    const estimate_t sum = sum_of(in, p);
    graph_pair_t *pairs = NULL;
    size_t n_pairs = 0;
    const graph_replay_t replay = {.spec = in->spec,
                                   .graph = g->graph,
                                   .shares = in->shares,
                                   .n_shares = in->n_shares,
                                   .position = p->position,
                                   .launch = p->launch,
                                   .n_kinds = p->n_kinds};
    replay_time_t *times = rb_calloc(g->graph->n + 1, sizeof(*times));
    graph_replay(&replay, p->times.cycles, times);
    const graph_pairs_input_t measured = {
        .chip = in->chip, .replay = &replay, .times = times, .seed = in->seed};
    rb_code_t rc = graph_pairs_measure(&measured, &pairs, &n_pairs, &g->cost, err);
    if (rc == RB_OK) {
        g->estimate = graph_estimate(&replay, &p->times, pairs, n_pairs, in->seed, &sum, times);
        g->times = rb_calloc(g->graph->n + 1, sizeof(*g->times));
        for (size_t i = 0; i < g->graph->n; i++)
            g->times[i] = times[i].at;
        g->latency = latency_of(g->graph, times, graph_replay_busy(g->graph, times));
    }
    free(pairs);
    free(times);
    return rc;
}

rb_code_t run_graph_estimate(run_graph_t *g, const run_graph_input_t *in, rb_err_t *err)
{
    parts_t p = {0};
    *g = (run_graph_t){0};
    RB_TRY(in->source->ops->graph(in->source, &g->graph, err));
    p.position = rb_calloc(g->graph->n + 1, sizeof(*p.position));
    p.launch = rb_calloc(g->graph->n + 1, sizeof(*p.launch));
    p.code = rb_calloc(KINDS_MOST, sizeof(*p.code));
    p.sample = rb_calloc(in->sampling->plan.n_samples + 1, sizeof(*p.sample));
    rb_code_t rc = read_launches(&p, in, g->graph, err);
    if (rc == RB_OK)
        rc = read_samples(&p, in, &g->one_by_one, err);
    if (rc == RB_OK)
        rc = graph_times_set(&p.times, &in->sampling->plan, p.sample, g->graph, p.launch, err);
    if (rc == RB_OK)
        rc = estimate(g, &p, in, err);
    graph_times_free(&p.times);
    free(p.position);
    free(p.launch);
    free(p.code);
    free(p.sample);
    return rc;
}

void run_graph_free(run_graph_t *g)
{
    free(g->times);
    *g = (run_graph_t){0};
}
