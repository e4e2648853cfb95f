#include "sampling/launch/estimate.h"

#include <math.h>

#include "sampling/math/quantile.h"
#include "sampling/math/stable_sum.h"

static const char only_exact[] = "exact", no_interval[] = "none", from_samples[] = "stratified t";
static const char with_profile[] =
    "stratified t, spread from the profile where one launch was sampled";

/* Variance of a total, and the sum for Satterthwaite's degrees of freedom. */
typedef struct {
    double variance, per_df; /* sums of v and of v^2 / df over the strata */
    bool profile, unknown, sampled;
} spread_sum_t;

/* Adds the stratum with samples [from, to); value[i] belongs to sample i. */
static void add_stratum(spread_sum_t *s, const plan_t *p, const plan_cluster_t *c, uint64_t from,
                        uint64_t to, const double *value)
{
    double n = (double)c->size, m = (double)c->draws, mean = 0, squares = 0;
    if (!p->replacement && c->draws >= c->size)
        return;
    s->sampled = true;
    if (c->draws == 0) {
        s->unknown = true;
        return;
    }
    for (uint64_t i = from; i < to; i++)
        mean += p->samples[i].draws * value[i];
    mean /= m;
    for (uint64_t i = from; i < to; i++) {
        double d = value[i] - mean;
        squares += p->samples[i].draws * d * d;
    }
    double left = p->replacement ? 1 : 1 - m / n;
    if (c->draws > 1) {
        double v = n * n * left * squares / (m - 1) / m;
        s->variance += v;
        s->per_df += v * v / (m - 1);
        return;
    }
    double cov = c->sd / c->mean;
    if (!isfinite(cov)) {
        s->unknown = s->unknown || !(c->size == 1);
        return;
    }
    double sd = cov * mean * (n > 1 ? sqrt(n / (n - 1)) : 1);
    s->variance += n * n * left * sd * sd / m;
    s->profile = s->profile || sd > 0;
}

static spread_sum_t total_spread(const plan_t *p, const double *value)
{
    spread_sum_t s = {0};
    for (uint64_t c = 0, at = 0; c < p->n_clusters; c++) {
        uint64_t end = at;
        while (end < p->n_samples && p->samples[end].cluster == c)
            end++;
        add_stratum(&s, p, &p->clusters[c], at, end, value);
        at = end;
    }
    return s;
}

/* Sets the confidence interval of e->value. */
static void set_interval(estimate_t *e, const plan_t *p, const spread_sum_t *s)
{
    e->df = INFINITY;
    if (!s->sampled) {
        e->low = e->high = e->value;
        e->method = only_exact;
        return;
    }
    if (!p->random || s->unknown)
        return;
    if (s->per_df > 0)
        e->df = s->variance * s->variance / s->per_df;
    double half = interval_factor(e->confidence, e->df) * sqrt(s->variance);
    e->low = e->value - half;
    e->high = e->value + half;
    e->method = s->profile ? with_profile : from_samples;
}

static double weighted(const plan_t *plan, const double *value)
{
    stable_sum_t sum = {0};
    for (uint64_t i = 0; i < plan->n_samples; i++)
        sum_add(&sum, plan->samples[i].weight * value[i]);
    return sum_value(&sum);
}

estimate_t estimate_total(const plan_t *plan, const double *value, double confidence)
{
    estimate_t e = {.value = weighted(plan, value),
                    .low = NAN,
                    .high = NAN,
                    .confidence = confidence,
                    .method = no_interval};
    spread_sum_t s = total_spread(plan, value);
    set_interval(&e, plan, &s);
    return e;
}
