#include "sampling/inside/unit_slope.h"

#include <math.h>

#include "sampling/math/quantile.h"

/* Blocks of half a unit. */
static uint64_t half_of(const unit_slope_t *s)
{
    return (s->slots + 1) / 2;
}

void unit_slope_add(unit_slope_t *s, double retire, double insts)
{
    if (s->blocks == 0 && s->units == 0)
        s->origin = retire;
    if (s->units < 2 && s->blocks < half_of(s))
        s->half[s->units] += retire - s->origin;
    s->moment += retire - s->origin;
    s->insts += insts;
    if (++s->blocks < s->slots)
        return;
    const double y = s->moment / (double)s->slots, j = (double)s->units;
    s->y += y;
    s->jy += j * y;
    s->yy += y * y;
    s->closed_insts = s->insts;
    s->units++;
    s->blocks = 0;
    s->moment = 0;
}

double unit_slope_first_rate(const unit_slope_t *s)
{
    const double half = (double)half_of(s), slots = (double)s->slots;
    if (s->units == 0 || (s->units == 1 && s->blocks < half_of(s)))
        return 0;
    const double cycles = (s->half[1] - s->half[0]) / half;
    const double blocks = (double)s->units * slots + (double)s->blocks;
    return cycles > 0 ? s->insts / blocks * slots / cycles : 0;
}

/* Sum of squares of the units' numbers about their mean. */
static double spread(const unit_slope_t *s)
{
    const double n = (double)s->units;
    return n * (n * n - 1) / 12;
}

/* Cycles of a unit; 0 of fewer than two. */
static double slope_of(const unit_slope_t *s)
{
    if (s->units < 2)
        return 0;
    const double middle = ((double)s->units - 1) / 2;
    return (s->jy - middle * s->y) / spread(s);
}

double unit_slope_rate(const unit_slope_t *s)
{
    const double slope = slope_of(s);
    return slope > 0 ? s->closed_insts / (double)s->units / slope : 0;
}

double unit_slope_error(const unit_slope_t *s)
{
    const double n = (double)s->units, slope = slope_of(s);
    if (s->units < 3 || slope <= 0)
        return INFINITY;
    const double off = s->yy - s->y * s->y / n - slope * slope * spread(s);
    return sqrt(fmax(off, 0) / (n - 2) / spread(s)) / slope;
}

double unit_slope_doubt(const unit_slope_t *s)
{
    return s->units < 3 ? INFINITY
                        : unit_slope_error(s) * student_quantile(0.95, (double)s->units - 2);
}
