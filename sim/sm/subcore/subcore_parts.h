/*
 * What the files of the sub-cores do for each other.
 */
#ifndef RUBATO_SM_SUBCORE_PARTS_H
#define RUBATO_SM_SUBCORE_PARTS_H

#include "sim/sm/subcore/subcore.h"

/* warp.c */

/* Warp w has issued inst: moves on to its next instruction and sets the cycle (base) from which
 * that one may issue, dependences apart. false: there is none, the warp has ended. */
bool warp_advance(sm_t *sm, uint32_t w, cycle_t now);

/* The next instruction of warp w is new: adds to its base what its constant operand takes. */
void warp_read_constant(sm_t *sm, uint32_t w);

/* pipes.c */

/* Cycles that reading the operands takes beyond the pipe's interval, without control words. */
uint32_t pipes_conflict(const sm_spec_t *spec, const inst_t *inst, uint32_t interval);

/* Cycles that an instruction of a class that varies occupies its pipe: an HMMA by its size, an IMAD
 * with a result of 64 bits for several passes. */
uint32_t pipes_varying_interval(const sm_t *sm, const inst_t *inst);

/* ready.c */

/* Adds warp w to the ready set of its next instruction's pipe, in force from cycle at on. */
void ready_insert(sm_t *sm, uint32_t w, cycle_t at);

/* Charges the ready warps of a sub-core for the cycles before now. */
void ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now);

/* The ready warps of a pipe were kept waiting by it during [from, to). */
void ready_charge_pipe(sm_t *sm, const sub_core_t *sub, unsigned pipe, cycle_t from, cycle_t to);

/* The pipes of a sub-core that end in its memory queue are free from cycle at on. */
void ready_queue_free(sub_core_t *sub, cycle_t at);

/* depend.c */

static inline dep_t dep_encode(cycle_t cycle, dep_kind_t kind)
{
    return (dep_t)(cycle << DEP_SHIFT) | (dep_t)kind;
}

/* Earliest cycle >= now at which the operands of inst allow warp w to issue; *kind is what a wait
 * is charged to. CYCLE_NEVER: not known yet. */
cycle_t depend_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now, dep_kind_t *kind);

/* The destinations of inst will be ready at cycle. */
void depend_set(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

/* ... at a cycle not known yet. */
void depend_set_pending(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind);

/* The general-purpose sources of inst may not be overwritten until depend_release(). */
void depend_hold(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind);

/* inst will have read its sources at cycle. */
void depend_release(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

/* A warp starts in slot w: all its registers are ready. Nothing of the warp before is pending. */
void depend_reset(sm_t *sm, uint32_t w, cycle_t now);

enum { DEP_SWEEP_INTERVAL = 1 << 26 }; /* cycles between two calls of depend_sweep() */

/* control.c */

void control_free(sm_t *sm);

/* A warp starts in slot w: its counters are 0. */
void control_reset(sm_t *sm, uint32_t w);

/* Cycles from the issue of an instruction with this control word to the next of its warp. */
cycle_t control_gap(const sm_t *sm, uint32_t ctl);

/* As depend_ready(), by the stall count before inst and the counters that inst waits for. */
cycle_t control_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now,
                      dep_kind_t *kind);

/* inst was issued at now: its counters count up. result: when its destinations are ready,
 * CYCLE_NEVER if control_result(), with its write barrier, and control_sources_read() will tell. */
void control_count(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t result, cycle_t now);
void control_result(sm_t *sm, uint32_t w, unsigned barrier, cycle_t at, dep_kind_t kind,
                    cycle_t now);
void control_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                          cycle_t now);

/* results.c: inst, of fixed latency, was issued at now by a warp with control words; its result is
 * forwarded from that cycle on. */
void results_fixed(sm_t *sm, sub_core_t *sub, const inst_t *inst, cycle_t result, cycle_t now);

/* control_check.c: only if sm.control_check is on, except init and free. */

void control_check_init(sm_t *sm);
void control_check_free(sm_t *sm);
void control_check_reset(sm_t *sm, uint32_t w);
void control_check_issue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask);

/* operands.c */

/* Warp w issues inst, which has a control word: reserves the read ports that it needs. Returns the
 * cycles that it waits for them. */
uint32_t operands_allocate(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst, cycle_t now);

/* When the CS2R that warp w has just issued reads its operands: at issue, plus the delay of the
 * ports. */
cycle_t operands_read_at(const sm_t *sm, uint32_t w);

/* A warp starts in slot w: the operand cache holds nothing of it. */
void operands_forget(sub_core_t *sub, uint32_t w);

#endif
