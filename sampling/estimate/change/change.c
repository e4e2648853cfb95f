#include "sampling/estimate/change/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/change/change_part.h"
#include "sampling/estimate/change/change_spread.h"
#include "sampling/estimate/state_error.h"
#include "sim/core/alloc.h"

#define PAIRED "paired t"

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

/* A run: the values of the program by the samples, and those of what was simulated. */
typedef struct {
    double program[STAT_VALUES], simulated[STAT_VALUES];
} arm_t;

struct paired {
    pairs_t p;
    change_strata_t s;
    arm_t a, b;
    double *weight;       /* owned; per sample */
    double *d, *size;     /* owned; per sample, of one statistic: see add_residuals() */
    part_groups_t groups; /* if a part was drawn */
};

/* --- one statistic --------------------------------------------------------------------------- */

static void add_launch(double sum[STAT_VALUES], const double *values, double weight)
{
    for (size_t v = 0; v < STAT_VALUES; v++)
        sum[v] += weight * values[v];
}

/* Whether both runs simulated a sample. */
static bool is_simulated(const pairs_t *p, uint64_t sample)
{
    return p->both == NULL || p->both[sample];
}

static void arm_make(arm_t *arm, const paired_t *p, const double *all, bool has_all, bool whole)
{
    for (uint64_t i = 0; i < p->p.plan->n_samples; i++) {
        if (is_simulated(&p->p, i))
            add_launch(arm->program, change_values(all, i), p->weight[i]);
        if (is_simulated(&p->p, i) || has_all)
            add_launch(arm->simulated, change_values(all, i), 1);
    }
    if (whole)
        memcpy(arm->simulated, arm->program, sizeof(arm->simulated));
}

static void set_weights(paired_t *p)
{
    if (p->p.drawn != NULL) {
        part_weights(&p->groups, p->p.drawn, p->weight);
        return;
    }
    for (size_t h = 0; h < p->s.n; h++) {
        const change_stratum_t *of = &p->s.list[h];
        for (uint64_t i = of->from; i < of->to; i++)
            p->weight[i] = of->size * p->p.plan->samples[i].draws / of->draws;
    }
}

/* Whether the samples are the same in all that is known of them: then nothing shows a difference of the
 * chip's state either. */
static bool is_same(const pairs_t *p)
{
    for (uint64_t i = 0; i < p->plan->n_samples; i++)
        /* Bit by bit: equal are also two that are unknown. */
        /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
        if (is_simulated(p, i) && memcmp(change_values(p->a, i), change_values(p->b, i),
                                         STAT_VALUES * sizeof(double)) != 0)
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
    p->weight = rb_calloc(pairs->plan->n_samples + 1, sizeof(*p->weight));
    change_strata_make(&p->s, &p->p);
    if (pairs->drawn != NULL)
        part_groups_make(&p->groups, pairs->plan, pairs->cycles, pairs->kernel);
    set_weights(p);
    arm_make(&p->a, p, pairs->a, pairs->all_a, p->p.whole_a);
    arm_make(&p->b, p, pairs->b, pairs->all_b, p->p.whole_b);
    return p;
}

void paired_free(paired_t *p)
{
    if (p == NULL)
        return;
    free(p->s.list);
    part_groups_free(&p->groups);
    free(p->weight);
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
        if (!is_simulated(&p->p, i))
            continue;
        for (size_t k = 0; k < t->n; k++) {
            const double x = t->term[k].coefficient * change_values(all, i)[t->term[k].value];
            p->d[i] += x;
            p->size[i] += fabs(x);
        }
    }
}

/* What was left out inside launches adds to the cycles, once per launch that a sample stands for (as in
 * stratified.h). False: it is not known. */
static bool add_inside(const paired_t *of, bool of_cycles, double scale_a, double scale_b,
                       double *variance)
{
    const pairs_t *p = &of->p;
    for (uint64_t i = 0; p->inside_a != NULL && i < p->plan->n_samples; i++) {
        if (!is_simulated(p, i) || (p->inside_a[i] == 0 && p->inside_b[i] == 0))
            continue;
        const double v = scale_a * scale_a * p->inside_a[i] + scale_b * scale_b * p->inside_b[i];
        if (!of_cycles || isnan(v))
            return false;
        *variance += of->weight[i] * v;
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
        const change_stratum_t *h = &p->s.list[i];
        for (uint64_t k = h->from; k < h->to; k++) {
            if ((h->certain && p->p.drawn == NULL) || !is_simulated(&p->p, k))
                continue;
            of++;
            shown += p->size[k] > 0;
        }
    }
    return shown < of && shown < CHANGE_ENOUGH;
}

/* Sets the residuals and sizes of the launches that were not drawn, and adds what drawing adds to the
 * variance. */
static void add_drawing(paired_t *p, change_spread_t *v)
{
    const part_groups_t *g = &p->groups;
    double *noise = rb_calloc(g->n + 1, sizeof(*noise)), *mean = rb_calloc(g->n + 1, sizeof(*mean));
    double *size = rb_calloc(g->n + 1, sizeof(*size));
    part_drawn_t *of = rb_calloc(g->n + 1, sizeof(*of));
    for (uint32_t k = 0; k < g->n; k++) {
        (void)part_spread(g, p->p.drawn, k, p->size, &size[k]);
        noise[k] = part_spread(g, p->p.drawn, k, p->d, &mean[k]);
        of[k] = part_drawn(g, p->p.drawn, k);
    }
    double *squares = rb_calloc(g->n + 1, sizeof(*squares)); /* sum (1 - n_h / N_h) x^2 */
    for (size_t i = 0; i < p->s.n; i++) {
        const change_stratum_t *h = &p->s.list[i];
        for (uint64_t s = h->from; s < h->to; s++) {
            const uint32_t k = g->of[s];
            if (of[k].complete)
                continue;
            p->d[s] = mean[k] * g->cycles[s];
            p->size[s] = size[k] * g->cycles[s];
            squares[k] += h->certain ? 0 : (1 - fmin(h->draws / h->size, 1)) * g->x[s] * g->x[s];
        }
    }
    for (uint32_t k = 0; k < g->n; k++) {
        if (of[k].complete)
            continue;
        const double draws = (double)of[k].draws;
        const double variance =
            noise[k] * noise[k] * (g->total[k] * g->total[k] / draws + squares[k]);
        v->sampled = true;
        v->unknown = v->unknown || draws < 2;
        v->variance += variance;
        v->per_df += variance * variance / (draws - 1);
    }
    free(noise);
    free(mean);
    free(size);
    free(of);
    free(squares);
}

static void add_spread(change_spread_t *to, const change_spread_t *v)
{
    to->variance += v->variance;
    to->per_df += v->per_df;
    to->sampled = to->sampled || v->sampled;
    to->unknown = to->unknown || v->unknown;
}

/* of_cycles: the profile knows their spread. state: added to half the width. */
static void set_interval(change_t *c, paired_t *p, bool of_cycles, double inside, double state)
{
    change_strata_t *s = &p->s;
    if (is_rare(p)) {
        c->reason = rare;
        return;
    }
    change_spread_t drawing = {0};
    if (s->p->drawn != NULL)
        add_drawing(p, &drawing);
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].draws > 0)
            s->list[i].scale = change_stratum_mean(s->p, &s->list[i], p->size);
    change_spread_t joined = change_joined_spread(s, p->d),
                    profile = change_profile_spread(s, p->d);
    add_spread(&joined, &drawing);
    add_spread(&profile, &drawing);
    joined.variance += inside;
    profile.variance += inside;
    double df, other;
    double half = change_half(&joined, s->p->confidence, &df);
    const double half_profile = change_half(&profile, s->p->confidence, &other);
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
    if (!add_inside(p, of_cycles, scale_a, scale_b, &inside)) {
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
