#include "sampling/inside/region/unit_slope.h"

#include <math.h>

#include "sampling/math/quantile.h"

/* Weight of the usual deviation, in units. */
enum { USUAL_WEIGHT = 2 };

/* Number of blocks in a quarter of a unit. */
static uint64_t quarter_of(const unit_slope_t *s)
{
    return (s->slots + 3) / 4;
}

void unit_slope_add(unit_slope_t *s, double retire, double insts)
{
    if (s->blocks == 0 && s->units == 0)
        s->origin = retire;
    if (s->units < 2 && s->blocks < quarter_of(s))
        s->quarter[s->units] += retire - s->origin;
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
    const double quarter = (double)quarter_of(s), slots = (double)s->slots;
    if (s->forgot || s->units == 0 || (s->units == 1 && s->blocks < quarter_of(s)))
        return 0;
    const double cycles = (s->quarter[1] - s->quarter[0]) / quarter;
    const double blocks = (double)s->units * slots + (double)s->blocks;
    return cycles > 0 ? s->insts / blocks * slots / cycles : 0;
}

void unit_slope_forget(unit_slope_t *s)
{
    s->insts -= s->closed_insts;
    s->closed_insts = 0;
    s->forgot = true;
    s->units = 0;
    s->y = s->jy = s->yy = 0;
}

/* Sum of the squared deviations of the unit numbers from their mean. */
static double spread(const unit_slope_t *s)
{
    const double n = (double)s->units;
    return n * (n * n - 1) / 12;
}

/* Cycles per unit; 0 with fewer than two units. */
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

/* Sum of the squared deviations of the moments from the line, in unit times. */
static double off_line(const unit_slope_t *s, double slope)
{
    const double off = s->yy - s->y * s->y / (double)s->units - slope * slope * spread(s);
    return fmax(off, 0) / (slope * slope);
}

double unit_slope_error(const unit_slope_t *s)
{
    const double slope = slope_of(s);
    if (s->units < 3 || slope <= 0)
        return INFINITY;
    return sqrt(off_line(s, slope) / ((double)s->units - 2) / spread(s));
}

double unit_slope_doubt(const unit_slope_t *s, double usual)
{
    const double slope = slope_of(s), freedom = (double)s->units - 2 + USUAL_WEIGHT;
    if (s->units < 2 || slope <= 0)
        return INFINITY;
    const double variance = (off_line(s, slope) + USUAL_WEIGHT * usual * usual) / freedom;
    return sqrt(variance / spread(s)) * student_quantile(0.95, freedom);
}
