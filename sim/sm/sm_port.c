/*
 * Messages out of an SM: requests to the L2 slices through the crossbar, and requests to the
 * MMU.
 */
#include "sim/sm/by_launch.h"

void sm_send_request(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready)
{
    sm->out_ready = cycle_max(sm->out_ready, ready);
    msg_t *msg = xbar_out_push(&sm->out, addr_map_slice(sm->wiring.map, m->line), sm->out_ready);
    msg->kind = MSG_MEM_REQUEST;
    msg->flits = (uint8_t)flits;
    msg->mem = *m;
    msg->mem.sm = (uint16_t)sm->wiring.index;
    if (sm->by_launch != NULL)
        by_launch_of(sm, m->launch)->xbar_flits_out += flits;
    if (m->op != MEM_READ && sm->wiring.data_interval > 0)
        xbar_out_stretch(&sm->out, sm->wiring.data_interval * sm->wiring.port_flits);
    const bool overtakes = m->op == MEM_WRITE && sm->wiring.stores_first;
    if (overtakes)
        xbar_out_overtake(&sm->out);
    if (sm->out.count == 1 || overtakes) /* otherwise the first packet of the queue decides */
        sm->out_next = cycle_min(sm->out_next, sm->out_ready);
}

void sm_ask_mmu(sm_t *sm, uint64_t entry, cycle_t ready)
{
    msg_t question = {.kind = MSG_TRANSLATE,
                      .arrival = ready + sm->wiring.mmu_latency,
                      .input = (uint16_t)sm->wiring.index,
                      .entry = entry};
    engine_send(sm->outbox, sm->wiring.mmu_shard, &question);
}
