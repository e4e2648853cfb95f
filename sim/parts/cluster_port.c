#include "sim/parts/cluster_port.h"

#include <string.h>

#include "sim/core/model_mem.h"

/* Ticks of a cycle: rates need not be whole numbers. */
enum { TICKS = 1 << 16 };

static uint64_t slot_ticks(double flits_per_cycle)
{
    return flits_per_cycle > 0 ? (uint64_t)(TICKS / flits_per_cycle + 0.5) : 0;
}

void cluster_ports_init(cluster_ports_t *c, const cluster_rates_t *rates, uint32_t n_tpcs)
{
    *c = (cluster_ports_t){
        .n_tpcs = n_tpcs,
        .tpc_slot = slot_ticks(rates->tpc_data),
        .gpc_slot = slot_ticks(rates->gpc_data),
        .reply_slot = slot_ticks(rates->gpc_replies),
    };
    c->tpc = rb_model_calloc(c->n_tpcs, sizeof(*c->tpc));
}

void cluster_ports_free(cluster_ports_t *c)
{
    rb_model_free(c->tpc);
    memset(c, 0, sizeof(*c));
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Occupies a port for this many ticks from tick `at` on; returns the tick when it is free again. */
static uint64_t occupy(uint64_t *free, uint64_t at, uint64_t ticks)
{
    *free = later(*free, at) + ticks;
    return *free;
}

cycle_t cluster_ports_pass(cluster_ports_t *c, uint32_t tpc, const passing_t *p)
{
    uint64_t begins = later(p->starts * TICKS, later(c->tpc[tpc], c->gpc)), ends = begins;
    if (p->data > 0) { /* a flit goes on as soon as it has passed */
        ends = occupy(&c->tpc[tpc], p->starts * TICKS, p->data * c->tpc_slot);
        ends = later(ends, occupy(&c->gpc, p->starts * TICKS, p->data * c->gpc_slot));
    }
    if (p->replies > 0) {
        begins = later(begins, c->reply);
        occupy(&c->reply, begins, p->replies * c->reply_slot);
        ends = later(ends, begins);
    }
    /* The last flit of data passes in the cycle before the port is free. */
    cycle_t last = (p->data > 0 && ends > 0 ? ends - 1 : ends) / TICKS;
    return last > p->leaves ? last - p->leaves : 0;
}

cycle_t cluster_ports_clear(const cluster_ports_t *c)
{
    uint64_t tick = later(c->gpc, c->reply);
    for (uint32_t t = 0; t < c->n_tpcs; t++)
        tick = later(tick, c->tpc[t]);
    return (tick + TICKS - 1) / TICKS;
}
