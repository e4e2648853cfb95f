#include "sampling/inside/smarts/smarts_estimate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"

/* Units at which a slope is looked for, and the confidence with which it must not be 0. */
enum { REGRESSION_UNITS = 4 };
static const double slope_confidence = 0.99;

/* How far units and survey may be apart for nothing, relative: smarts_complete.c has 2 % for either. */
#define SURVEY_ERRORS 0.05

double smarts_count(const smarts_question_t *q, const shadow_counts_t *c, smarts_regressor_t by)
{
    if (by == SMARTS_BY_DRAM || by == SMARTS_BY_MOVED)
        return (double)(c->fills + c->written_back);
    if (by == SMARTS_BY_LOOKUPS)
        return (double)(c->read_sectors + c->write_sectors + c->atomic_sectors);
    if (by == SMARTS_BY_WAITS)
        return q->l2 * (double)c->read_hits + q->dram * (double)(c->read_sectors - c->read_hits);
    return 0;
}

double smarts_rate(const smarts_question_t *q, const shadow_counts_t *c, smarts_regressor_t by)
{
    return c->warp_insts == 0 ? 0 : smarts_count(q, c, by) / (double)c->warp_insts;
}

double smarts_unit_rate(const smarts_question_t *q, const smarts_unit_t *u, smarts_regressor_t by)
{
    if (by == SMARTS_BY_MOVED)
        return (double)(u->counters.l2.fills + u->counters.l2.writebacks) / u->insts;
    return smarts_rate(q, &u->surveyed, by);
}

static double cycles_rate(const smarts_unit_t *u)
{
    return u->cycles / u->insts;
}

/* A weighted line through the units' rates of cycles. */
typedef struct {
    double weight, x, y; /* sum of the weights; means */
    double xx, slope, t;
    double error; /* standard error of the mean of y once x is known */
    double doubt; /* the same, of what x is not known to */
} line_t;

static line_t fit(const smarts_question_t *q, smarts_regressor_t by)
{
    line_t l = {0};
    double xy = 0, left = 0;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        l.weight += u->weight;
        l.x += u->weight * smarts_unit_rate(q, u, by);
        l.y += u->weight * cycles_rate(u);
    }
    if (l.weight <= 0)
        return l;
    l.x /= l.weight;
    l.y /= l.weight;
    for (size_t i = 0; i < q->n; i++) {
        const double dx = smarts_unit_rate(q, &q->units[i], by) - l.x;
        l.xx += q->units[i].weight * dx * dx;
        xy += q->units[i].weight * dx * (cycles_rate(&q->units[i]) - l.y);
    }
    if (q->n < REGRESSION_UNITS)
        return l;
    l.slope = l.xx > 0 ? xy / l.xx : 0;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        const double e = cycles_rate(u) - l.y - l.slope * (smarts_unit_rate(q, u, by) - l.x);
        left += u->weight * e * e;
    }
    /* Weights that sum to n: variance of the residuals over the spread of x. */
    const double df = (double)q->n - (l.xx > 0 ? 2 : 1);
    l.error = sqrt(left / l.weight / df);
    l.t = left > 0 ? fabs(l.slope) * sqrt(l.xx * df / left) : INFINITY;
    return l;
}

/* What the DRAM moved while units ran beyond what the survey counts of their blocks: per warp instruction. */
typedef struct {
    double mean, error; /* of the mean: standard error */
} beyond_t;

static beyond_t find_beyond(const smarts_question_t *q)
{
    const double n = (double)q->n;
    double more = 0, squares = 0, weight = 0;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        /* of its own blocks, so that phases of a launch do not count */
        const double beyond =
            smarts_unit_rate(q, u, SMARTS_BY_MOVED) - smarts_unit_rate(q, u, SMARTS_BY_DRAM);
        weight += u->weight;
        more += u->weight * beyond;
        squares += beyond * beyond;
    }
    const double mean = more / weight;
    return (beyond_t){mean, sqrt(fmax(squares / n - mean * mean, 0) / (n - 1))};
}

/*
 * The same relative to the larger one of the two. Units follow gaps, and blocks that are in another step share more
 * or less in the L2; the survey knows no time. 0: no more than their errors.
 */
static double moved(const smarts_question_t *q, const beyond_t *b, double factor)
{
    const double surveyed = smarts_rate(q, &q->left, SMARTS_BY_DRAM);
    if (surveyed <= 0 || fabs(b->mean) <= hypot(factor * b->error, SURVEY_ERRORS * surveyed))
        return 0;
    return fmax(fmin(b->mean / fmax(surveyed, surveyed + b->mean), 1), -1);
}

/* Whether what was left out lies among the units, so that a line through them need not be prolonged. */
static bool is_among(const smarts_question_t *q, smarts_regressor_t by)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < q->n; i++) {
        const double x = smarts_unit_rate(q, &q->units[i], by);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    const double left = smarts_rate(q, &q->left, by);
    return left >= low && left <= high;
}

/*
 * What the DRAM moved in a unit explains its cycles better than what the survey counts of the blocks that ran
 * meanwhile: of long blocks, a unit has only parts. It serves if the two agree but for chance, and if the survey's
 * sum is known well enough to gain by it.
 */
static void take_moved(const smarts_question_t *q, line_t *best, smarts_regressor_t *by)
{
    if (q->n < REGRESSION_UNITS)
        return;
    const double normal = interval_factor(q->confidence, INFINITY),
                 surveyed = smarts_rate(q, &q->left, SMARTS_BY_MOVED);
    const beyond_t b = find_beyond(q);
    line_t l = fit(q, SMARTS_BY_MOVED);
    l.doubt = l.slope * fmin(SURVEY_ERRORS / normal * surveyed, b.error);
    const double least = fmax(q->explain, interval_factor(slope_confidence, (double)q->n - 2));
    if (l.slope <= 0 || l.t < least || hypot(l.error, l.doubt) >= best->error ||
        moved(q, &b, interval_factor(q->confidence, (double)q->n - 1)) != 0 ||
        !is_among(q, SMARTS_BY_MOVED))
        return;
    *best = l;
    *by = SMARTS_BY_MOVED;
}

/* The regressor that explains the cycles best; none if no slope is clear. */
static line_t choose(const smarts_question_t *q, smarts_regressor_t *by)
{
    line_t best = fit(q, SMARTS_BY_NOTHING);
    const double df = (double)q->n - 2;
    const double least =
        df < 1 ? INFINITY : fmax(q->explain, interval_factor(slope_confidence, df));
    *by = SMARTS_BY_NOTHING;
    best.slope = best.t = 0;
    for (smarts_regressor_t r = SMARTS_BY_DRAM; r < SMARTS_BY_MOVED; r++) {
        const line_t l = fit(q, r);
        if (l.slope > 0 && l.t >= least && l.t > best.t && is_among(q, r)) {
            best = l;
            *by = r;
        }
    }
    take_moved(q, &best, by);
    return best;
}

/* Weights that sum to the left-out instructions and, with a regressor, to its left-out count. */
static void set_weights(smarts_answer_t *a, const smarts_question_t *q, const line_t *l)
{
    const double missing =
        a->by == SMARTS_BY_NOTHING ? 0 : smarts_count(q, &q->left, a->by) - l->weight * l->x;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        const double dx = smarts_unit_rate(q, u, a->by) - l->x;
        a->weight[i] = u->weight * (1 + (l->xx > 0 ? missing * dx / l->xx : 0));
    }
}

static double residual(const smarts_answer_t *a, const smarts_question_t *q, const smarts_unit_t *u,
                       const line_t *l)
{
    return cycles_rate(u) - l->y -
           (a->by == SMARTS_BY_NOTHING ? 0 : l->slope * (smarts_unit_rate(q, u, a->by) - l->x));
}

/* Variance of the left-out cycles: the larger one of the plain residuals and of the differences of
 * successive ones. */
static double spread(const smarts_answer_t *a, const smarts_question_t *q, const line_t *l)
{
    const double n = (double)q->n;
    double plain = 0, squares = 0, differences = 0, before = 0;
    for (size_t i = 0; i < q->n; i++) {
        const double e = residual(a, q, &q->units[i], l);
        plain += a->weight[i] * a->weight[i] * e * e;
        squares += a->weight[i] * a->weight[i];
        differences += i > 0 ? (e - before) * (e - before) / 2 : 0;
        before = e;
    }
    return fmax(plain * n / a->df, squares * differences / (n - 1));
}

/* Share of the warps' cycles in which they wait for memory. */
static double waiting(const smarts_answer_t *a, const smarts_question_t *q)
{
    double waits = 0, all = 0;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        const uint64_t *state = &u->counters.sm.state_no_warp;
        for (size_t k = STATE_SELECTED; k < STATE_COUNT; k++)
            all += a->weight[i] / u->insts * (double)state[k];
        waits += a->weight[i] / u->insts *
                 (double)(u->counters.sm.state_long_scoreboard + u->counters.sm.state_lg_throttle);
    }
    return all > 0 ? waits / all : 0;
}

void smarts_answer(smarts_answer_t *a, const smarts_question_t *q)
{
    *a = (smarts_answer_t){.half = INFINITY, .scale = 1};
    a->weight = rb_calloc(q->n + 1, sizeof(*a->weight));
    line_t l = choose(q, &a->by);
    a->t = l.t;
    set_weights(a, q, &l);
    for (size_t i = 0; i < q->n; i++)
        a->left += a->weight[i] * cycles_rate(&q->units[i]);
    a->df = (double)q->n - (a->by == SMARTS_BY_NOTHING ? 1 : 2);
    if (q->n < 2 || a->df < 1)
        return;
    const beyond_t b = find_beyond(q);
    const double factor = interval_factor(q->confidence, a->df), other = moved(q, &b, factor);
    /* Which of the two is right is not known: the result is half-way between them, as far as warps wait for memory.
     * What bounds a launch may depend on it more than that, so the error is twice as large. */
    const double longer = waiting(a, q) * other;
    a->scale = 1 - longer / 2;
    a->left *= a->scale;
    const double shared = q->bias * a->left / factor;
    a->spread = hypot(sqrt(spread(a, q, &l)), l.doubt * l.weight);
    /* What was left out takes some time. */
    a->half = fmin(hypot(factor * hypot(a->spread, shared), longer * a->left), a->left);
}

void smarts_answer_free(smarts_answer_t *a)
{
    free(a->weight);
    *a = (smarts_answer_t){0};
}
