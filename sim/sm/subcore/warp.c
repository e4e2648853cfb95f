/*
 * What a warp does next, where it is not the same for every instruction (next_inst.h): waiting,
 * waking, and delays between instructions. A warp is in exactly one of three places: a ready set of
 * its sub-core, the wake ring or event wheel (ready at a known cycle), or parked (waits for something
 * whose cycle is not known).
 */
#include "sim/sm/by_launch.h"
#include "sim/sm/subcore/next_inst.h"

void warp_park(sm_t *sm, uint32_t w, park_t why, sm_state_t state)
{
    sm->subcore.warp[w].park = (uint8_t)why;
    sm->subcore.warp[w].state = (uint8_t)state;
}

void warp_make_ready(sm_t *sm, uint32_t w, cycle_t now)
{
    ready_insert(sm, &sm->subcore.warp[w], now);
}

/* Whether the instruction buffer holds a warp's next instruction. Does not change while it waits at
 * a barrier. */
static bool is_dry(const sm_t *sm, const warp_t *warp)
{
    return !supply_holds(sm, warp->slot, warp->inst->pc);
}

void warp_wait(sm_t *sm, uint32_t w, park_t why, sm_state_t state, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    if (sm->config->icache.buffer > 0) {
        cycle_t here = supply_instructions(sm, warp->sub_core, w, warp->inst->pc, now);
        if (here != CYCLE_NEVER && here > warp->base) {
            warp->base = here;
            warp->base_state = STATE_NO_INSTRUCTION;
        }
    }
    warp_park(sm, w, why, state);
    if (why == PARK_BARRIER) {
        warp->sub->at_barrier++;
        warp->sub->dry += is_dry(sm, warp);
    }
}

static void wake(sm_t *sm, const warp_t *warp, cycle_t at, cycle_t now)
{
    next_inst_wake(sm, warp->sub, warp, at, now);
    ready_issue_from(sm, warp->sub, at);
}

void warp_schedule(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    cycle_t at;
    if (!next_inst_find(sm, warp, now, &at))
        return;
    /* While a sub-core issues, the ready sets of this cycle are fixed. Its own warps join those of
     * the next cycle; warps of other sub-cores, released from a barrier, go through the wheel. */
    if (sm->subcore.issuing == NOT_ISSUING && at <= now)
        ready_insert(sm, warp, now);
    else if (sm->subcore.issuing == warp->sub_core && at <= now + 1)
        ready_insert(sm, warp, now + 1);
    else
        wake(sm, warp, cycle_max(at, now + (sm->subcore.issuing != NOT_ISSUING)), now);
}

/* Whether a warp that is parked for a dependence certainly stays as it is: what it awaits is not
 * known yet, and its instruction buffer needs nothing. Counts per instruction need every step. */
static bool still_waits(const sm_t *sm, const warp_t *warp)
{
    if (warp->awaited == AWAITS_NO_ONE || PROFILED(sm) || is_dry(sm, warp))
        return false;
    return warp->control ? control_is_open(sm, warp->slot, warp->awaited)
                         : (warp->dep[warp->inst->dep[warp->awaited]] & DEP_PENDING) != 0;
}

void warp_unpark(sm_t *sm, uint32_t w, park_t why, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    if (warp->park != (uint8_t)why || warp->inst == NULL)
        return;
    if (why == PARK_DEPEND && still_waits(sm, warp))
        return;
    warp_charge(sm, w, now);
    warp_schedule(sm, w, now);
}

void warps_fetched(sm_t *sm, uint32_t sub_cores, cycle_t now)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        if (!(sub_cores >> s & 1))
            continue;
        for (uint32_t w = s; w < sm->n_warps; w += sm->n_sub_cores)
            warp_unpark(sm, w, PARK_FETCH, now);
    }
}

void warp_resume(sm_t *sm, uint32_t w, cycle_t at, sm_state_t state, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    if (warp->park == PARK_BARRIER) {
        warp->sub->at_barrier--;
        warp->sub->dry -= is_dry(sm, warp);
    }
    warp->base = at;
    warp->base_state = (uint8_t)state;
    warp_schedule(sm, w, now);
}

/* Cycles of a NANOSLEEP: its immediate operand in nanoseconds, at most a millisecond. */
static cycle_t sleep_cycles(const sm_t *sm, const inst_t *inst)
{
    enum { SLEEP_MAX_NS = 1000000 };
    int32_t ns = inst->flags & INST_IMM ? inst->imm : 0;
    if (ns < 0 || ns > SLEEP_MAX_NS)
        ns = SLEEP_MAX_NS;
    return 1 + (cycle_t)((double)ns * sm->wiring.clock_mhz / 1000.0);
}

void warp_read_constant(sm_t *sm, uint32_t w)
{
    warp_t *warp = &sm->subcore.warp[w];
    const inst_t *inst = warp->inst;
    if (!(inst->traits & INST_CONST_SOURCE))
        return;
    uint32_t extra = supply_constant(sm, warp->sub_core, w, inst);
    if (extra > 0) {
        warp->base += extra;
        warp->base_state = STATE_IMC_MISS;
    }
}

/* An issue frees an entry of the warp's instruction buffer. The instruction that fills it can issue
 * three cycles later: it is fetched in the next cycle and decoded. With three entries that is soon
 * enough; a shorter buffer runs dry (Huerta 2025). */
static void wait_for_refill(warp_t *warp, uint32_t places, cycle_t now)
{
    cycle_t refilled = (places == 1 ? now : warp->issued) + SHORTEST_BUFFER;
    warp->issued = now;
    if (refilled > warp->base) {
        warp->base = refilled;
        warp->base_state = STATE_NO_INSTRUCTION;
    }
}

/* What delays any instruction. */
static void delay_any(sm_t *sm, warp_t *warp, cycle_t now)
{
    if (sm->subcore.short_buffer > 0)
        wait_for_refill(warp, sm->subcore.short_buffer, now);
    if (sm->subcore.written != NULL && warp->control)
        warp->stalled_until = cycle_max(warp->stalled_until, stall_stretch_until(sm, warp));
}

void warp_delay(sm_t *sm, uint32_t w, const inst_t *prev, uint32_t prev_mask, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    const sm_spec_t *spec = &sm->config->sm;
    const inst_t *inst = warp->inst;
    if (prev->flags & INST_BRANCH) {
        by_launch_warp(sm, w);
        sm->stats.branches++;
        sm->stats.branches_uniform += warp->mask == prev_mask;
        bool taken = inst->pc != prev->pc + INST_BYTES;
        /* With control words, a branch that is not taken costs its stall count. */
        if (taken || !warp->control)
            warp->base = now + (taken ? spec->branch_taken_latency : spec->branch_latency);
        warp->base_state = STATE_BRANCH_RESOLVING;
    } else if (prev->cls == OP_SLEEP) {
        warp->base = now + sleep_cycles(sm, prev);
        warp->base_state = STATE_SLEEPING;
    }
    if (sm->subcore.any_delays)
        delay_any(sm, warp, now);
    warp_read_constant(sm, w);
    if (spec->ideal)
        warp->base = now + 1;
}

/* Begins the run at warp->run. */
static void begin_run(warp_t *warp)
{
    warp->inst = warp->run->first;
    warp->mask = warp->run->mask;
    warp->lanes = (uint8_t)__builtin_popcount(warp->mask);
    warp->left = warp->run->count - 1u;
    warp->other_until = warp->dep_until;
}

void warp_begin_piece(warp_t *warp, const warp_stream_t *stream)
{
    warp->run = stream->runs;
    warp->runs_left = stream->n_runs - 1;
    warp->addr = stream->addrs;
    warp->more = stream->pieces != NULL ? MORE_PIECES : MORE_NOTHING;
    begin_run(warp);
}

bool warp_next_run(sm_t *sm, warp_t *warp)
{
    if (warp->more == MORE_WAITS)
        return warp_waits_go_on(sm, warp);
    if (warp->runs_left == 0) {
        const warp_stream_t *piece = warp->more ? block_next_piece(sm, warp->slot) : NULL;
        warp->inst = NULL;
        if (piece != NULL)
            warp_begin_piece(warp, piece);
        return piece != NULL;
    }
    warp->runs_left--;
    warp->run++;
    __builtin_prefetch(warp->run + 1);
    begin_run(warp);
    return true;
}
