#include "sampling/estimate/stratified.h"

#include <math.h>
#include <string.h>

#include "sampling/math/quantile.h"
#include "sampling/math/stable_sum.h"

#define FROM_SAMPLES "stratified t"
#define WITH_PROFILE FROM_SAMPLES ", spread from the profile where one launch was sampled"
#define INSIDE       "jackknife inside launches"

static const char only_exact[] = "exact", no_interval[] = "none";

/* Variance of a total, and the sum for Satterthwaite's degrees of freedom. */
typedef struct {
    double variance, per_df; /* sums of v and of v^2 / df over the strata */
    bool profile, unknown, sampled;
} spread_sum_t;

/* Adds the stratum with samples [from, to); value[i] and size[i] belong to sample i. */
static void add_stratum(spread_sum_t *s, const plan_t *p, const plan_cluster_t *c, uint64_t from,
                        uint64_t to, const double *value, const double *size)
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
    double sd = cov * fabs(size[from]) * (n > 1 ? sqrt(n / (n - 1)) : 1);
    s->variance += n * n * left * sd * sd / m;
    s->profile = s->profile || sd > 0;
}

static spread_sum_t total_spread(const plan_t *p, const double *value, const double *size)
{
    spread_sum_t s = {0};
    for (uint64_t c = 0, at = 0; c < p->n_clusters; c++) {
        uint64_t end = at;
        while (end < p->n_samples && p->samples[end].cluster == c)
            end++;
        add_stratum(&s, p, &p->clusters[c], at, end, value, size);
        at = end;
    }
    return s;
}

static spread_sum_t input_spread(const plan_t *p, const estimate_input_t *in)
{
    return total_spread(p, in->value, in->size != NULL ? in->size : in->value);
}

static double degrees(double variance, double per_df)
{
    return per_df > 0 ? variance * variance / per_df : INFINITY;
}

static const char *method_of(const spread_sum_t *s, bool inside)
{
    if (!s->sampled)
        return inside ? INSIDE : only_exact;
    if (s->profile)
        return inside ? WITH_PROFILE ", " INSIDE : WITH_PROFILE;
    return inside ? FROM_SAMPLES ", " INSIDE : FROM_SAMPLES;
}

/* Sets the confidence interval of e->value. */
static void set_interval(estimate_t *e, const spread_sum_t *s, const estimate_within_t *w)
{
    const double variance = s->variance + w->variance;
    e->df = degrees(variance, s->per_df + w->per_df);
    double half = variance > 0 ? interval_factor(e->confidence, e->df) * sqrt(variance) : 0;
    e->low = e->value - half;
    e->high = e->value + half;
    e->method = method_of(s, w->variance > 0);
    e->profile = s->profile;
}

static double weighted(const plan_t *plan, const double *value)
{
    stable_sum_t sum = {0};
    for (uint64_t i = 0; i < plan->n_samples; i++)
        sum_add(&sum, plan->samples[i].weight * value[i]);
    return sum_value(&sum);
}

static estimate_t without_interval(double value, double confidence)
{
    return (estimate_t){.value = value,
                        .low = NAN,
                        .high = NAN,
                        .confidence = confidence,
                        .method = no_interval,
                        .df = INFINITY};
}

estimate_t estimate_two_stage(const plan_t *plan, const estimate_input_t *in, double confidence)
{
    estimate_t e = without_interval(weighted(plan, in->value), confidence);
    spread_sum_t s = input_spread(plan, in);
    if (!in->within.unknown && (!s.sampled || (plan->random && !s.unknown)))
        set_interval(&e, &s, &in->within);
    return e;
}

estimate_t estimate_total(const plan_t *plan, const double *value, double confidence)
{
    return estimate_two_stage(plan, &(estimate_input_t){.value = value}, confidence);
}

estimate_t estimate_sum(double value, const estimate_within_t *within, double confidence)
{
    estimate_t e = without_interval(value, confidence);
    if (!within->unknown)
        set_interval(&e, &(spread_sum_t){0}, within);
    return e;
}

void estimate_within_add(estimate_within_t *w, double weight, double variance, double df)
{
    const double v = weight * variance;
    if (isnan(variance)) {
        w->unknown = true;
        return;
    }
    w->variance += v;
    if (v > 0)
        w->per_df += v * v / df;
}

double estimate_within_weight(const plan_t *plan, uint64_t i)
{
    const plan_sample_t *s = &plan->samples[i];
    const plan_cluster_t *c = &plan->clusters[s->cluster];
    /* The spread of the profile, which stands in for that of a single sample, has no such errors. */
    const bool single = c->draws == 1 && c->size > 1;
    return single ? s->weight * s->weight : s->weight;
}

void estimate_widen(estimate_t *e, const estimate_within_t *within)
{
    if (within->unknown) {
        *e = without_interval(e->value, e->confidence);
        return;
    }
    if (!(within->variance > 0))
        return;
    const double df = degrees(within->variance, within->per_df);
    const double half = interval_factor(e->confidence, df) * sqrt(within->variance);
    e->low = e->value - hypot(e->value - e->low, half);
    e->high = e->value + hypot(e->high - e->value, half);
    if (strcmp(e->method, only_exact) == 0)
        e->method = INSIDE;
}

void estimate_raise(estimate_t *e, const plan_t *plan)
{
    const double least = plan->error_bound * e->value;
    if (!isfinite(e->low) || strcmp(e->method, only_exact) == 0 || !(least > 0))
        return;
    e->low = fmin(e->low, e->value - least);
    e->high = fmax(e->high, e->value + least);
}

double estimate_variance(const plan_t *plan, const estimate_input_t *in, double *df)
{
    spread_sum_t s = input_spread(plan, in);
    *df = degrees(s.variance, s.per_df);
    return s.unknown ? (double)NAN : s.variance;
}
