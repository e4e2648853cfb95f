#include "sampling/inside/region/dram_pace.h"

#include <math.h>

#include "sampling/inside/fill_skip.h"

/* Weight of the DRAM's pace from which on it determines the rate of the launch. */
#define HELD_UP 0.8

/* The error of a pace is this multiple of its unrest: 1 to 2.6 in those launches of
 * docs/lab/inside_launches.md whose blocks are in step, less in others. */
#define SWING 2

/* Deviation of FILL_DRAM_GIVEN, as a share. */
#define GIVEN_DEVIATION 0.03

void dram_pace_add(dram_pace_t *p, double cycle, double moved)
{
    if (p->n == 0) {
        p->cycle = cycle;
        p->moved = moved;
    }
    const double t = cycle - p->cycle, m = moved - p->moved;
    p->n++;
    p->t += t;
    p->m += m;
    p->tt += t * t;
    p->tm += t * m;
    p->mm += m * m;
    p->since = m;
}

/* Sum of the squared deviations of the cycles from their mean. */
static double spread(const dram_pace_t *p)
{
    return p->n < 2 ? 0 : p->tt - p->t * p->t / (double)p->n;
}

double dram_pace_sectors(const dram_pace_t *p)
{
    const double cycles = spread(p);
    return cycles > 0 ? (p->tm - p->t * p->m / (double)p->n) / cycles : 0;
}

double dram_pace_unrest(const dram_pace_t *p)
{
    const double n = (double)p->n, sectors = dram_pace_sectors(p);
    if (p->n < 3 || p->since <= 0)
        return INFINITY;
    const double off = p->mm - p->m * p->m / n - sectors * sectors * spread(p);
    return sqrt(fmax(off, 0) / n) / p->since;
}

/* Sectors per cycle: the weighted mean of the measured pace and the usual pace of launches limited
 * by the DRAM, each weighted by the inverse of its variance. error: standard error, as a share. */
static double believed(const dram_pace_t *p, const dram_pace_trust_t *trust, double *error)
{
    const double sectors = dram_pace_sectors(p), given = FILL_DRAM_GIVEN * trust->bandwidth;
    const double swing = SWING * dram_pace_unrest(p);
    *error = swing;
    if (!isfinite(swing) || fabs(sectors - given) > trust->tolerance * given)
        return sectors;
    const double measured = swing * swing, usual = GIVEN_DEVIATION * GIVEN_DEVIATION;
    *error = sqrt(measured * usual / (measured + usual));
    return (sectors * usual + given * measured) / (measured + usual);
}

/* Weight of the DRAM's pace, 0 to 1. */
static double weight_of(double sectors, const dram_pace_trust_t *trust, double retiring)
{
    const double most = FILL_DRAM_GIVEN - trust->light;
    if (trust->per_inst <= 0 || sectors <= 0 || retiring <= 0 || most <= 0)
        return 0;
    if (fabs(sectors / trust->per_inst - retiring) > trust->tolerance * retiring)
        return 0;
    return fmin(fmax((sectors / trust->bandwidth - trust->light) / most, 0), 1);
}

double dram_pace_rate(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring)
{
    double error;
    const double sectors = believed(p, trust, &error);
    const double weight = weight_of(sectors, trust, retiring);
    return weight > 0 ? retiring + weight * (sectors / trust->per_inst - retiring) : retiring;
}

bool dram_pace_tells(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring,
                     double limit)
{
    double error;
    const double sectors = believed(p, trust, &error);
    return weight_of(sectors, trust, retiring) >= HELD_UP && error <= limit;
}
