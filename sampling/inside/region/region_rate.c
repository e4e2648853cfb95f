#include "sampling/inside/region/region_rate.h"

#include <math.h>

/* Standard error below which blocks are considered to run in step. */
#define IN_STEP 0.001

rate_edge_t rate_edge_between(const rate_edge_t *from, const rate_edge_t *to, double cycle)
{
    const double span = to->cycle - from->cycle;
    const double part = fmin(fmax((cycle - from->cycle) / span, 0), 1);
    rate_edge_t e = *to;
    e.cycle = from->cycle + part * span;
    e.insts[RATE_ISSUED] =
        from->insts[RATE_ISSUED] + part * (to->insts[RATE_ISSUED] - from->insts[RATE_ISSUED]);
    e.taken = from->taken + part * (to->taken - from->taken);
    return e;
}

void region_rate_pass(region_rate_t *r, const rate_edge_t *at)
{
    const double cycles = at->cycle - r->edge.cycle;
    if (r->open && cycles > 0) {
        r->units++;
        r->cycles += cycles;
        r->taken += at->taken - r->edge.taken;
        for (int i = 0; i < RATE_COUNTS; i++) {
            const double insts = at->insts[i] - r->edge.insts[i], rate = insts / cycles;
            const double away = rate - r->count[i].mean;
            r->count[i].insts += insts;
            r->count[i].before = r->count[i].last;
            r->count[i].last = rate;
            r->count[i].mean += away / (double)r->units;
            r->count[i].deviation += away * (rate - r->count[i].mean);
        }
    }
    r->open = true;
    r->edge = *at;
}

rate_count_t region_rate_count(const region_rate_t *r)
{
    return region_rate_error(r, RATE_RETIRED) <= IN_STEP ? RATE_RETIRED : RATE_ISSUED;
}

double region_rate_mean(const region_rate_t *r, rate_count_t count)
{
    return r->cycles > 0 ? r->count[count].insts / r->cycles : 0;
}

double region_rate_error(const region_rate_t *r, rate_count_t count)
{
    const double n = (double)r->units;
    if (r->units < 2 || r->count[count].mean <= 0)
        return INFINITY;
    return sqrt(r->count[count].deviation / (n - 1) / n) / r->count[count].mean;
}
