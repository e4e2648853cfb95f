/*
 * The ports that SMs share on their way to the L2: the two SMs of a TPC, and all SMs of a GPC.
 *
 * A request leaves its SM in time order and passes the ports of its TPC and its GPC, first come,
 * first served. Data takes slots on both, as do the byte masks of sectors written in part; a request without data waits for the data before it but
 * takes none. The data that a read brings back takes slots on a second port of the GPC, which are
 * given to it when the request passes: so the limit is right, and a reply is not followed.
 *
 * The form follows the measurements of Jin 2024 and Rocca 2025: how many times the bandwidth of one
 * SM the SMs of a TPC and of a GPC reach.
 *
 * Ports at rest have no state.
 */
#ifndef RUBATO_PARTS_CLUSTER_PORT_H
#define RUBATO_PARTS_CLUSTER_PORT_H

#include <stdint.h>

#include "sim/core/cycle.h"
#include "sim/parts/gpc.h"

/* Those of a GPC. */
typedef struct {
    uint64_t tpc_slot, gpc_slot, reply_slot; /* ticks for a flit; 0: no limit */
    uint64_t gpc, reply;                     /* the tick when it is free */
    uint64_t *tpc;                           /* owned; per TPC, likewise */
    uint32_t n_tpcs;
} cluster_ports_t;

/* Flits per cycle of all SMs of a TPC and of a GPC. 0: no limit. */
typedef struct {
    double tpc_data, gpc_data, gpc_replies;
} cluster_rates_t;

void cluster_ports_init(cluster_ports_t *c, const cluster_rates_t *rates, uint32_t n_tpcs);
void cluster_ports_free(cluster_ports_t *c);

/* A request on its way out of an SM. */
typedef struct {
    cycle_t starts, leaves; /* its first and its last flit leave the SM */
    uint32_t data, replies; /* flits of data that it carries and that it brings back */
} passing_t;

/* Takes a request of a TPC through the ports and returns the cycles that they add. Requests must come
 * in the order of their starts. */
cycle_t cluster_ports_pass(cluster_ports_t *c, uint32_t tpc, const passing_t *p);

/* From this cycle on all ports are free, if nothing more passes. */
cycle_t cluster_ports_clear(const cluster_ports_t *c);

#endif
