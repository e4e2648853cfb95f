/*
 * Write-back to the register file, for code with control words: each bank has one write port.
 *
 * A result of fixed latency is never delayed: it is forwarded to instructions that wait for it, and
 * a queue holds it while the port is taken. A result of the load/store unit for the same bank and
 * cycle is written one cycle later (Huerta 2025). The queue is not modelled: at one issue per cycle
 * for two banks it cannot fill up.
 *
 * Write-back is one cycle after forwarding (Huerta 2025, listing 3). Results of loads are not
 * forwarded, so the cycle of the write-back counts. An instruction that issues later may still take
 * the port first, so a load's result waits in the event wheel until its cycle.
 */
#include "sim/sm/by_launch.h"
#include "sim/sm/subcore/subcore_parts.h"

/* A load result in the event wheel: warp, write barrier, dep_kind_t and banks. Smaller numbers are
 * events of warps. */
enum {
    LOAD_EVENT = 1 << 30,
    LOAD_LATE = 1 << 29, /* it has already been delayed once */
    WARP_BITS = 7,
    BARRIER_BITS = 3,
    KIND_BITS = 2,
    BARRIER_SHIFT = WARP_BITS,
    KIND_SHIFT = BARRIER_SHIFT + BARRIER_BITS,
    BANKS_SHIFT = KIND_SHIFT + KIND_BITS,
};
_Static_assert(SM_MAX_WARPS <= 1 << WARP_BITS, "a warp's number does not fit an event");

/* An entry of sub_core_t.results: a cycle and the banks written in it. */
enum { ENTRY_CYCLE_SHIFT = MAX_RF_BANKS };

static inline uint32_t banks_written(const sm_t *sm, const inst_t *inst)
{
    return inst->banks_written[sm->config->sm.rf_banks - 1];
}

void results_fixed(sm_t *sm, sub_core_t *sub, const inst_t *inst, cycle_t result, cycle_t now)
{
    uint32_t banks = banks_written(sm, inst);
    cycle_t written = result + 1;
    uint64_t *entry = &sub->results[written % RESULT_CYCLES];
    if (banks == 0 || written - now >= RESULT_CYCLES)
        return;
    if (*entry >> ENTRY_CYCLE_SHIFT != written)
        *entry = written << ENTRY_CYCLE_SHIFT;
    *entry |= banks;
}

/* true: results_due() will write the result. false: it needs no write port. */
static bool results_wait(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind)
{
    uint32_t barrier = ctl_write_barrier(inst->ctl);
    uint32_t banks = banks_written(sm, inst);
    if (!sm->config->sm.rf_write_conflicts || barrier >= CONTROL_COUNTERS || banks == 0)
        return false;
    wheel_add(&sm->events, cycle,
              LOAD_EVENT | w | barrier << BARRIER_SHIFT | (uint32_t)kind << KIND_SHIFT |
                  banks << BANKS_SHIFT);
    return true;
}

bool results_come(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind,
                  cycle_t now)
{
    if (!sm->subcore.warp[w].control)
        depend_set(&sm->subcore.warp[w], inst, cycle, kind);
    else if (results_wait(sm, w, inst, cycle, kind))
        return false;
    else
        control_result(sm, w, ctl_write_barrier(inst->ctl), cycle, kind, now);
    return true;
}

uint32_t results_due(sm_t *sm, uint32_t event, cycle_t now)
{
    uint32_t w = event & ((1u << WARP_BITS) - 1);
    uint32_t banks = event >> BANKS_SHIFT & ((1u << MAX_RF_BANKS) - 1);
    uint64_t entry = sm->subcore.sub[sm->subcore.warp[w].sub_core].results[now % RESULT_CYCLES];
    bool taken = entry >> ENTRY_CYCLE_SHIFT == now && (entry & banks) != 0;
    if (taken && !(event & LOAD_LATE)) {
        by_launch_warp(sm, w);
        sm->stats.rf_write_conflicts++;
        wheel_add(&sm->events, now + 1, event | LOAD_LATE);
        return NO_INDEX;
    }
    control_result(sm, w, event >> BARRIER_SHIFT & ((1u << BARRIER_BITS) - 1), now,
                   (dep_kind_t)(event >> KIND_SHIFT & ((1u << KIND_BITS) - 1)), now);
    return w;
}

void results_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, cycle_t now)
{
    if (sm->subcore.warp[w].control)
        control_sources_read(sm, w, inst, cycle, inst_dep_kind(sm, inst), now);
    else
        depend_release(sm, w, inst, cycle, inst_dep_kind(sm, inst));
}
