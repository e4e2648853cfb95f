#include "sampling/estimate/change/unit_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"

/*
 * Half the interval that pairs of units do not show, as a share of what was left out: half of what smarts takes
 * for the error that all units of a run may share (bias). In two runs that measure the same blocks it was 0 to 2.5 %
 * different.
 */
#define UNIT_PAIRS_ERROR 0.015

/* Shares smaller than this one are not known better than it. */
#define SMALL_SHARE 0.2

/* What a run says about a launch, from the units that both runs measured. */
typedef struct {
    double (*rate)[STAT_VALUES]; /* owned: of each of the n units, per warp instruction */
    double *weight;              /* owned: left-out warp instructions that each stands for */
    double total[STAT_VALUES];
    double left; /* cycles that were left out */
} side_t;

/* A launch of which both measured units. */
typedef struct {
    size_t n; /* units */
    side_t side[2];
} paired_launch_t;

struct unit_pairs {
    paired_launch_t *launch; /* owned */
    size_t n, cap;
    double total[2][STAT_VALUES]; /* of all launches */
    double apart[2];              /* variance of the cycles of launches that are no pairs */
    double confidence;
};

static void set_values(double to[STAT_VALUES], const launch_estimate_t *e, double scale)
{
    for (size_t i = 0; i < STAT_VALUES; i++)
        to[i] = (double)NAN;
    to[VALUE_CYCLES] = scale * e->cycles;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        to[VALUE_COUNTERS + i] = scale * e->counter[i];
    to[VALUE_WARP_INSTS] = to[VALUE_AT(sm.warp_insts)];
}

static void add_values(double to[STAT_VALUES], const double part[STAT_VALUES], double scale)
{
    for (size_t i = 0; i < STAT_VALUES; i++)
        to[i] += scale * part[i];
}

static const measured_unit_t *find_unit(const launch_units_t *l, uint64_t of)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->unit[i].of == of)
            return &l->unit[i];
    return NULL;
}

static bool has_units(const launch_units_t *l, const launch_units_t *of)
{
    for (size_t i = 0; i < of->n; i++)
        if (find_unit(l, of->unit[i].of) == NULL)
            return false;
    return true;
}

/* Takes the run's estimate from the units of `common`, which it has all. */
static void take_side(side_t *s, const launch_units_t *l, const launch_units_t *common)
{
    const size_t n = common->n;
    double values[STAT_VALUES];
    s->rate = rb_calloc(n, sizeof(*s->rate));
    s->weight = rb_calloc(n, sizeof(*s->weight));
    set_values(s->total, &l->counted, 1);
    for (size_t i = 0, k = 0; i < l->n; i++) {
        const measured_unit_t *u = &l->unit[i];
        while (k + 1 < n && common->unit[k].last < u->of)
            k++;
        s->weight[k] += u->weight;
        if (find_unit(common, u->of) != NULL)
            continue;
        s->weight[k] += u->insts;
        set_values(values, &u->measured, 1);
        add_values(s->total, values, -1);
    }
    const double counted = s->total[VALUE_CYCLES];
    for (size_t k = 0; k < n; k++) {
        const measured_unit_t *u = find_unit(l, common->unit[k].of);
        set_values(s->rate[k], &u->measured, 1 / u->insts);
        add_values(s->total, s->rate[k], s->weight[k]);
    }
    s->total[VALUE_BLOCKS] = (double)l->blocks;
    s->left = s->total[VALUE_CYCLES] - counted;
}

unit_pairs_t *unit_pairs_create(double confidence)
{
    unit_pairs_t *p = rb_calloc(1, sizeof(*p));
    p->confidence = confidence;
    return p;
}

const char *unit_pairs_add(unit_pairs_t *p, const launch_units_t *a, const launch_units_t *b)
{
    if (a->launch != b->launch || a->code != b->code || a->blocks != b->blocks)
        return "the runs are of different programs";
    if (a->choice != b->choice)
        return "the runs chose different parts of the launch";
    if (a->n < UNIT_PAIRS_LEAST || b->n < UNIT_PAIRS_LEAST)
        return "too few parts of the launch were measured by both runs";
    if (!has_units(a, b) && !has_units(b, a))
        return "each run measured parts of the launch that the other one could not";
    const launch_units_t *common = has_units(a, b) ? b : a;
    rb_grow(&p->launch, &p->cap, p->n + 1, sizeof(*p->launch));
    paired_launch_t *l = &p->launch[p->n++];
    *l = (paired_launch_t){.n = common->n};
    take_side(&l->side[0], a, common);
    take_side(&l->side[1], b, common);
    for (int k = 0; k < 2; k++)
        add_values(p->total[k], l->side[k].total, 1);
    return NULL;
}

void unit_pairs_add_apart(unit_pairs_t *p, const double *a, const double *b, double variance_a,
                          double variance_b)
{
    add_values(p->total[0], a, 1);
    add_values(p->total[1], b, 1);
    p->apart[0] += variance_a;
    p->apart[1] += variance_b;
}

size_t unit_pairs_launches(const unit_pairs_t *p)
{
    return p->n;
}

void unit_pairs_free(unit_pairs_t *p)
{
    for (size_t i = 0; p != NULL && i < p->n; i++) {
        for (int k = 0; k < 2; k++) {
            free(p->launch[i].side[k].rate);
            free(p->launch[i].side[k].weight);
        }
    }
    if (p != NULL)
        free(p->launch);
    free(p);
}

/* The statistic, and its derivative in the direction of `of`. */
static double value(const stat_form_t *f, const double v[STAT_VALUES])
{
    const double num = form_value(&f->num, v);
    return f->den.n > 0 ? num / form_value(&f->den, v) : num;
}

static double slope(const stat_form_t *f, const double v[STAT_VALUES], const double of[STAT_VALUES])
{
    const double num = form_value(&f->num, of);
    return f->den.n > 0 ? (num - value(f, v) * form_value(&f->den, of)) / form_value(&f->den, v)
                        : num;
}

/* Variance of the sum of the weighted deviations: d per warp instruction, w the weights. */
static double spread(const double *d, const double *w, size_t n)
{
    double sum = 0, weight = 0, plain = 0, squares = 0, differences = 0;
    for (size_t k = 0; k < n; k++) {
        sum += w[k] * d[k];
        weight += w[k];
    }
    for (size_t k = 0; k < n; k++) {
        const double e = d[k] - sum / weight;
        plain += w[k] * w[k] * e * e;
        squares += w[k] * w[k];
        differences += k > 0 ? (d[k] - d[k - 1]) * (d[k] - d[k - 1]) / 2 : 0;
    }
    const double df = (double)n - 1;
    return fmax(plain * (double)n / df, squares * differences / df);
}

/* A change as it depends on both runs: by how much it goes up with a statistic. */
typedef struct {
    const stat_form_t *a, *b;
    double scale_a, scale_b;
} linear_t;

/* What the units of a launch add to the variance. */
static double launch_variance(const unit_pairs_t *p, const paired_launch_t *l, const linear_t *by)
{
    const side_t *x = &l->side[0], *y = &l->side[1];
    double *d = rb_calloc(l->n, sizeof(*d));
    for (size_t k = 0; k < l->n; k++) {
        const double share = y->weight[k] > 0 ? x->weight[k] / y->weight[k] : 0;
        d[k] = by->scale_b * slope(by->b, p->total[1], y->rate[k]) +
               by->scale_a * share * slope(by->a, p->total[0], x->rate[k]);
    }
    const double v = spread(d, y->weight, l->n);
    free(d);
    return v;
}

static bool is_cycles(const stat_form_t *f)
{
    return f->den.n == 0 && f->num.n == 1 && f->num.term[0].value == VALUE_CYCLES;
}

/* The part of a run's cycles that was left out in launches of which both measured units. */
static double left_out(const unit_pairs_t *p, int side)
{
    double left = 0;
    for (size_t i = 0; i < p->n; i++)
        left += p->launch[i].side[side].left;
    return left / p->total[side][VALUE_CYCLES];
}

change_t unit_pairs_change(const unit_pairs_t *p, const stat_form_t *a, const stat_form_t *b,
                           change_kind_t kind)
{
    change_t c = {.kind = kind,
                  .a = value(a, p->total[0]),
                  .b = value(b, p->total[1]),
                  .low = (double)NAN,
                  .high = (double)NAN,
                  .method = "none"};
    const bool relative = kind == CHANGE_RELATIVE;
    c.change = relative ? c.b / c.a - 1 : c.b - c.a;
    if (!isfinite(c.change)) {
        c.reason = "it is not measured in parts of a launch";
        return c;
    }
    const linear_t by = {a, b, relative ? -c.b / c.a / c.a : -1, relative ? 1 / c.a : 1};
    double variance = 0, per_df = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double v = launch_variance(p, &p->launch[i], &by);
        variance += v;
        per_df += v * v / ((double)p->launch[i].n - 1);
    }
    c.df = per_df > 0 ? variance * variance / per_df : INFINITY;
    const double apart =
        by.scale_a * by.scale_a * p->apart[0] + by.scale_b * by.scale_b * p->apart[1];
    if (isnan(apart) || (apart > 0 && !is_cycles(a))) {
        c.reason = "of some launches only one of the two left out a part";
        return c;
    }
    const double size =
        relative ? 1 + fabs(c.change) : fmax(fmax(fabs(c.a), fabs(c.b)), SMALL_SHARE);
    const double shared = UNIT_PAIRS_ERROR * fmax(left_out(p, 0), left_out(p, 1)) * size;
    const double half =
        sqrt(pow(interval_factor(p->confidence, c.df), 2) * variance +
             pow(interval_factor(p->confidence, INFINITY), 2) * apart + shared * shared);
    c.low = c.change - half;
    c.high = c.change + half;
    c.method = "paired units";
    return c;
}
