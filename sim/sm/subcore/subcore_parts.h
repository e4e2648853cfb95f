/* Internal interface between the files of the sub-cores. */
#ifndef RUBATO_SM_SUBCORE_PARTS_H
#define RUBATO_SM_SUBCORE_PARTS_H

#include "sim/sm/subcore/subcore.h"

/* warp.c */

/* Warp w has issued: advances to the next instruction and sets the cycle (base) from which that one
 * may issue, dependences apart. false: no instruction is left. */
bool warp_advance(sm_t *sm, uint32_t w, cycle_t now);

/* Adds the delay of a constant operand to the base of warp w's next instruction. */
void warp_read_constant(sm_t *sm, uint32_t w);

/* pipes.c */

/* Cycles that reading the operands adds to the pipe's interval. For warps without control words. */
uint32_t pipes_conflict(const sm_spec_t *spec, const inst_t *inst, uint32_t interval);

/* Cycles that an instruction of a varying class occupies its pipe: an HMMA depends on its shape, an
 * IMAD with a 64-bit result needs several passes. */
uint32_t pipes_varying_interval(const sm_t *sm, const inst_t *inst);

/* ready.c */

/* Adds warp w to the ready set of its next instruction's pipe, effective from cycle `at`. */
void ready_insert(sm_t *sm, uint32_t w, cycle_t at);

/* Charges the ready warps of a sub-core for the cycles before now. */
void ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now);

/* Charges the ready warps of a pipe for [from, to), in which the pipe was busy. */
void ready_charge_pipe(sm_t *sm, const sub_core_t *sub, unsigned pipe, cycle_t from, cycle_t to);

/* Sets the cycle from which the pipes that end in the memory queue of a sub-core are free. */
void ready_queue_free(sub_core_t *sub, cycle_t at);

/* depend.c */

static inline dep_t dep_encode(cycle_t cycle, dep_kind_t kind)
{
    return (dep_t)(cycle << DEP_SHIFT) | (dep_t)kind;
}

/* Earliest cycle >= now at which the operands of inst allow warp w to issue; CYCLE_NEVER: not known
 * yet. *kind: what the wait is charged to. */
cycle_t depend_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now, dep_kind_t *kind);

/* The destinations of inst will be ready at `cycle`. */
void depend_set(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

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

/* Warp w issues inst, which has a control word: reserves the read ports. Returns the cycles that it
 * waits for them. */
uint32_t operands_allocate(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst, cycle_t now);

/* When the CS2R that warp w has just issued reads its operands: at issue, plus the wait for the
 * ports. */
cycle_t operands_read_at(const sm_t *sm, uint32_t w);

/* A warp starts in slot w: removes the previous warp's entries from the operand cache. */
void operands_forget(sub_core_t *sub, uint32_t w);

#endif
