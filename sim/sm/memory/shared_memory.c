/* Shared memory: bank conflicts and atomics. */
#include "sim/sm/memory/memory_parts.h"

void shared_step(sm_t *sm, const mem_entry_t *e, cycle_t now)
{
    const shared_spec_t *spec = &sm->config->shared;
    const inst_t *inst = e->inst;
    unsigned ideal = 1, passes = 1;
    lane_addrs_t lanes;
    if (e->addr != NULL) {
        coalesce_decode(e->addr, inst->width, &lanes);
        passes = coalesce_bank_passes(&lanes, e->mask, inst->width, spec->banks, &ideal);
    }
    sm->stats.shared_wavefronts += passes;
    sm->stats.shared_conflicts += passes - ideal;
    cycle_t latency =
        spec->latency + (passes - ideal) * spec->conflict_latency + (ideal > 2 ? ideal - 2 : 0);
    cycle_t busy = cycle_max((cycle_t)passes * spec->pass_cycles, sm->memory.lsu.address_cycles);
    if (inst->access == ACC_ATOMIC || inst->access == ACC_REDUCTION) {
        unsigned conflict = e->addr != NULL ? coalesce_word_conflict(&lanes, inst->width) : 1;
        latency = spec->atomic_latency + (conflict - 1) * spec->atomic_conflict;
        busy += (conflict - 1) * (cycle_t)spec->atomic_conflict;
        sm->stats.shared_atomic_requests++;
    } else if (inst->access == ACC_STORE) {
        sm->stats.shared_store_requests++;
    } else {
        sm->stats.shared_load_requests++;
    }
    lsu_occupy(sm, now, busy);
    sm_result(sm, e->warp, inst, lsu_issued(sm, e),
              now + latency - sm->config->sm.mem_issue_latency, DEP_SHORT, now);
}
