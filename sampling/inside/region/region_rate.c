#include "sampling/inside/region/region_rate.h"

#include <math.h>

rate_edge_t rate_edge_between(const rate_edge_t *from, const rate_edge_t *to, double cycle)
{
    const double span = to->cycle - from->cycle;
    const double part = fmin(fmax((cycle - from->cycle) / span, 0), 1);
    return (rate_edge_t){.cycle = from->cycle + part * span,
                         .insts = from->insts + part * (to->insts - from->insts),
                         .taken = from->taken + part * (to->taken - from->taken)};
}

void region_rate_pass(region_rate_t *r, const rate_edge_t *at)
{
    const double cycles = at->cycle - r->edge.cycle;
    if (r->open && cycles > 0) {
        r->units++;
        r->taken += at->taken - r->edge.taken;
        r->before = r->last;
        r->last = (at->insts - r->edge.insts) / cycles;
    }
    r->open = true;
    r->edge = *at;
}
