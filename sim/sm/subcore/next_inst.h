/*
 * The next instruction of a warp that has just issued: what runs for every instruction, and
 * therefore is inline. What is rare is in warp.c, ready.c and depend.c.
 */
#ifndef RUBATO_SM_NEXT_INST_H
#define RUBATO_SM_NEXT_INST_H

#include "sim/sm/subcore/ready.h"

/* Takes warp w to its next instruction, which may issue from the next cycle on as far as the branch
 * before it, its constant and the instruction buffer allow. false: no instruction is left. */
static inline bool next_inst_take(sm_t *sm, warp_t *warp, cycle_t now)
{
    const inst_t *prev = warp->inst;
    uint32_t prev_mask = warp->mask;
    warp->since = now + 1;
    warp->base = now + 1;
    warp->base_state = STATE_WAIT;
    if (warp->left > 0) {
        warp->left--;
        warp->inst = prev + 1;
    } else if (!warp_next_run(sm, warp)) {
        return false;
    }
    const unsigned traits = warp->inst->traits;
    /* The address record will be read at issue, after other warps have run. */
    if (traits & INST_ADDRESSED)
        __builtin_prefetch(warp->addr);
    if (prev->traits & INST_DELAYS || traits & INST_CONST_SOURCE || sm->subcore.any_delays)
        warp_delay(sm, warp->slot, prev, prev_mask, now);
    return true;
}

/* Adds the registers that the warp's next instruction writes and memory instructions still read. */
static inline void next_inst_held(const warp_t *warp, dep_t from, dep_t *any, int32_t *latest)
{
    const inst_t *inst = warp->inst;
    for (unsigned i = inst->n_wait - (unsigned)inst->n_set; i < inst->n_wait; i++) {
        dep_t d = inst->dep[i] < REG_ID_PRED ? warp_hold(warp)[inst->dep[i]] : from;
        int32_t distance = (int32_t)(d - from);
        *any |= d & DEP_PENDING;
        *latest = distance > *latest ? distance : *latest;
    }
}

static inline int32_t later(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Adds four registers that the warp's next instruction waits for. isa_derive() fills the list up with
 * one that is always ready. */
static inline __attribute__((always_inline)) void
next_inst_quad(const warp_t *warp, const uint16_t *id, dep_t from, dep_t *any, int32_t *latest)
{
    const dep_t *dep = warp->dep;
    dep_t a = dep[id[0]], b = dep[id[1]], c = dep[id[2]], d = dep[id[3]];
    int32_t ab = later((int32_t)(a - from), (int32_t)(b - from));
    int32_t cd = later((int32_t)(c - from), (int32_t)(d - from));
    *any |= a | b | c | d;
    *latest = later(*latest, later(ab, cd));
}

/* The earliest cycle at which the operands of warp w's next instruction allow it to issue, see
 * depend_ready() and control_ready(). */
static inline cycle_t next_inst_operands(sm_t *sm, warp_t *warp, cycle_t now, dep_kind_t *kind)
{
    const inst_t *inst = warp->inst;
    *kind = DEP_FIXED;
    if (warp->control)
        return inst->traits & INST_WAITS ? control_ready(sm, warp, now, kind)
                                         : cycle_max(now, warp->stalled_until);
    /* If no operand is pending and the latest one is of fixed latency, its cycle is all that
     * matters. */
    const dep_t from = (dep_t)(now << DEP_SHIFT);
    dep_t any = 0;
    int32_t latest = 0;
    next_inst_quad(warp, inst->dep, from, &any, &latest);
    for (unsigned i = INST_QUAD; i < inst->n_wait; i += INST_QUAD)
        next_inst_quad(warp, &inst->dep[i], from, &any, &latest);
    if (warp->held > 0 || warp->held_until > now)
        next_inst_held(warp, from, &any, &latest);
    const bool known = (any & DEP_PENDING) == 0;
    if (known && latest < 1 << DEP_SHIFT)
        return now;
    if (known && (latest & DEP_KIND) == DEP_FIXED && !(inst->traits & INST_FORWARDED))
        return now + (cycle_t)(latest >> DEP_SHIFT);
    return depend_ready(sm, warp, now, kind);
}

/* Determines when a warp can issue its next instruction, which is in its instruction buffer, and the
 * state that it is charged to until then. false: not known yet; it is parked. */
static inline bool next_inst_when(sm_t *sm, warp_t *warp, cycle_t now, cycle_t *when)
{
    static const uint8_t dep_state[] = {
        [DEP_FIXED] = STATE_WAIT,
        [DEP_SHORT] = STATE_SHORT_SCOREBOARD,
        [DEP_LONG] = STATE_LONG_SCOREBOARD,
    };
    dep_kind_t kind;
    warp->park = PARK_NOT;
    cycle_t at = warp->base, operands = next_inst_operands(sm, warp, now, &kind);
    warp->state = warp->base_state;
    if (operands > at) {
        at = operands;
        warp->state = dep_state[kind];
    }
    if (warp->inst->traits & INST_AFTER_COPIES) {
        cycle_t copied = copies_ready(sm, warp, now);
        if (copied > at) {
            at = copied;
            warp->state = STATE_LONG_SCOREBOARD;
            warp->awaited = AWAITS_NO_ONE;
        }
    }
    if (at == CYCLE_NEVER) {
        warp->park = PARK_DEPEND;
        return false;
    }
    if (warp->inst->traits & INST_GUESSED && warp->pred_ready > at) {
        /* The trace does not name the branch's predicate: assume the one written last. */
        at = warp->pred_ready;
        warp->state = STATE_WAIT;
    }
    *when = at;
    return true;
}

/* The same if the instruction may have to be fetched first. */
static inline bool next_inst_find(sm_t *sm, warp_t *warp, cycle_t now, cycle_t *when)
{
    cycle_t here = supply_instructions(sm, warp->sub_core, warp->slot, warp->inst->pc, now);
    if (here == CYCLE_NEVER) {
        warp->park = PARK_FETCH;
        warp->state = STATE_NO_INSTRUCTION;
        return false;
    }
    if (here > warp->base) {
        warp->base = here;
        warp->base_state = STATE_NO_INSTRUCTION;
    }
    return next_inst_when(sm, warp, now, when);
}

/* The warp becomes ready in cycle `at`, after now. Its sub-core must get to know. */
static inline void next_inst_wake(sm_t *sm, sub_core_t *sub, const warp_t *warp, cycle_t at,
                                  cycle_t now)
{
    if (!wake_ring_add(&sub->wakes, now, at, warp->place))
        wheel_add(&sm->events, at, warp->slot);
}

/* The warp, which its sub-core has just issued, can issue again in cycle `at`. */
static inline void next_inst_put(sm_t *sm, sub_core_t *sub, warp_t *warp, cycle_t at, cycle_t now)
{
    /* The ready sets of this cycle are fixed: it joins those of the next one. */
    if (at <= now + 1)
        ready_add(sm, sub, warp, now + 1);
    else
        next_inst_wake(sm, sub, warp, at, now);
}

/* warp_schedule() for a warp that its sub-core has just issued. */
static inline void next_inst_schedule(sm_t *sm, sub_core_t *sub, warp_t *warp, cycle_t now)
{
    cycle_t at;
    if (next_inst_find(sm, warp, now, &at))
        next_inst_put(sm, sub, warp, at, now);
}

#endif
