#include "sampling/launch/online/online_state.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/quantile.h"
#include "sampling/math/sample_shape.h"
#include "sampling/math/stable_sum.h"
#include "sampling/math/two_means.h"
#include "sim/core/alloc.h"

/* Weight of what similar groups or strata show against a group's or stratum's own variance, in
 * degrees of freedom: a few launches that happen to be equal do not prove that the rest are. */
#define PRIOR_DF 10.0

/* Limit of the squared coefficient of variation that groups assume because of other groups. */
#define PRIOR_MOST 1.0

/*
 * Tails are judged from TAIL_SAMPLES on, by the launches that are longest relative to their groups,
 * TAIL_ROOTS times the root of the samples. The total has no variance to speak of if the index of the tail is below
 * TAIL_INDEX and one sample makes up more than TAIL_SHARE of the variance. A tail that has such an
 * index beyond doubt, and still among a half, a quarter, ... of these launches down
 * to TAIL_LEAST, is that of a power law, not that of a few slow launches of about one length.
 */
enum { TAIL_SAMPLES = 100, TAIL_LEAST = 4 };
#define TAIL_ROOTS 1.5
#define TAIL_INDEX 2.0
#define TAIL_SHARE 0.125

/* With a smaller index, the variance of a group is noise: which group met the longest launches is
 * chance. Groups then have at least the mean of all, or those without such launches would get too few
 * samples, and the total would be too low. */
#define TAIL_POOLED 3.0

/* What the samples of a group show. */
typedef struct {
    uint64_t n, m;
    double df, cov2; /* degrees of freedom; squared coefficient of variation within strata */
    double total;    /* estimate */
    double borrowed; /* degrees of freedom from other groups */
    double variance; /* of total */
    sample_shape_t shape;
    double ratio; /* longest sample over the median of those near it in the program */
} group_t;

typedef struct {
    const stem_strata_t *strata;
    const stratum_sample_t *samples;
    const online_assume_t *assume;
    group_t *group;
    double *values;    /* scratch: all samples of a group */
    double tail_index; /* of all samples relative to their groups; INFINITY: too few */
    bool power_law;    /* the tail is one beyond doubt */
    double prior_df[2];
    double prior[2]; /* squared coefficient of variation of unequal and of equal groups */
} look_t;

/* Copies the samples of strata [from, to) to values; returns how many. */
static size_t gather(const look_t *l, uint32_t from, uint32_t to)
{
    size_t n = 0;
    for (uint32_t h = from; h < to; h++) {
        for (uint64_t i = 0; i < l->samples[h].m; i++)
            l->values[n++] = l->samples[h].cycles[i];
    }
    return n;
}

/* The largest ratio of the longest sample of three parts in sequence to their median. Drift, which parts
 * show, is not taken for slow launches that hide among others. */
static double slowest_nearby(const look_t *l, uint32_t from, uint32_t to)
{
    double most = 1;
    for (uint32_t h = from; h == from || h + 3 <= to; h++)
        most = fmax(most, sample_shape(l->values, gather(l, h, h + 3 < to ? h + 3 : to)).ratio);
    return most;
}

static void look_at(look_t *l, uint32_t g)
{
    group_t *of = &l->group[g];
    const uint32_t from = l->strata->of_group[g], to = l->strata->of_group[g + 1];
    double squares = 0;
    *of = (group_t){.ratio = slowest_nearby(l, from, to)};
    for (uint32_t h = from; h < to; h++) {
        const stratum_sample_t *p = &l->samples[h];
        spread_t c = spread_of(p->cycles, p->m);
        double own = (double)(p->m - 1), cov = c.mean > 0 ? c.sample / c.mean : 0;
        of->n += p->n;
        of->m += p->m;
        of->df += own;
        squares += own * cov * cov;
        of->total += (double)p->n * c.mean;
    }
    of->cov2 = of->df > 0 ? squares / of->df : 0;
    of->shape = sample_shape(l->values, gather(l, from, to));
}

/* The samples relative to the means of their groups, in groups that have more launches; returns how
 * many. */
static size_t relative_lengths(const look_t *l)
{
    size_t n = 0;
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        const group_t *of = &l->group[g];
        double mean = of->total / (double)of->n;
        if (of->m == of->n || !(mean > 0))
            continue;
        for (uint32_t h = l->strata->of_group[g]; h < l->strata->of_group[g + 1]; h++) {
            for (uint64_t i = 0; i < l->samples[h].m; i++)
                l->values[n++] = l->samples[h].cycles[i] / mean;
        }
    }
    return n;
}

static bool is_power_law(const double *x, size_t largest)
{
    /* The standard error of Hill's estimate is itself over the root of the values. */
    bool all = hill_index(x, largest) * (1 + 2 / sqrt((double)largest)) < TAIL_INDEX;
    for (size_t k = largest / 2; all && k >= TAIL_LEAST; k /= 2)
        all = hill_index(x, k) < TAIL_INDEX;
    return all;
}

/* Finds the index of the tail. */
static void find_tail(look_t *l)
{
    size_t n = relative_lengths(l), largest = (size_t)ceil(TAIL_ROOTS * sqrt((double)n));
    l->tail_index = INFINITY;
    if (n < TAIL_SAMPLES)
        return;
    sample_shape(l->values, n); /* sorts */
    l->tail_index = hill_index(l->values, largest);
    l->power_law = is_power_law(l->values, largest);
}

/* The mean over the groups of either kind, weighted by degrees of freedom. */
static void find_priors(look_t *l)
{
    double sum[2] = {0}, df[2] = {0}, most = l->tail_index < TAIL_POOLED ? INFINITY : PRIOR_MOST;
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        const group_t *of = &l->group[g];
        sum[l->strata->equal[g]] += of->df * fmin(of->cov2, most);
        df[l->strata->equal[g]] += of->df;
    }
    for (int i = 0; i < 2; i++) {
        l->prior[i] = df[i] > 0 ? sum[i] / df[i] : 0;
        l->prior_df[i] = df[i];
    }
}

/* Own, or, if larger, what the group and the groups like it make one expect; the latter has half of
 * the others' degrees of freedom on top of its own, since groups differ. */
static double group_cov2(look_t *l, uint32_t g)
{
    group_t *of = &l->group[g];
    const bool equal = l->strata->equal[g];
    const double least = l->strata->uneven != NULL ? l->strata->uneven[g] : 0;
    if (l->tail_index < TAIL_POOLED)
        return fmax(fmax(of->cov2, l->prior[equal]), least);
    double both = (PRIOR_DF * l->prior[equal] + of->df * of->cov2) / (PRIOR_DF + of->df);
    if (both > of->cov2)
        of->borrowed = fmin(PRIOR_DF, l->prior_df[equal] - of->df) / 2;
    return fmax(fmax(of->cov2, both), least);
}

/* Variance of the launches of a stratum: its own, and what its group shows. */
static double stratum_variance(const stratum_sample_t *p, double cov2)
{
    spread_t c = spread_of(p->cycles, p->m);
    double own = (double)(p->m - 1);
    return (own * c.sample * c.sample + PRIOR_DF * cov2 * c.mean * c.mean) / (own + PRIOR_DF);
}

/*
 * Variance from a change between two parts of a group, which lies somewhere inside one of them: in the
 * mean over all places, a share x of n launches on one side has the variance n^2 D^2 x (1 - x) / m =
 * n^2 D^2 / (6 m), D being the difference of the means beyond what their own errors explain.
 */
static double change_variance(const stratum_sample_t *a, const stratum_sample_t *b, double cov2)
{
    double mean_a = spread_of(a->cycles, a->m).mean, mean_b = spread_of(b->cycles, b->m).mean;
    double n = (double)(a->n + b->n) / 2, m = (double)(a->m + b->m) / 2, d = mean_a - mean_b;
    double noise =
        stratum_variance(a, cov2) / (double)a->m + stratum_variance(b, cov2) / (double)b->m;
    return m < n ? n * n * (1 - m / n) * fmax(0, d * d - noise) / (6 * m) : 0;
}

static void find_variances(look_t *l, uint32_t g, online_stratum_t *plan)
{
    uint32_t from = l->strata->of_group[g], to = l->strata->of_group[g + 1];
    double cov2 = group_cov2(l, g), mean = 0, *all = &l->group[g].variance;
    double change = l->strata->vague != NULL ? l->strata->vague[g] : 0;
    for (uint32_t h = from; h < to; h++) {
        const stratum_sample_t *p = &l->samples[h];
        double n = (double)p->n, m = (double)p->m, v = stratum_variance(p, cov2);
        mean += n * v / (double)l->group[g].n;
        if (p->m < p->n)
            *all += n * n * (1 - m / n) * v / m;
        if (h > from)
            change += change_variance(p - 1, p, cov2);
    }
    const double more = *all > 0 ? 1 + change / *all : 1;
    *all += change;
    for (uint32_t h = from; h < to; h++)
        plan[h] = (online_stratum_t){.sd = sqrt(mean), .sd_changing = sqrt(mean * more)};
}

/* Degrees of freedom of a group's variance: a variance that one value decides has about two. */
static double degrees(const group_t *of)
{
    double by_shape =
        of->shape.kurtosis > 1 ? 2 * (double)of->m / (of->shape.kurtosis - 1) : of->df;
    return fmax(1, fmin(of->df, by_shape) + of->borrowed);
}

static double errors_within(const look_t *l)
{
    stable_sum_t sum = {0};
    for (uint32_t h = 0; h < l->strata->n; h++) {
        const stratum_sample_t *p = &l->samples[h];
        for (uint64_t i = 0; i < p->m; i++)
            sum_add(&sum, (double)p->n / (double)p->m * p->within[i]);
    }
    return sum_value(&sum);
}

static void add_up(const look_t *l, online_state_t *s)
{
    stable_sum_t total = {0}, variance = {0}, per_df = {0}, third = {0};
    s->exact = true;
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        const group_t *of = &l->group[g];
        double v = of->variance;
        sum_add(&total, of->total);
        s->exact = s->exact && of->m == of->n;
        if (!(v > 0))
            continue;
        sum_add(&variance, v);
        sum_add(&per_df, v * v / degrees(of));
        sum_add(&third, of->shape.skew / sqrt((double)of->m) * v * sqrt(v));
    }
    double v = sum_value(&variance), d = sum_value(&per_df);
    s->total = sum_value(&total);
    s->variance = v;
    s->within = errors_within(l);
    s->df = d > 0 ? v * v / d : INFINITY;
    s->skew = v > 0 ? sum_value(&third) / (v * sqrt(v)) : 0;
}

/* Length of slow launches where nothing is known of it, only to plan by. */
#define USUALLY_SLOW 4.0

/* Whether what is known of the length of slow launches is the chip's limit. */
static bool has_limit(const online_assume_t *assume)
{
    return assume->slow <= 0 && assume->extra != NULL;
}

/* How long a slow launch of a group may be, in means of the group. */
static double reach_of(const look_t *l, uint32_t g)
{
    const double mean = l->group[g].total / (double)l->group[g].n;
    if (has_limit(l->assume))
        return mean > 0 ? 1 + l->assume->extra[g] / mean : 1;
    return l->assume->slow > 0 ? l->assume->slow : USUALLY_SLOW;
}

/* Whether slow launches may be left in a group that no sample met. Where slow ones were met, the
 * variance contains them. */
static bool may_hide(const look_t *l, uint32_t g, double slowest)
{
    const group_t *of = &l->group[g];
    return of->m < of->n && of->ratio < sqrt(fmax(slowest, reach_of(l, g)));
}

/* The largest share of n launches that may be slow if none of m of them was: k slow ones are all
 * among the others with the probability (1 - m / n)^k. */
static double unmet_share(double m, double n, double confidence)
{
    return fmin(1, log(1 - confidence) / log1p(-m / n) / n);
}

static void add_unseen(const look_t *l, online_state_t *s, uint32_t g, double share, double rare)
{
    const group_t *of = &l->group[g];
    const double left = 1 - (double)of->m / (double)of->n, reach = reach_of(l, g);
    const double length = has_limit(l->assume) ? fmin(s->ratio, reach) : s->ratio;
    const double met = of->total * fmin(share, left) * (length - 1);
    const double assumed = of->total * fmin(rare, left) * (reach - 1);
    const double more = fmax(met, assumed), before = s->unseen;
    s->unseen += more;
    if (more > 0)
        s->share = (s->share * before + (met < assumed ? rare : share) * more) / s->unseen;
    s->reach = fmax(s->reach, fmax(reach, length));
}

/* What slow launches that no sample met may add. */
static void find_unseen(const look_t *l, online_state_t *s, online_stratum_t *plan)
{
    const online_assume_t *assume = l->assume;
    s->ratio = 1;
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        if (l->strata->equal[g])
            s->ratio = fmax(s->ratio, l->group[g].ratio);
    }
    const double slowest = has_limit(assume) ? 1 : s->ratio;
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        const bool may = may_hide(l, g, slowest);
        s->looked += may ? l->group[g].m : 0;
        s->hidden += may ? (double)l->group[g].n : 0;
    }
    if (s->looked == 0)
        return;
    const double share = unmet_share((double)s->looked, s->hidden, assume->confidence);
    const bool excluded = share <= assume->rare;
    const double rare = !excluded ? assume->rare : has_limit(assume) ? share : 0;
    s->unbounded = !excluded && !has_limit(assume) && assume->slow <= 0;
    s->rare = s->ratio > USUALLY_SLOW ? share : rare;
    s->share = rare > 0 ? rare : share;
    s->fixed = !excluded && !has_limit(assume);
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        if (!may_hide(l, g, slowest))
            continue;
        add_unseen(l, s, g, share, rare);
        for (uint32_t h = l->strata->of_group[g]; h < l->strata->of_group[g + 1]; h++)
            plan[h].maybe_slow = true;
    }
}

/* What the launches that are longer than the longest sample make up, if the tail is a power law with
 * this index: m samples leave 1 / m of the launches beyond their largest. */
static double beyond(const group_t *of, double index)
{
    double left = (double)(of->n - of->m) / (double)of->m;
    return left * of->shape.most * index / fmax(index - 1, 0.1);
}

static void judge_tails(const look_t *l, online_state_t *s)
{
    s->tail_index = l->tail_index;
    for (uint32_t g = 0; g < l->strata->n_groups; g++) {
        double share = l->group[g].shape.share * l->group[g].variance / s->variance;
        if (share > s->tail_share) {
            s->tail_share = share;
            s->tail_group = g;
        }
    }
    if (s->tail_index < TAIL_POOLED)
        s->unseen += beyond(&l->group[s->tail_group], s->tail_index);
    s->heavy = s->tail_index < TAIL_INDEX && s->tail_share > TAIL_SHARE;
    s->hopeless = s->heavy && l->power_law;
}

online_state_t online_state(const stem_strata_t *strata, const stratum_sample_t *samples,
                            const online_assume_t *assume, online_stratum_t *plan)
{
    online_state_t s = {0};
    uint64_t all = 0;
    for (uint32_t h = 0; h < strata->n; h++)
        all += samples[h].m;
    look_t l = {.strata = strata,
                .samples = samples,
                .assume = assume,
                .group = rb_calloc(strata->n_groups, sizeof(*l.group)),
                .values = rb_calloc(all, sizeof(*l.values))};
    for (uint32_t g = 0; g < strata->n_groups; g++)
        look_at(&l, g);
    find_tail(&l);
    find_priors(&l);
    for (uint32_t g = 0; g < strata->n_groups; g++)
        find_variances(&l, g, plan);
    add_up(&l, &s);
    find_unseen(&l, &s, plan);
    judge_tails(&l, &s);
    free(l.group);
    free(l.values);
    return s;
}

double online_looks_for(const online_state_t *s, double confidence, double unseen)
{
    const double share = s->fixed || !(s->unseen > 0) ? s->share : s->share * unseen / s->unseen;
    return s->hidden * -expm1(log(1 - confidence) / (share * s->hidden));
}

online_half_t online_half(const online_state_t *s, double confidence, bool with_inside)
{
    double error = sqrt(s->variance + (with_inside && s->within > 0 ? s->within : 0));
    double t = interval_factor(confidence, s->df), z = interval_factor(confidence, INFINITY);
    return (online_half_t){.below = error * (t + skew_allowance(-s->skew, z)),
                           .above = hypot(error * (t + skew_allowance(s->skew, z)), s->unseen)};
}
