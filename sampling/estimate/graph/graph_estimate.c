#include "sampling/estimate/graph/graph_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

/* What the samples of a cluster say. */
typedef struct {
    double total; /* of its launches, from the weights */
    double known; /* of the launches that were simulated */
    double left;  /* size of the others */
    double spread, share, draws;
} cluster_t;

static int by_launch(const void *a, const void *b)
{
    const plan_sample_t *const *x = a, *const *y = b;
    return ((*x)->launch > (*y)->launch) - ((*x)->launch < (*y)->launch);
}

static double relative_spread(const plan_t *p, uint64_t from, uint64_t to, const double *ratio)
{
    double n = 0, mean = 0, squares = 0;
    for (uint64_t i = from; i < to; i++) {
        n += p->samples[i].draws;
        mean += p->samples[i].draws * ratio[i];
    }
    mean /= n;
    for (uint64_t i = from; i < to; i++)
        squares += p->samples[i].draws * (ratio[i] - mean) * (ratio[i] - mean);
    return n > 1 && mean > 0 ? sqrt(squares / (n - 1)) / mean : (double)NAN;
}

/* Sums up the samples [from, to) of cluster c. */
static void sum_cluster(cluster_t *c, const plan_t *p, uint32_t cluster, uint64_t from, uint64_t to,
                        const graph_sample_t *sample, const double *ratio)
{
    double kept = 0;
    for (uint64_t i = from; i < to; i++) {
        c->total += p->samples[i].weight * sample[i].cycles;
        kept += p->samples[i].weight * sample[i].cycles * sample[i].share;
        c->known += sample[i].cycles;
    }
    c->share = c->total > 0 ? kept / c->total : 1;
    c->draws = (double)p->clusters[cluster].draws;
    c->spread = relative_spread(p, from, to, ratio);
    if (isnan(c->spread))
        c->spread = p->clusters[cluster].sd / p->clusters[cluster].mean;
}

typedef struct {
    cluster_t *cluster;           /* owned */
    const plan_sample_t **sorted; /* owned; samples by launch */
} sums_t;

static const plan_sample_t *sample_of(const sums_t *s, const plan_t *p, uint64_t launch)
{
    const plan_sample_t key = {.launch = launch}, *at = &key;
    const plan_sample_t **found =
        bsearch(&at, s->sorted, p->n_samples, sizeof(*s->sorted), by_launch);
    return found != NULL ? *found : NULL;
}

static void sum_up(sums_t *s, const plan_t *p, const graph_sample_t *sample)
{
    double *ratio = rb_calloc(p->n_samples + 1, sizeof(*ratio));
    s->cluster = rb_calloc(p->n_clusters, sizeof(*s->cluster));
    s->sorted = rb_calloc(p->n_samples + 1, sizeof(*s->sorted));
    for (uint64_t i = 0; i < p->n_samples; i++)
        s->sorted[i] = &p->samples[i];
    qsort(s->sorted, p->n_samples, sizeof(*s->sorted), by_launch);
    for (uint64_t i = 0; i < p->n_launches; i++) {
        const plan_sample_t *of = sample_of(s, p, p->members[i].launch);
        if (of == NULL)
            s->cluster[p->members[i].cluster].left += p->members[i].size;
        else
            ratio[of - p->samples] =
                p->members[i].size > 0 ? sample[of - p->samples].cycles / p->members[i].size : 0;
    }
    for (uint64_t from = 0, to; from < p->n_samples; from = to) {
        const uint32_t c = p->samples[from].cluster;
        for (to = from; to < p->n_samples && p->samples[to].cluster == c;)
            to++;
        sum_cluster(&s->cluster[c], p, c, from, to, sample, ratio);
    }
    free(ratio);
}

/* Sets the time of the launch of an operation. */
static rb_code_t set_time(graph_times_t *t, const plan_t *p, const sums_t *s,
                          const plan_member_t *m, const graph_sample_t *sample, size_t op,
                          rb_err_t *err, double *share)
{
    const cluster_t *c = &s->cluster[m->cluster];
    const plan_sample_t *own = sample_of(s, p, m->launch);
    t->cluster[op] = m->cluster;
    if (own != NULL) {
        t->cycles[op] = sample[own - p->samples].cycles;
        *share = sample[own - p->samples].share;
        return RB_OK;
    }
    if (p->clusters[m->cluster].draws == 0)
        return rb_fail(err, RB_USAGE,
                       "launches that overlap: %.60s simulates no launch like launch %llu, whose "
                       "time the replay of the graph needs; choose another sampler",
                       p->method, (unsigned long long)m->launch);
    const double rest = c->total > c->known ? c->total - c->known : 0;
    t->cycles[op] = c->left > 0 ? rest * m->size / c->left : 0;
    t->spread[op] = c->spread;
    *share = c->share;
    return RB_OK;
}

static int member_by_launch(const void *key, const void *m)
{
    const uint64_t x = *(const uint64_t *)key, y = ((const plan_member_t *)m)->launch;
    return (x > y) - (x < y);
}

static rb_code_t set_times(graph_times_t *t, const plan_t *p, const graph_sample_t *sample,
                           const sums_t *s, const stream_graph_t *g, replay_launch_t *launch,
                           rb_err_t *err)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->ops[i].kind != STREAM_OP_LAUNCH)
            continue;
        const plan_member_t *m = bsearch(&g->ops[i].launch, p->members, p->n_launches,
                                         sizeof(*p->members), member_by_launch);
        if (m == NULL)
            return rb_fail(err, RB_USAGE,
                           "launches that overlap: launch %llu of the graph is not among those "
                           "from which %.60s chooses; the replay needs the time of every launch",
                           (unsigned long long)g->ops[i].launch, p->method);
        RB_TRY(set_time(t, p, s, m, sample, i, err, &launch[i].share));
    }
    return RB_OK;
}

rb_code_t graph_times_set(graph_times_t *t, const plan_t *plan, const graph_sample_t *sample,
                          const stream_graph_t *graph, replay_launch_t *launch, rb_err_t *err)
{
    sums_t s;
    *t = (graph_times_t){.n_clusters = plan->n_clusters, .random = plan->random};
    if (plan->members == NULL)
        return rb_fail(err, RB_USAGE,
                       "launches that overlap: the plan does not say which launches are alike; "
                       "use --sample instead");
    t->cycles = rb_calloc(graph->n + 1, sizeof(*t->cycles));
    t->spread = rb_calloc(graph->n + 1, sizeof(*t->spread));
    t->cluster = rb_calloc(graph->n + 1, sizeof(*t->cluster));
    t->draws = rb_calloc(plan->n_clusters + 1, sizeof(*t->draws));
    sum_up(&s, plan, sample);
    for (uint32_t c = 0; c < plan->n_clusters; c++)
        t->draws[c] = s.cluster[c].draws;
    rb_code_t rc = set_times(t, plan, sample, &s, graph, launch, err);
    free(s.cluster);
    free(s.sorted);
    return rc;
}

void graph_times_free(graph_times_t *t)
{
    free(t->cycles);
    free(t->spread);
    free(t->cluster);
    free(t->draws);
    *t = (graph_times_t){0};
}

/* --- replicates ------------------------------------------------------------------------------ */

/* Of how many replicates an estimate is the mean. */
static uint32_t graph_replicates(const graph_replay_t *r)
{
    /* A block takes a fraction of a microsecond; replicates take about a minute at most. */
    enum { MOST = 100, LEAST = 20 };
    static const double blocks_in_all = 1e8;
    double blocks = 1;
    for (size_t i = 0; i < r->graph->n; i++) {
        blocks += (double)r->launch[i].n_blocks;
    }
    return (uint32_t)fmax(LEAST, fmin(MOST, blocks_in_all / blocks));
}

/* Durations and slow-downs of a replicate. */
static void draw(const graph_replay_t *r, const graph_times_t *t, const graph_pair_t *pair,
                 size_t n_pairs, rng_t *rng, double *cycles, double *slow)
{
    static const double least = 0.05; /* of the mean */
    double *common = rb_calloc(t->n_clusters + 1, sizeof(*common));
    for (uint32_t c = 0; c < t->n_clusters; c++)
        common[c] = rng_normal(rng) / sqrt(fmax(1, t->draws[c]));
    for (size_t i = 0; i < r->graph->n; i++) {
        const double spread = t->random && isfinite(t->spread[i]) ? t->spread[i] : 0;
        const double change = spread > 0 ? spread * (common[t->cluster[i]] + rng_normal(rng)) : 0;
        cycles[i] = t->cycles[i] * fmax(least, 1 + change);
    }
    for (size_t i = 0; i < n_pairs; i++) {
        const graph_pair_t *p = &pair[i];
        slow[(size_t)p->a * r->n_kinds + p->b] = p->slow_a + p->error_a * rng_normal(rng);
        if (p->a != p->b)
            slow[(size_t)p->b * r->n_kinds + p->a] = p->slow_b + p->error_b * rng_normal(rng);
    }
    free(common);
}

static uint64_t end_of(const stream_graph_t *g, const replay_time_t *times)
{
    uint64_t end = 0;
    for (size_t i = 0; i < g->n; i++)
        end = times[i].at.end > end ? times[i].at.end : end;
    return end;
}

/* The mean of n values, with the interval of a value. */
static estimate_t estimate_of(const double *value, uint32_t n, const estimate_t *sum)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        mean += value[i] / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    estimate_t e = *sum;
    e.value = mean;
    if (!isfinite(sum->low))
        return e;
    const double sd = sqrt(squares / (n - 1));
    const double half = interval_factor(e.confidence, sum->df) * sd;
    e.low = mean - half;
    e.high = mean + half;
    e.method = "replicates of the replay";
    return e;
}

graph_estimate_t graph_estimate(const graph_replay_t *r, const graph_times_t *t,
                                const graph_pair_t *pair, size_t n_pairs, uint64_t seed,
                                const estimate_t *sum, replay_time_t *times)
{
    const uint32_t n = graph_replicates(r);
    double *cycles = rb_calloc(r->graph->n + 1, sizeof(*cycles));
    double *slow = rb_calloc((size_t)r->n_kinds * r->n_kinds + 1, sizeof(*slow));
    double *busy = rb_calloc(n, sizeof(*busy)), *end = rb_calloc(n, sizeof(*end));
    graph_replay_t own = *r;
    own.slow = slow;
    for (uint32_t i = 0; i < n; i++) {
        rng_t rng = rng_make(seed, i);
        draw(r, t, pair, n_pairs, &rng, cycles, slow);
        graph_replay(&own, cycles, times);
        busy[i] = (double)graph_replay_busy(r->graph, times);
        end[i] = (double)end_of(r->graph, times);
    }
    const graph_estimate_t e = {
        .busy = estimate_of(busy, n, sum), .end = estimate_of(end, n, sum), .replicates = n};
    for (size_t i = 0; i < n_pairs; i++) {
        slow[(size_t)pair[i].a * r->n_kinds + pair[i].b] = pair[i].slow_a;
        if (pair[i].a != pair[i].b)
            slow[(size_t)pair[i].b * r->n_kinds + pair[i].a] = pair[i].slow_b;
    }
    graph_replay(&own, t->cycles, times);
    free(cycles);
    free(slow);
    free(busy);
    free(end);
    return e;
}

/* --- pairs ----------------------------------------------------------------------------------- */

static cycle_t end_with(const graph_replay_t *r, const double *cycles, unsigned i, double *slow,
                        double v)
{
    replay_time_t times[2];
    *slow = v;
    graph_replay(r, cycles, times);
    return times[i].at.end;
}

/* The slow-down of launch i with which it ends at `end`, or as near to it as possible; 0 if it does not
 * matter. The other one's is fixed. */
static double fit_one(const graph_replay_t *r, const double *cycles, unsigned i, cycle_t end,
                      double matrix[4])
{
    double low = -0.5, high = 10;
    double *slow = &matrix[i == 0 ? 1 : 2]; /* slow(0, 1) or slow(1, 0) */
    if (end_with(r, cycles, i, slow, low) == end_with(r, cycles, i, slow, high))
        return 0;
    for (unsigned step = 0; step < 18; step++) {
        const double middle = (low + high) / 2;
        if (end_with(r, cycles, i, slow, middle) < end)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void graph_pair_fit(const graph_replay_t *r, const double *cycles, const cycle_t end[2],
                    double slow[2])
{
    enum { ROUNDS = 4 };
    double matrix[4] = {0};
    replay_launch_t launch[2] = {r->launch[0], r->launch[1]};
    graph_replay_t own = *r;
    launch[0].kind = 0;
    launch[1].kind = 1;
    own.launch = launch;
    own.n_kinds = 2;
    own.slow = matrix;
    for (unsigned k = 0; k < ROUNDS; k++) {
        matrix[1] = fit_one(&own, cycles, 0, end[0], matrix);
        matrix[2] = fit_one(&own, cycles, 1, end[1], matrix);
    }
    slow[0] = matrix[1];
    slow[1] = matrix[2];
}
