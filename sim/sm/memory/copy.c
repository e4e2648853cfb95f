/*
 * Asynchronous copies from global to shared memory (LDGSTS).
 *
 * A copy passes the tag stage as a load does. With .BYPASS it is served by the L2 and leaves nothing in
 * the L1. Its data do not use the return path: they are written to shared memory, which is the same
 * array, and take the data stage for as many passes as its banks need (CUDA C++ programming guide,
 * "asynchronous data copies"; that reading and writing share the stage is a guess). Traces have the
 * address in global memory only, so the banks have no conflicts.
 */
#include "sim/sm/by_launch.h"
#include "sim/sm/memory/memory_parts.h"

/* Passes without conflicts: the bytes of all lanes over those of all banks. */
static unsigned passes_without_conflicts(const sm_t *sm, const mem_entry_t *e)
{
    enum { BANK_BYTES = 4 };
    const unsigned bytes = (unsigned)__builtin_popcount(e->mask) * e->inst->width;
    const unsigned row = sm->config->shared.banks * BANK_BYTES;
    return bytes > row ? (bytes + row - 1) / row : 1;
}

uint16_t copy_begin(sm_t *sm, const mem_entry_t *e)
{
    const unsigned passes = passes_without_conflicts(sm, e);
    sm->stats.shared_wavefronts += passes;
    return (uint16_t)passes;
}

cycle_t copy_write(sm_t *sm, uint32_t w, uint32_t passes, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    const cycle_t start = cycle_max(now, u->data_free);
    const cycle_t busy = (cycle_t)passes * sm->config->shared.pass_cycles;
    by_launch_warp(sm, w);
    u->data_free = start + busy;
    sm->stats.l1_data_busy += busy;
    return start - now;
}
