#include "sampling/estimate/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/state_error.h"
#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"

#define PAIRED "paired t"

/* Samples from which a spread is taken, if there are so many of a kernel. */
#define ENOUGH 6

/*
 * Share of the cycles that were left out by which the state of the chip may be off at one point and not at the
 * other (docs/sampling-studies.md).
 */
#define CHANGE_STATE_ERROR 0.0025

static const char not_random[] = "the launches were not chosen at random";
static const char not_met[] = "of some launches, none like them was simulated at both points";
static const char alone[] = "one launch was simulated at both points, which shows no spread";
static const char unseen[] = "no launch that was simulated at both points shows any";
static const char rare[] = "too few of the simulated launches show any";
static const char from_nothing[] = "it is 0 in the first run";
static const char not_walked[] =
    "the launches that were left out were not walked, so the simulated ones found other caches";
static const char not_inside[] =
    "parts of launches were left out, and what that adds to this statistic's change is not known";

static change_t without_interval(change_kind_t kind, const char *reason)
{
    return (change_t){.kind = kind,
                      .a = (double)NAN,
                      .b = (double)NAN,
                      .change = (double)NAN,
                      .low = (double)NAN,
                      .high = (double)NAN,
                      .df = INFINITY,
                      .method = "none",
                      .reason = reason};
}

/* --- strata ---------------------------------------------------------------------------------- */

/* A stratum, by the samples that both runs simulated. */
typedef struct {
    uint64_t from, to;  /* samples */
    double size, draws; /* N_h, n_h */
    double time;        /* mean cycles in the first run */
    uint32_t name;      /* kernel */
    uint32_t group;     /* of joined strata */
    bool certain;       /* all of its launches were simulated */
    double spread;      /* of the times in the profile, relative; NAN: not known */
    double scale;       /* mean size of a sample's terms; for one statistic, as below */
} stratum_t;

typedef struct {
    const pairs_t *p;
    stratum_t *list; /* owned */
    size_t n;
    bool missing; /* of a stratum, no sample was simulated by both */
} strata_t;

/* A run: the values of the program by the samples, and those of what was simulated. */
typedef struct {
    double program[STAT_VALUES], simulated[STAT_VALUES];
} arm_t;

struct paired {
    pairs_t p;
    strata_t s;
    arm_t a, b;
    double *d, *size; /* owned; see residuals_t */
};

static bool is_paired(const pairs_t *p, uint64_t sample)
{
    return p->both == NULL || p->both[sample];
}

static const double *values_of(const double *all, uint64_t sample)
{
    return &all[sample * STAT_VALUES];
}

/* The mean of a number per sample over a stratum. */
static double stratum_mean(const pairs_t *p, const stratum_t *h, const double *value)
{
    double sum = 0;
    for (uint64_t i = h->from; i < h->to; i++)
        if (is_paired(p, i))
            sum += p->plan->samples[i].draws * value[i];
    return sum / h->draws;
}

static stratum_t stratum_of(const pairs_t *p, uint32_t cluster, uint64_t from, uint64_t to)
{
    const plan_cluster_t *c = &p->plan->clusters[cluster];
    stratum_t h = {.from = from,
                   .to = to,
                   .size = (double)c->size,
                   .name = c->name,
                   .spread = c->sd / c->mean};
    for (uint64_t i = from; i < to; i++) {
        if (!is_paired(p, i))
            continue;
        h.draws += p->plan->samples[i].draws;
        h.time += p->plan->samples[i].draws * values_of(p->a, i)[VALUE_CYCLES];
    }
    if (h.draws > 0)
        h.time /= h.draws;
    h.certain = !p->plan->replacement && h.draws >= h.size;
    return h;
}

static int by_kernel_and_time(const void *a, const void *b)
{
    const stratum_t *x = a, *y = b;
    if (x->certain != y->certain)
        return x->certain - y->certain;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->time < y->time || y->time < x->time)
        return x->time < y->time ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* The end of the kernel of stratum i, and its samples. */
static size_t end_of_kernel(const strata_t *s, size_t i, double *draws)
{
    const uint32_t name = s->list[i].name;
    *draws = 0;
    for (; i < s->n && !s->list[i].certain && s->list[i].name == name; i++)
        *draws += s->list[i].draws;
    return i;
}

/*
 * Numbers the groups. Strata of a kernel that are next to each other in time are joined until they have
 * ENOUGH samples: a spread of two or three is known so badly that the interval would be several times as
 * wide. A kernel with one sample is joined with the next one, the last with the one before it.
 */
static void join(strata_t *s)
{
    uint32_t group = 0;
    size_t i = 0;
    double draws = 0, left; /* in the group so far; behind it in the kernel */
    while (i < s->n && !s->list[i].certain) {
        for (const size_t end = end_of_kernel(s, i, &left); i < end; i++) {
            s->list[i].group = group;
            draws += s->list[i].draws;
            left -= s->list[i].draws;
            if (draws >= ENOUGH && left >= ENOUGH) {
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

static void strata_make(strata_t *s, const pairs_t *p)
{
    *s = (strata_t){.p = p, .list = rb_calloc(p->plan->n_clusters + 1, sizeof(*s->list))};
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

/* --- spread ---------------------------------------------------------------------------------- */

/* A variance, and the sum for Satterthwaite's degrees of freedom. */
typedef struct {
    double variance, per_df;
    bool unknown, sampled, profile;
} spread_t;

/* The square of how much a stratum's mean counts. */
static double square_of(const strata_t *s, const stratum_t *h)
{
    const double left = s->p->plan->replacement ? 1 : 1 - h->draws / h->size;
    return h->size * h->size * left / h->draws;
}

/* Adds the strata [from, to), whose residuals are compared relative to the strata's sizes. Strata that have
 * nothing of the statistic show nothing of its spread. */
static void add_group(spread_t *v, const strata_t *s, size_t from, size_t to, const double *d)
{
    const pairs_t *p = s->p;
    double draws = 0, sum = 0, squares = 0, factor = 0;
    v->sampled = true;
    for (size_t i = from; i < to; i++) {
        const stratum_t *h = &s->list[i];
        if (!(h->scale > 0))
            continue;
        factor += square_of(s, h) * h->scale * h->scale;
        draws += h->draws;
        sum += h->draws * stratum_mean(p, h, d) / h->scale;
    }
    if (draws < 2) {
        v->unknown = v->unknown || draws > 0;
        return;
    }
    for (size_t i = from; i < to; i++) {
        const stratum_t *h = &s->list[i];
        for (uint64_t k = h->from; k < h->to; k++) {
            if (!(h->scale > 0) || !is_paired(p, k))
                continue;
            const double e = d[k] / h->scale - sum / draws;
            squares += p->plan->samples[k].draws * e * e;
        }
    }
    const double variance = factor * squares / (draws - 1);
    v->variance += variance;
    v->per_df += variance * variance / (draws - 1);
}

static spread_t joined_spread(const strata_t *s, const double *d)
{
    spread_t v = {0};
    for (size_t from = 0, to; from < s->n && !s->list[from].certain; from = to) {
        for (to = from; to < s->n && !s->list[to].certain; to++)
            if (s->list[to].group != s->list[from].group)
                break;
        add_group(&v, s, from, to, d);
    }
    return v;
}

/* Strata of one sample with the spread of their times in the profile, which both values have, and which
 * may be against each other. unknown: that of some is not known. */
static spread_t profile_spread(const strata_t *s, const double *d)
{
    spread_t v = {0};
    for (size_t i = 0; i < s->n && !s->list[i].certain; i++) {
        const stratum_t *h = &s->list[i];
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

static double half_of(const spread_t *v, double confidence, double *df)
{
    *df = v->per_df > 0 ? v->variance * v->variance / v->per_df : INFINITY;
    return v->variance > 0 ? interval_factor(confidence, *df) * sqrt(v->variance) : 0;
}

/* --- one statistic --------------------------------------------------------------------------- */

static void add_launch(double sum[STAT_VALUES], const double *values, double weight)
{
    for (size_t v = 0; v < STAT_VALUES; v++)
        sum[v] += weight * values[v];
}

static void arm_make(arm_t *arm, const strata_t *s, const double *all, bool whole)
{
    for (size_t i = 0; i < s->n; i++) {
        const stratum_t *h = &s->list[i];
        for (uint64_t k = h->from; k < h->to; k++) {
            if (!is_paired(s->p, k))
                continue;
            add_launch(arm->program, values_of(all, k),
                       h->size * s->p->plan->samples[k].draws / h->draws);
            add_launch(arm->simulated, values_of(all, k), 1);
        }
    }
    if (whole)
        memcpy(arm->simulated, arm->program, sizeof(arm->simulated));
}

/* Whether the samples are the same in all that is known of them: then nothing shows a difference of the
 * chip's state either. */
static bool is_same(const pairs_t *p)
{
    for (uint64_t i = 0; i < p->plan->n_samples; i++)
        if (is_paired(p, i) &&
            memcmp(values_of(p->a, i), values_of(p->b, i), STAT_VALUES * sizeof(double)) != 0)
            return false;
    return true;
}

paired_t *paired_create(const pairs_t *pairs)
{
    paired_t *p = rb_calloc(1, sizeof(*p));
    p->p = *pairs;
    if (is_same(pairs))
        p->p.whole_a = p->p.whole_b = true;
    p->d = rb_calloc(pairs->plan->n_samples + 1, sizeof(*p->d));
    p->size = rb_calloc(pairs->plan->n_samples + 1, sizeof(*p->size));
    strata_make(&p->s, &p->p);
    arm_make(&p->a, &p->s, pairs->a, p->p.whole_a);
    arm_make(&p->b, &p->s, pairs->b, p->p.whole_b);
    return p;
}

void paired_free(paired_t *p)
{
    if (p == NULL)
        return;
    free(p->s.list);
    free(p->d);
    free(p->size);
    free(p);
}

/* The change as a sum of the values of one run: scale times the linearised quotient (y - R x) / X. */
typedef struct {
    linear_term_t term[2 * FORM_TERMS_MAX];
    size_t n;
} change_terms_t;

static change_terms_t terms_of(const stat_form_t *f, double rate, double denominator, double scale)
{
    change_terms_t t = {0};
    for (size_t i = 0; i < f->num.n; i++)
        t.term[t.n++] =
            (linear_term_t){f->num.term[i].value, scale * f->num.term[i].coefficient / denominator};
    for (size_t i = 0; i < f->den.n; i++)
        t.term[t.n++] = (linear_term_t){f->den.term[i].value,
                                        -scale * rate * f->den.term[i].coefficient / denominator};
    return t;
}

/* Adds a run's part to the residual of each sample, and to the size of what it is the difference of. */
static void add_residuals(paired_t *p, const change_terms_t *t, const double *all)
{
    for (uint64_t i = 0; i < p->p.plan->n_samples; i++) {
        if (!is_paired(&p->p, i))
            continue;
        for (size_t k = 0; k < t->n; k++) {
            const double x = t->term[k].coefficient * values_of(all, i)[t->term[k].value];
            p->d[i] += x;
            p->size[i] += fabs(x);
        }
    }
}

/* What was left out inside launches adds to the cycles, once per launch that a sample stands for (as in
 * stratified.h). False: it is not known. */
static bool add_inside(const strata_t *s, bool of_cycles, double scale_a, double scale_b,
                       double *variance)
{
    const pairs_t *p = s->p;
    for (size_t i = 0; p->inside_a != NULL && i < s->n; i++) {
        const stratum_t *h = &s->list[i];
        for (uint64_t k = h->from; k < h->to; k++) {
            if (!is_paired(p, k) || (p->inside_a[k] == 0 && p->inside_b[k] == 0))
                continue;
            const double v =
                scale_a * scale_a * p->inside_a[k] + scale_b * scale_b * p->inside_b[k];
            if (!of_cycles || isnan(v))
                return false;
            *variance += p->plan->samples[k].draws * h->size / h->draws * v;
        }
    }
    return true;
}

/* What the state of the chip adds to half the width, in one run. */
static double state_half(const arm_t *arm, const change_terms_t *t)
{
    double cycles = 0;
    for (size_t i = 0; i < t->n; i++)
        cycles += t->term[i].value == VALUE_CYCLES ? t->term[i].coefficient : 0;
    const double left = fmax(arm->program[VALUE_CYCLES] - arm->simulated[VALUE_CYCLES], 0);
    return hypot(state_error(t->term, t->n, arm->program, arm->simulated),
                 CHANGE_STATE_ERROR * cycles * left);
}

/* Whether so few samples show anything of the statistic that those which do say little of the others. */
static bool is_rare(const paired_t *p)
{
    uint64_t shown = 0, of = 0;
    for (size_t i = 0; i < p->s.n; i++) {
        const stratum_t *h = &p->s.list[i];
        for (uint64_t k = h->from; k < h->to; k++) {
            if (h->certain || !is_paired(&p->p, k))
                continue;
            of++;
            shown += p->size[k] > 0;
        }
    }
    return shown < of && shown < ENOUGH;
}

/* of_cycles: the profile knows their spread. state: added to half the width. */
static void set_interval(change_t *c, paired_t *p, bool of_cycles, double inside, double state)
{
    strata_t *s = &p->s;
    if (is_rare(p)) {
        c->reason = rare;
        return;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].draws > 0)
            s->list[i].scale = stratum_mean(s->p, &s->list[i], p->size);
    spread_t joined = joined_spread(s, p->d), profile = profile_spread(s, p->d);
    joined.variance += inside;
    profile.variance += inside;
    double df, other;
    double half = half_of(&joined, s->p->confidence, &df);
    const double half_profile = half_of(&profile, s->p->confidence, &other);
    c->method = joined.sampled ? PAIRED : inside > 0 ? "jackknife inside launches" : "exact";
    if (of_cycles && profile.profile && !profile.unknown &&
        (joined.unknown || half_profile < half)) {
        half = half_profile;
        df = other;
        c->method = PAIRED ", spread from the profile where one launch was sampled";
    } else if (joined.unknown) {
        c->method = "none";
        c->reason = alone;
        return;
    }
    c->low = c->change - hypot(half, state);
    c->high = c->change + hypot(half, state);
    c->df = df;
}

static void with_interval(change_t *c, paired_t *p, const stat_form_t *a, const stat_form_t *b,
                          double scale_a, double scale_b)
{
    const size_t n = p->p.plan->n_samples;
    const double den_a = a->den.n > 0 ? form_value(&a->den, p->a.program) : 1;
    const double den_b = b->den.n > 0 ? form_value(&b->den, p->b.program) : 1;
    const change_terms_t of_a = terms_of(a, c->a, den_a, scale_a);
    const change_terms_t of_b = terms_of(b, c->b, den_b, scale_b);
    const bool of_cycles = a->den.n == 0 && a->num.n == 1 && a->num.term[0].value == VALUE_CYCLES;
    double inside = 0;
    if ((p->p.cold_a && state_error_is_cold(of_a.term, of_a.n)) ||
        (p->p.cold_b && state_error_is_cold(of_b.term, of_b.n))) {
        c->reason = not_walked;
        return;
    }
    if (!add_inside(&p->s, of_cycles, scale_a, scale_b, &inside)) {
        c->reason = not_inside;
        return;
    }
    memset(p->d, 0, n * sizeof(*p->d));
    memset(p->size, 0, n * sizeof(*p->size));
    add_residuals(p, &of_a, p->p.a);
    add_residuals(p, &of_b, p->p.b);
    set_interval(c, p, of_cycles, inside,
                 hypot(state_half(&p->a, &of_a), state_half(&p->b, &of_b)));
}

change_t paired_change(paired_t *p, const stat_form_t *a, const stat_form_t *b, change_kind_t kind)
{
    change_t c = without_interval(kind, NULL);
    if (!p->p.plan->random)
        return without_interval(kind, not_random);
    if (p->s.missing)
        return without_interval(kind, not_met);
    const double num_a = form_value(&a->num, p->a.program);
    const double num_b = form_value(&b->num, p->b.program);
    c.a = a->den.n > 0 ? num_a / form_value(&a->den, p->a.program) : num_a;
    c.b = b->den.n > 0 ? num_b / form_value(&b->den, p->b.program) : num_b;
    if (!isfinite(c.a) || !isfinite(c.b) || (num_a == 0 && num_b == 0)) {
        c.reason = unseen;
        return c;
    }
    if (kind == CHANGE_RELATIVE && num_a == 0) {
        c.reason = from_nothing;
        return c;
    }
    const double ratio = c.b / c.a;
    const double scale_b = kind == CHANGE_RELATIVE ? 1 / c.a : 1;
    const double scale_a = kind == CHANGE_RELATIVE ? -ratio / c.a : -1;
    c.change = kind == CHANGE_RELATIVE ? ratio - 1 : c.b - c.a;
    with_interval(&c, p, a, b, scale_a, scale_b);
    return c;
}

/* --- without pairs --------------------------------------------------------------------------- */

change_t change_independent(const uncertain_t *a, const uncertain_t *b, change_kind_t kind)
{
    change_t c = without_interval(kind, NULL);
    c.a = a->value;
    c.b = b->value;
    if (kind == CHANGE_RELATIVE && a->value == 0) {
        c.reason = from_nothing;
        return c;
    }
    const double ratio = b->value / a->value;
    const double scale_b = kind == CHANGE_RELATIVE ? 1 / fabs(a->value) : 1;
    const double scale_a = kind == CHANGE_RELATIVE ? fabs(ratio / a->value) : 1;
    c.change = kind == CHANGE_RELATIVE ? ratio - 1 : b->value - a->value;
    c.low = c.change - hypot(scale_b * (b->value - b->low), scale_a * (a->high - a->value));
    c.high = c.change + hypot(scale_b * (b->high - b->value), scale_a * (a->value - a->low));
    if (isfinite(c.low) && isfinite(c.high)) {
        c.method = c.low < c.high ? "independent" : "exact";
        return c;
    }
    c.low = c.high = (double)NAN;
    c.reason = "one of the two has no interval";
    return c;
}

bool change_is_none(const change_t *c)
{
    return c->low <= 0 && c->high >= 0;
}
