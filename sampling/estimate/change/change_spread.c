#include "sampling/estimate/change/change_spread.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"

bool change_has(const pairs_t *p, uint64_t sample)
{
    return p->drawn != NULL || p->both == NULL || p->both[sample];
}

double change_stratum_mean(const pairs_t *p, const change_stratum_t *h, const double *value)
{
    double sum = 0;
    for (uint64_t i = h->from; i < h->to; i++)
        if (change_has(p, i))
            sum += p->plan->samples[i].draws * value[i];
    return sum / h->draws;
}

static change_stratum_t stratum_of(const pairs_t *p, uint32_t cluster, uint64_t from, uint64_t to)
{
    const plan_cluster_t *c = &p->plan->clusters[cluster];
    change_stratum_t h = {.from = from,
                          .to = to,
                          .size = (double)c->size,
                          .name = c->name,
                          .spread = c->sd / c->mean};
    for (uint64_t i = from; i < to; i++) {
        if (!change_has(p, i))
            continue;
        h.draws += p->plan->samples[i].draws;
        const double cycles =
            p->drawn != NULL ? p->cycles[i] : change_values(p->a, i)[VALUE_CYCLES];
        h.time += p->plan->samples[i].draws * cycles;
    }
    if (h.draws > 0)
        h.time /= h.draws;
    h.certain = !p->plan->replacement && h.draws >= h.size;
    return h;
}

static int by_kernel_and_time(const void *a, const void *b)
{
    const change_stratum_t *x = a, *y = b;
    if (x->certain != y->certain)
        return x->certain - y->certain;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->time < y->time || y->time < x->time)
        return x->time < y->time ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* The end of the kernel of stratum i, and its samples. */
static size_t end_of_kernel(const change_strata_t *s, size_t i, double *draws)
{
    const uint32_t name = s->list[i].name;
    *draws = 0;
    for (; i < s->n && !s->list[i].certain && s->list[i].name == name; i++)
        *draws += s->list[i].draws;
    return i;
}

/*
 * Numbers the groups. Strata of a kernel that are next to each other in time are joined until they have
 * CHANGE_ENOUGH samples: a spread of two or three is known so badly that the interval would be several times as
 * wide. A kernel with one sample is joined with the next one, the last with the one before it.
 */
static void join(change_strata_t *s)
{
    uint32_t group = 0;
    size_t i = 0;
    double draws = 0, left; /* in the group so far; behind it in the kernel */
    while (i < s->n && !s->list[i].certain) {
        for (const size_t end = end_of_kernel(s, i, &left); i < end; i++) {
            s->list[i].group = group;
            draws += s->list[i].draws;
            left -= s->list[i].draws;
            if (draws >= CHANGE_ENOUGH && left >= CHANGE_ENOUGH) {
                group++;
                draws = 0;
            }
        }
        if (draws >= 2) {
            group++;
            draws = 0;
        }
    }
    while (draws > 0 && group > 0 && i-- > 0 && s->list[i].group == group)
        s->list[i].group = group - 1;
}

void change_strata_make(change_strata_t *s, const pairs_t *p)
{
    *s = (change_strata_t){.p = p, .list = rb_calloc(p->plan->n_clusters + 1, sizeof(*s->list))};
    for (uint64_t at = 0; s->n < p->plan->n_clusters; s->n++) {
        uint64_t end = at;
        while (end < p->plan->n_samples && p->plan->samples[end].cluster == s->n)
            end++;
        s->list[s->n] = stratum_of(p, (uint32_t)s->n, at, end);
        s->missing = s->missing || (s->list[s->n].draws == 0 && s->list[s->n].size > 0);
        at = end;
    }
    qsort(s->list, s->n, sizeof(*s->list), by_kernel_and_time);
    join(s);
}

/* The square of how much a stratum's mean counts. */
static double square_of(const change_strata_t *s, const change_stratum_t *h)
{
    const double left = s->p->plan->replacement ? 1 : 1 - h->draws / h->size;
    return h->size * h->size * left / h->draws;
}

/* Adds the strata [from, to), whose residuals are compared relative to the strata's sizes. Strata that have
 * nothing of the statistic show nothing of its spread. */
static void add_group(change_spread_t *v, const change_strata_t *s, size_t from, size_t to,
                      const double *d)
{
    const pairs_t *p = s->p;
    double draws = 0, sum = 0, squares = 0, factor = 0;
    v->sampled = true;
    for (size_t i = from; i < to; i++) {
        const change_stratum_t *h = &s->list[i];
        if (!(h->scale > 0))
            continue;
        factor += square_of(s, h) * h->scale * h->scale;
        draws += h->draws;
        sum += h->draws * change_stratum_mean(p, h, d) / h->scale;
    }
    if (draws < 2) {
        v->unknown = v->unknown || draws > 0;
        return;
    }
    for (size_t i = from; i < to; i++) {
        const change_stratum_t *h = &s->list[i];
        for (uint64_t k = h->from; k < h->to; k++) {
            if (!(h->scale > 0) || !change_has(p, k))
                continue;
            const double e = d[k] / h->scale - sum / draws;
            squares += p->plan->samples[k].draws * e * e;
        }
    }
    const double variance = factor * squares / (draws - 1);
    v->variance += variance;
    v->per_df += variance * variance / (draws - 1);
}

change_spread_t change_joined_spread(const change_strata_t *s, const double *d)
{
    change_spread_t v = {0};
    for (size_t from = 0, to; from < s->n && !s->list[from].certain; from = to) {
        for (to = from; to < s->n && !s->list[to].certain; to++)
            if (s->list[to].group != s->list[from].group)
                break;
        add_group(&v, s, from, to, d);
    }
    return v;
}

change_spread_t change_profile_spread(const change_strata_t *s, const double *d)
{
    change_spread_t v = {0};
    for (size_t i = 0; i < s->n && !s->list[i].certain; i++) {
        const change_stratum_t *h = &s->list[i];
        if (h->draws >= 2) {
            add_group(&v, s, i, i + 1, d);
            continue;
        }
        v.unknown = v.unknown || !isfinite(h->spread);
        v.sampled = v.profile = true;
        /* The scale is the sum of both sizes. */
        const double drawn = h->size > 1 ? h->size / (h->size - 1) : 1;
        v.variance += square_of(s, h) * drawn * pow(h->spread * h->scale, 2) / 2;
    }
    return v;
}

double change_half(const change_spread_t *v, double confidence, double *df)
{
    *df = v->per_df > 0 ? v->variance * v->variance / v->per_df : INFINITY;
    return v->variance > 0 ? interval_factor(confidence, *df) * sqrt(v->variance) : 0;
}
