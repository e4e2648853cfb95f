/* Internal interface between the files of the sub-cores. */
#ifndef RUBATO_SM_SUBCORE_PARTS_H
#define RUBATO_SM_SUBCORE_PARTS_H

#include "sim/sm/subcore/subcore.h"

/* warp.c */

/* Takes a warp to the first instruction of a piece of its stream. */
void warp_begin_piece(warp_t *warp, const warp_stream_t *stream);

/* Takes a warp to the first instruction of its next run. false: no run is left. */
bool warp_next_run(sm_t *sm, warp_t *warp);

/* Adds to the base of warp w's next instruction what does not delay every instruction: the branch or
 * NANOSLEEP before it (prev, issued now with prev_mask), a short instruction buffer, a constant. */
void warp_delay(sm_t *sm, uint32_t w, const inst_t *prev, uint32_t prev_mask, cycle_t now);

/* Adds the delay of a constant operand to the base of warp w's next instruction. */
void warp_read_constant(sm_t *sm, uint32_t w);

/* pipes.c */

/* Cycles that reading the operands adds to the pipe's interval; more registers of a bank than
 * cls->reads_free. For warps without control words. */
uint32_t pipes_conflict(const sm_spec_t *spec, const inst_t *inst, uint32_t interval);

/* Cycles that an instruction of a varying class occupies its pipe: an HMMA depends on its shape, an
 * IMAD with a 64-bit result needs several passes. */
uint32_t pipes_varying_interval(const sm_t *sm, const inst_t *inst);

/* ready.c */

/* Charges the ready warps of a sub-core for the cycles before now. */
void ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now);

/* Charges the ready warps of a pipe for the cycles from its charged to `to`, which is later. */
void ready_charge_span(sm_t *sm, pipe_state_t *pipe, unsigned number, cycle_t to);

/* Charges the ready warps of a pipe for the cycles before `to`; to be called before its free_at or
 * free_base changes. */
static inline void ready_charge_pipe(sm_t *sm, sub_core_t *sub, unsigned number, cycle_t to)
{
    if (sub->ready_pipes >> number & 1 && sub->pipe[number].charged < to)
        ready_charge_span(sm, &sub->pipe[number], number, to);
}

/* The pipes that end in the memory queue of a sub-core are free from cycle `at` on. Their warps are
 * charged before that for the cycles before `charged`. */
void ready_queue_free(sm_t *sm, sub_core_t *sub, cycle_t at, cycle_t charged);

/* The sub-core may issue from cycle `at` on. */
static inline void ready_issue_from(sm_t *sm, sub_core_t *sub, cycle_t at)
{
    sub->next = cycle_min(sub->next, at);
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, at);
}

/* Adds a warp to the ready set of its next instruction's pipe, effective from cycle `at`, in which
 * its sub-core will look. */
static inline void ready_add(sm_t *sm, warp_t *warp, cycle_t at)
{
    sub_core_t *sub = warp->sub;
    unsigned number = sm->cls[warp->inst->cls].pipe;
    pipe_state_t *pipe = &sub->pipe[number];
    if (at > warp->since)
        ((uint64_t *)&sm->stats)[warp->state] += at - warp->since;
    if (pipe->ready == 0)
        pipe->charged = at;
    else if (pipe->charged < at)
        ready_charge_span(sm, pipe, number, at);
    pipe->ready |= UINT32_C(1) << warp->place;
    pipe->n_ready++;
    sub->ready_pipes |= UINT32_C(1) << number;
    warp->ready = true;
}

/* The same if the sub-core may not know yet. */
static inline void ready_insert(sm_t *sm, warp_t *warp, cycle_t at)
{
    ready_add(sm, warp, at);
    ready_issue_from(sm, warp->sub, at);
}

/* depend.c */

static inline dep_t dep_encode(cycle_t cycle, dep_kind_t kind)
{
    return (dep_t)(cycle << DEP_SHIFT) | (dep_t)kind;
}

/* Earliest cycle >= now at which the operands of inst allow warp w to issue; CYCLE_NEVER: not known
 * yet. *kind: what the wait is charged to. */
cycle_t depend_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now, dep_kind_t *kind);

/* The destinations of inst will be ready at `cycle`. */
static inline void depend_set(warp_t *warp, const inst_t *inst, cycle_t cycle, dep_kind_t kind)
{
    const dep_t d = dep_encode(cycle, kind);
    warp->dep_until = cycle_max(warp->dep_until, cycle);
    for (unsigned i = inst->n_wait - (unsigned)inst->n_set; i < inst->n_wait; i++)
        warp->dep[inst->dep[i]] = d;
}

/* The same at a cycle that is not known yet. */
void depend_set_pending(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind);

/* The general-purpose sources of inst may not be overwritten until depend_release(). */
void depend_hold(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind);

/* inst will have read its sources at `cycle`. */
void depend_release(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

/* A warp starts in slot w: all its registers are ready. No result of the previous warp is
 * pending. */
void depend_reset(sm_t *sm, uint32_t w, cycle_t now);

enum { DEP_SWEEP_INTERVAL = 1 << 26 }; /* cycles between two calls of depend_sweep() */

/* control.c */

void control_free(sm_t *sm);

/* A warp starts in slot w: its counters are zero. */
void control_reset(sm_t *sm, uint32_t w);

/* Cycles from the issue of an instruction with this control word to the next one of its warp. */
cycle_t control_gap(const sm_t *sm, uint32_t ctl);

/* depend_ready() for warps with control words: by stall count and counters. */
cycle_t control_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now,
                      dep_kind_t *kind);

/* inst was issued at now: increments its counters. result: when its destinations are ready;
 * CYCLE_NEVER if control_result(), with its write barrier, and control_sources_read() will say. */
void control_count(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t result, cycle_t now);
void control_result(sm_t *sm, uint32_t w, unsigned barrier, cycle_t at, dep_kind_t kind,
                    cycle_t now);
void control_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                          cycle_t now);

/* results.c: a warp with control words issued inst, of fixed latency, at now; the result is
 * forwarded from cycle `result` on. */
void results_fixed(sm_t *sm, sub_core_t *sub, const inst_t *inst, cycle_t result, cycle_t now);

/* control_check.c: to be called only if sm.control_check is on, except init and free. */

void control_check_init(sm_t *sm);
void control_check_free(sm_t *sm);
void control_check_reset(sm_t *sm, uint32_t w);
void control_check_issue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask);

/* operands.c */

/* Warp w issues inst, which goes through the allocate stage: reserves the read ports. Returns the cycles that it
 * waits for them. */
uint32_t operands_allocate(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst, cycle_t now);

/* When the CS2R that warp w has just issued reads its operands: at issue, plus the wait for the
 * ports. */
cycle_t operands_read_at(const sm_t *sm, uint32_t w);

/* A warp starts in slot w: removes the previous warp's entries from the operand cache. */
void operands_forget(sub_core_t *sub, uint32_t w);

#endif
