#include "sampling/inside/photon/issue_rate.h"

void issue_rate_note(issue_rate_t *i, const interval_records_t *r)
{
    if (r->cycle < 2 * i->mark[1].cycle)
        return;
    i->mark[0] = i->mark[1];
    i->mark[1].cycle = r->cycle;
    i->mark[1].insts = r->warp_insts;
}

double issue_rate_of(const issue_rate_t *i, const interval_records_t *r)
{
    const cycle_t cycles = r->cycle - i->mark[0].cycle;
    return cycles == 0 ? 0 : (double)(r->warp_insts - i->mark[0].insts) / (double)cycles;
}
