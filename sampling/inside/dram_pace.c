#include "sampling/inside/dram_pace.h"

#include <math.h>

#include "sampling/inside/fill_skip.h"

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
}

double dram_pace_sectors(const dram_pace_t *p)
{
    const double n = (double)p->n;
    const double spread = p->n < 2 ? 0 : p->tt - p->t * p->t / n;
    return spread > 0 ? (p->tm - p->t * p->m / n) / spread : 0;
}

double dram_pace_rate(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring)
{
    const double sectors = dram_pace_sectors(p);
    if (trust->per_inst <= 0 || sectors <= 0 || retiring <= 0)
        return retiring;
    const double pace = sectors / trust->per_inst;
    if (fabs(pace - retiring) > trust->tolerance * retiring)
        return retiring;
    const double above = sectors / trust->bandwidth - trust->light;
    const double weight =
        trust->light < FILL_DRAM_GIVEN ? above / (FILL_DRAM_GIVEN - trust->light) : 0;
    return retiring + fmin(fmax(weight, 0), 1) * (pace - retiring);
}
