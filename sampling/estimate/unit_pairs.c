#include "sampling/estimate/unit_pairs.h"

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
    double left; /* share of the cycles */
} side_t;

struct unit_pairs {
    size_t n;
    side_t side[2];
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
    s->left = 1 - counted / s->total[VALUE_CYCLES];
}

unit_pairs_t *unit_pairs_create(const launch_units_t *a, const launch_units_t *b, double confidence,
                                const char **why)
{
    *why = NULL;
    if (a->launch != b->launch || a->code != b->code || a->blocks != b->blocks)
        *why = "the runs are of different programs";
    else if (a->choice != b->choice)
        *why = "the runs chose different parts of the launch";
    else if (a->n < UNIT_PAIRS_LEAST || b->n < UNIT_PAIRS_LEAST)
        *why = "too few parts of the launch were measured by both runs";
    else if (!has_units(a, b) && !has_units(b, a))
        *why = "each run measured parts of the launch that the other one could not";
    if (*why != NULL)
        return NULL;
    const launch_units_t *common = has_units(a, b) ? b : a;
    unit_pairs_t *p = rb_calloc(1, sizeof(*p));
    p->n = common->n;
    p->confidence = confidence;
    take_side(&p->side[0], a, common);
    take_side(&p->side[1], b, common);
    return p;
}

void unit_pairs_free(unit_pairs_t *p)
{
    for (int k = 0; p != NULL && k < 2; k++) {
        free(p->side[k].rate);
        free(p->side[k].weight);
    }
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

change_t unit_pairs_change(const unit_pairs_t *p, const stat_form_t *a, const stat_form_t *b,
                           change_kind_t kind)
{
    const side_t *x = &p->side[0], *y = &p->side[1];
    change_t c = {.kind = kind,
                  .a = value(a, x->total),
                  .b = value(b, y->total),
                  .low = (double)NAN,
                  .high = (double)NAN,
                  .df = (double)p->n - 1,
                  .method = "none"};
    const bool relative = kind == CHANGE_RELATIVE;
    c.change = relative ? c.b / c.a - 1 : c.b - c.a;
    if (!isfinite(c.change)) {
        c.reason = "it is not measured in parts of a launch";
        return c;
    }
    const double scale_b = relative ? 1 / c.a : 1, scale_a = relative ? -c.b / c.a / c.a : -1;
    double *d = rb_calloc(p->n, sizeof(*d));
    for (size_t k = 0; k < p->n; k++) {
        const double share = y->weight[k] > 0 ? x->weight[k] / y->weight[k] : 0;
        d[k] = scale_b * slope(b, y->total, y->rate[k]) +
               scale_a * share * slope(a, x->total, x->rate[k]);
    }
    const double size =
        relative ? 1 + fabs(c.change) : fmax(fmax(fabs(c.a), fabs(c.b)), SMALL_SHARE);
    const double half =
        hypot(interval_factor(p->confidence, c.df) * sqrt(spread(d, y->weight, p->n)),
              UNIT_PAIRS_ERROR * fmax(x->left, y->left) * size);
    free(d);
    c.low = c.change - half;
    c.high = c.change + half;
    c.method = "paired units";
    return c;
}
