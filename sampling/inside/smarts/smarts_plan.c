#include "sampling/inside/smarts/smarts_plan.h"

#include <math.h>

#include "sampling/math/quantile.h"

/* Waves at the beginning of a launch that are simulated at least. */
#define RAMP_WAVES 2.0

/* Deviation of a unit's rate that is expected before any is measured. */
#define USUAL_DEVIATION 0.04

/* Part of the bound that the units planned may use up; the rest is for what they show later. */
#define BOUND_PART 0.8

/* A gap, settling and a unit end with an interval (sampling.interval): that many too late in all, mean. */
#define INTERVALS_LATE 2

/* Units after which the plan is revised; fewer say little about their spread. */
enum { REVISION_UNITS = 4 };

static uint64_t blocks_of(const smarts_look_t *look, double waves)
{
    return (uint64_t)fmin(ceil(waves * (double)look->slots), (double)look->blocks);
}

/* How many units keep the interval within the bound, if one deviates this much and they stand for this
 * share of the cycles. */
static size_t units_needed(const smarts_options_t *o, double deviation, double share, size_t lost)
{
    const double bound = BOUND_PART * sqrt(fmax(o->bound * o->bound - o->bias * o->bias, 0));
    size_t n = o->least;
    while (n < 1000000 && interval_factor(o->confidence, (double)(n - lost)) * deviation * share >
                              bound * sqrt((double)n))
        n += 1 + n / 8;
    return n;
}

/* Length of blocks [first, end), as a part of the launch. */
static double length(const smarts_plan_t *p, uint64_t first, uint64_t end)
{
    return end > first ? smarts_look_place(p->look, end) - smarts_look_place(p->look, first) : 0;
}

static void set_width(smarts_plan_t *p)
{
    p->width = length(p, p->ramp, p->tail) / (double)p->units;
}

uint64_t smarts_plan_tail(const smarts_plan_t *p)
{
    const uint64_t settle = blocks_of(p->look, p->settle);
    return p->look->oldest > settle ? p->look->oldest - settle : 0;
}

void smarts_plan_look(smarts_plan_t *p)
{
    p->ramp = blocks_of(p->look, fmax(RAMP_WAVES, p->look->usual + 1));
    p->tail = smarts_plan_tail(p);
    set_width(p);
}

smarts_plan_t smarts_plan_make(const smarts_options_t *o, const smarts_look_t *look, rng_t rng)
{
    smarts_plan_t p = {
        .options = o, .look = look, .rng = rng, .settle = o->settle, .unit = o->unit};
    p.units = units_needed(o, USUAL_DEVIATION, 1, 1);
    smarts_plan_look(&p);
    return p;
}

void smarts_plan_settle(smarts_plan_t *p, double wave_cycles, double least, double interval)
{
    if (wave_cycles <= 0)
        return;
    p->settle = fmax(p->options->settle, least / wave_cycles);
    p->unit = fmax(p->options->unit, least / wave_cycles);
    p->late = INTERVALS_LATE * interval / wave_cycles;
    p->tail = smarts_plan_tail(p);
    set_width(p);
}

void smarts_plan_turn_over(smarts_plan_t *p, double waves)
{
    p->settle += waves;
    p->tail = smarts_plan_tail(p);
    set_width(p);
}

/* Warp instructions that are simulated for a unit. */
static double stretch(const smarts_plan_t *p)
{
    return (p->settle + p->options->jitter / 2 + p->unit + p->late) * p->look->wave;
}

double smarts_plan_share(const smarts_plan_t *p)
{
    const smarts_look_t *look = p->look;
    const double all = smarts_look_insts(look, 0, look->blocks);
    if (p->tail <= p->ramp)
        return 1;
    return 1 - (smarts_look_insts(look, p->ramp, p->tail) - (double)p->units * stretch(p)) / all;
}

/* The most units that keep within the limit. */
static size_t units_allowed(const smarts_plan_t *p)
{
    const smarts_look_t *look = p->look;
    const double all = smarts_look_insts(look, 0, look->blocks);
    const double ends = all - smarts_look_insts(look, p->ramp, p->tail);
    return (size_t)(fmax(p->options->limit * all - ends, 0) / stretch(p));
}

void smarts_plan_revise(smarts_plan_t *p, const smarts_answer_t *a, size_t n, double total)
{
    const double deviation = a->spread * sqrt((double)n) / a->left;
    const double share = fmin(a->left / total, 1);
    const size_t most = units_allowed(p);
    if (!isfinite(a->half) || n < REVISION_UNITS)
        return;
    p->units = units_needed(p->options, deviation, share, n - (size_t)a->df);
    if (p->units > most)
        p->units = most > p->options->least ? most : p->options->least;
}

double smarts_plan_left(const smarts_plan_t *p, size_t n, uint64_t first)
{
    const double left = length(p, first, p->tail);
    const double usual = p->width > 0 ? fmax(round(left / p->width), 1) : 1;
    return p->units > n ? fmax((double)(p->units - n), usual) : usual;
}

smarts_stratum_t smarts_plan_next(smarts_plan_t *p, size_t n, uint64_t first)
{
    const smarts_look_t *look = p->look;
    const double left = length(p, first, p->tail);
    const double units = smarts_plan_left(p, n, first);
    const double taken = stretch(p) / smarts_look_insts(look, 0, look->blocks);
    const double from = smarts_look_place(look, first), width = left / units;
    smarts_stratum_t s = {.first = first, .end = p->tail};
    if (units > 1)
        s.end = smarts_look_at(look, from + width);
    s.start = smarts_look_at(look, from + rng_unit(&p->rng) * fmax(width - taken, 0));
    if (s.start < first)
        s.start = first;
    if (s.end <= first)
        s.end = first + 1 < p->tail ? first + 1 : p->tail;
    return s;
}
