#include "sampling/estimate/change/graph_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

enum {
    EACH = 3,  /* pairs of launches for two kinds */
    MOST = 64, /* pairs of kinds */
};
static const double enough = 0.98; /* of the time in which launches overlap */

/* Two kinds, how long they overlap, and launches of them that do. */
typedef struct {
    uint32_t a, b; /* a <= b */
    double overlap;
    uint32_t first[EACH], second[EACH]; /* operations; of kinds a and b */
} meeting_t;

typedef struct {
    const graph_pairs_input_t *in;
    meeting_t *meeting; /* owned */
    size_t n, cap;
    uint32_t *number; /* owned; of two kinds in meeting, from 1 */
    double overlap;   /* of all */
    rng_t rng;
    graph_sample_t *alone; /* owned; per operation; cycles 0: not yet simulated */
    graph_pairs_cost_t cost;
} pairs_t;

graph_sample_t graph_pairs_alone(const gpu_spec_t *spec, const launch_result_t *r)
{
    const uint64_t passed = launch_result_cycles(r);
    const double cycles = passed > r->launch_cycles ? (double)(passed - r->launch_cycles) : 1;
    const double slots = (double)spec->sm.sm.count * r->occupancy.blocks_per_sm;
    const double warps = (double)r->blocks * r->occupancy.warps_per_block;
    const double kept = ((double)r->warp_slot_cycles - (double)r->sm.state_no_warp) / warps +
                        spec->sched.dispatch_latency + spec->sched.completion_latency;
    const double share = kept * fmax(1, (double)r->blocks / slots) / cycles;
    return (graph_sample_t){.cycles = cycles, .share = fmin(1, fmax(0, share))};
}

/* --- what overlaps --------------------------------------------------------------------------- */

static meeting_t *meeting_of(pairs_t *p, uint32_t a, uint32_t b)
{
    uint32_t *number = &p->number[(size_t)a * p->in->replay->n_kinds + b];
    if (*number == 0) {
        rb_grow(&p->meeting, &p->cap, p->n + 1, sizeof(*p->meeting));
        p->meeting[p->n++] = (meeting_t){.a = a, .b = b};
        *number = (uint32_t)p->n;
    }
    return &p->meeting[*number - 1];
}

/* Two launches overlap for some cycles. Each pair of launches is kept with a chance in proportion. */
static void meet(pairs_t *p, uint32_t x, uint32_t y, double cycles)
{
    const replay_launch_t *l = p->in->replay->launch;
    const bool swap = l[x].kind > l[y].kind;
    const uint32_t a = swap ? y : x, b = swap ? x : y;
    meeting_t *m = meeting_of(p, l[a].kind, l[b].kind);
    m->overlap += cycles;
    p->overlap += cycles;
    for (unsigned i = 0; i < EACH; i++) {
        if (rng_unit(&p->rng) * m->overlap > cycles)
            continue;
        m->first[i] = a;
        m->second[i] = b;
    }
}

typedef struct {
    cycle_t from, to;
    uint32_t op;
} span_t;

static int by_from(const void *a, const void *b)
{
    const span_t *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static void find_meetings(pairs_t *p)
{
    const stream_graph_t *g = p->in->replay->graph;
    const replay_time_t *times = p->in->times;
    span_t *span = rb_calloc(g->n + 1, sizeof(*span));
    uint32_t *open = rb_calloc(g->n + 1, sizeof(*open)); /* spans that may not have ended */
    size_t n = 0, n_open = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        if (times[i].at.ran && g->ops[i].kind == STREAM_OP_LAUNCH)
            span[n++] = (span_t){times[i].first_block, times[i].at.end, i};
    }
    qsort(span, n, sizeof(*span), by_from);
    for (uint32_t i = 0; i < n; i++) {
        size_t left = 0;
        for (size_t k = 0; k < n_open; k++) {
            const span_t *other = &span[open[k]];
            if (other->to <= span[i].from)
                continue;
            open[left++] = open[k];
            const double until = fmin((double)other->to, (double)span[i].to);
            if (until > (double)span[i].from)
                meet(p, other->op, span[i].op, until - (double)span[i].from);
        }
        n_open = left;
        open[n_open++] = i;
    }
    free(span);
    free(open);
}

static int longest_first(const void *a, const void *b)
{
    const meeting_t *x = a, *y = b;
    if (x->overlap < y->overlap || y->overlap < x->overlap)
        return x->overlap > y->overlap ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* --- simulation ------------------------------------------------------------------------------ */

/* What a simulation of one launch or two showed. */
typedef struct {
    launch_result_t result[2]; /* as they end */
    size_t n;
    stream_op_time_t time[2];
    bool (*stopped)(void); /* new_chip_t.stopped */
} seen_t;

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    seen_t *s = ctx;
    (void)err;
    s->result[s->n++] = *r;
    return RB_OK;
}

static rb_code_t keep_times(void *ctx, const stream_graph_t *g, const stream_op_time_t *times,
                            const copy_counters_t *copies, rb_err_t *err)
{
    (void)copies;
    seen_t *s = ctx;
    (void)err;
    memcpy(s->time, times, g->n * sizeof(*times));
    return RB_OK;
}

static bool go_on(void *ctx, const gpu_progress_t *progress)
{
    const seen_t *s = ctx;
    (void)progress;
    return s->stopped == NULL || !s->stopped();
}

/* The graph of some launches that do not wait for anything. */
static void graph_of(const pairs_t *p, const uint32_t *ops, size_t n, stream_graph_t *g)
{
    *g = (stream_graph_t){0};
    for (size_t i = 0; i < n; i++)
        (void)stream_graph_add(g, &p->in->replay->graph->ops[ops[i]], NULL, 0);
}

static rb_code_t simulate(pairs_t *p, const uint32_t *ops, size_t n, seen_t *out, rb_err_t *err)
{
    const graph_pairs_input_t *in = p->in;
    const gpu_callbacks_t callbacks = {
        .ctx = out, .launch_done = keep_result, .work_done = keep_times, .progress = go_on};
    stream_graph_t g;
    gpu_spec_t spec = *in->replay->spec;
    *out = (seen_t){.stopped = in->chip.stopped};
    graph_of(p, ops, n, &g);
    const run_plan_t plan = {
        .first = 1, .shares = in->replay->shares, .n_shares = in->replay->n_shares, .graph = &g};
    spec.warmup.mode = WARMUP_KEEP;
    rb_code_t rc = in->chip.run(in->chip.ctx, &spec, &plan, &callbacks, err);
    stream_graph_free(&g);
    p->cost.runs++;
    for (size_t i = 0; i < out->n; i++) {
        p->cost.launches++;
        p->cost.cycles += launch_result_cycles(&out->result[i]);
        p->cost.warp_insts += out->result[i].warp_insts;
    }
    return rc;
}

static rb_code_t simulate_alone(pairs_t *p, uint32_t op, rb_err_t *err)
{
    seen_t seen;
    if (p->alone[op].cycles > 0)
        return RB_OK;
    RB_TRY(simulate(p, &op, 1, &seen, err));
    p->alone[op] = graph_pairs_alone(p->in->replay->spec, &seen.result[0]);
    return RB_OK;
}

/* Measures the slow-downs of two launches; x is dispatched first. */
static rb_code_t measure(pairs_t *p, uint32_t x, uint32_t y, double slow[2], rb_err_t *err)
{
    const graph_replay_t *whole = p->in->replay;
    static const uint64_t there[2] = {1, 1};
    const uint32_t ops[2] = {x, y};
    stream_graph_t g;
    seen_t seen;
    RB_TRY(simulate_alone(p, x, err));
    RB_TRY(simulate_alone(p, y, err));
    RB_TRY(simulate(p, ops, 2, &seen, err));
    replay_launch_t launch[2] = {whole->launch[x], whole->launch[y]};
    launch[0].share = p->alone[x].share;
    launch[1].share = p->alone[y].share;
    const double cycles[2] = {p->alone[x].cycles, p->alone[y].cycles};
    const cycle_t end[2] = {seen.time[0].end, seen.time[1].end};
    graph_of(p, ops, 2, &g);
    const graph_replay_t r = {.spec = whole->spec,
                              .graph = &g,
                              .shares = whole->shares,
                              .n_shares = whole->n_shares,
                              .position = there,
                              .launch = launch};
    graph_pair_fit(&r, cycles, end, slow);
    stream_graph_free(&g);
    return RB_OK;
}

/* The mean of n values, and its standard error. */
static double mean_of(const double *v, unsigned n, double *error)
{
    double mean = 0, squares = 0;
    for (unsigned i = 0; i < n; i++)
        mean += v[i] / n;
    for (unsigned i = 0; i < n; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    *error = n > 1 ? sqrt(squares / (n - 1) / n) : 0;
    return mean;
}

static rb_code_t measure_kinds(pairs_t *p, const meeting_t *m, graph_pair_t *out, rb_err_t *err)
{
    double slow_a[2 * EACH], slow_b[EACH];
    unsigned n = 0;
    for (unsigned i = 0; i < EACH; i++) {
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again |= m->first[k] == m->first[i] && m->second[k] == m->second[i];
        if (again)
            continue;
        const uint32_t a = m->first[i], b = m->second[i];
        const bool a_first = p->in->times[a].first_block <= p->in->times[b].first_block;
        double slow[2];
        RB_TRY(measure(p, a_first ? a : b, a_first ? b : a, slow, err));
        slow_a[n] = slow[a_first ? 0 : 1];
        slow_b[n++] = slow[a_first ? 1 : 0];
    }
    *out = (graph_pair_t){.a = m->a, .b = m->b};
    if (m->a == m->b) {
        memcpy(&slow_a[n], slow_b, n * sizeof(*slow_b));
        out->slow_a = out->slow_b = mean_of(slow_a, 2 * n, &out->error_a);
        out->error_b = out->error_a;
        return RB_OK;
    }
    out->slow_a = mean_of(slow_a, n, &out->error_a);
    out->slow_b = mean_of(slow_b, n, &out->error_b);
    return RB_OK;
}

rb_code_t graph_pairs_measure(const graph_pairs_input_t *in, graph_pair_t **pairs, size_t *n,
                              graph_pairs_cost_t *cost, rb_err_t *err)
{
    const size_t kinds = in->replay->n_kinds;
    pairs_t p = {.in = in, .rng = rng_make(in->seed, UINT64_MAX)};
    p.number = rb_calloc(kinds * kinds + 1, sizeof(*p.number));
    p.alone = rb_calloc(in->replay->graph->n + 1, sizeof(*p.alone));
    find_meetings(&p);
    if (p.n > 0)
        qsort(p.meeting, p.n, sizeof(*p.meeting), longest_first);
    rb_code_t rc = RB_OK;
    double measured = 0;
    *pairs = rb_calloc(MOST, sizeof(**pairs));
    *n = 0;
    for (size_t i = 0; rc == RB_OK && i < p.n && i < MOST && measured < enough * p.overlap; i++) {
        rc = measure_kinds(&p, &p.meeting[i], &(*pairs)[*n], err);
        measured += p.meeting[i].overlap;
        ++*n;
    }
    p.cost.kinds = *n;
    p.cost.measured = p.overlap > 0 ? measured / p.overlap : 1;
    *cost = p.cost;
    free(p.meeting);
    free(p.number);
    free(p.alone);
    return rc;
}
