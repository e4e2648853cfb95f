/* Internal interface between the files of the sub-cores. */
#ifndef RUBATO_SM_SUBCORE_PARTS_H
#define RUBATO_SM_SUBCORE_PARTS_H

#include "sim/sm/subcore/subcore.h"

/* warp.c */

/* Takes a warp to the first instruction of a piece of its stream. */
void warp_begin_piece(warp_t *warp, const warp_stream_t *stream);

/* Takes a warp to the first instruction of its next run. false: no run is left. */
bool warp_next_run(sm_t *sm, warp_t *warp);

/* The same for a warp of a launch in which warps wait for what others write. (warp_waits.c) */
bool warp_waits_go_on(sm_t *sm, warp_t *warp);

/* Call after warp_begin_piece() for such a warp. */
void warp_waits_start(sm_t *sm, uint32_t w, const warp_stream_t *stream, cycle_t now);
void warp_waits_free(sm_t *sm);

/* Adds to the base of warp w's next instruction what does not delay every instruction: the branch or
 * NANOSLEEP before it (prev, issued now with prev_mask), a short instruction buffer, a constant. */
void warp_delay(sm_t *sm, uint32_t w, const inst_t *prev, uint32_t prev_mask, cycle_t now);

/* Adds the delay of a constant operand to the base of warp w's next instruction. */
void warp_read_constant(sm_t *sm, uint32_t w);

/* issue_warp.c */

/* Warp issues its next instruction, whatever that is; it is still in its ready set. */
void issue_warp(sm_t *sm, sub_core_t *sub, warp_t *warp, cycle_t now);

/* The same for a warp with control words that is counted already. */
void issue_controlled(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now);

/* run_ahead.c */

/* Simulates a sub-core from cycle `from` on, as far as it can run ahead, but not beyond `end`. Returns
 * the next cycle in which something happens in it. */
cycle_t run_ahead(sm_t *sm, sub_core_t *sub, cycle_t from, cycle_t end);

/* depend.c */

static inline dep_t dep_encode(cycle_t cycle, dep_kind_t kind)
{
    return (dep_t)(cycle << DEP_SHIFT) | (dep_t)kind;
}

/* Earliest cycle >= now at which its operands allow a warp to issue its next instruction; CYCLE_NEVER:
 * not known yet, and warp->awaited is set. *kind: what the wait is charged to. */
cycle_t depend_ready(sm_t *sm, warp_t *warp, cycle_t now, dep_kind_t *kind);

/* The destinations of inst will be ready at `cycle`. */
static inline void depend_set(warp_t *warp, const inst_t *inst, cycle_t cycle, dep_kind_t kind)
{
    const dep_t d = dep_encode(cycle, kind);
    const uint16_t *id = &inst->dep[inst->n_wait];
    warp->dep_until = cycle_max(warp->dep_until, cycle);
    warp->other_until = cycle_max(warp->other_until, cycle);
    for (unsigned n = inst->n_set; n > 0; n--)
        warp->dep[*--id] = d;
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

/* Cycles from the issue of an instruction with a control word to the next one of its warp. */
static inline cycle_t control_gap(const sm_t *sm, const inst_t *inst)
{
    return inst->gap != 0 ? inst->gap : sm->config->sm.zero_stall;
}

/* depend_ready() for warps with control words: by stall count and counters. */
cycle_t control_ready(sm_t *sm, warp_t *warp, cycle_t now, dep_kind_t *kind);

/* Whether instructions that a counter of warp w counts may be released in a cycle not known yet. */
bool control_is_open(const sm_t *sm, uint32_t w, unsigned n);

/* Earliest cycle >= now at which counter n of warp w is at most limit; CYCLE_NEVER: not known yet. */
cycle_t control_falls(const sm_t *sm, uint32_t w, unsigned n, unsigned limit, cycle_t now);

/* Increments counter n of warp w until cycle `at`; CYCLE_NEVER: until control_result(). */
void control_count_one(sm_t *sm, uint32_t w, unsigned n, cycle_t at, dep_kind_t kind, cycle_t now);

/* inst was issued at now: increments its counters. result: when its destinations are ready;
 * CYCLE_NEVER if control_result(), with its write barrier, and control_sources_read() will say. */
void control_count(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t result, cycle_t now);
void control_result(sm_t *sm, uint32_t w, unsigned barrier, cycle_t at, dep_kind_t kind,
                    cycle_t now);
void control_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                          cycle_t now);

/* copies.c: groups of asynchronous copies */

void copies_free(sm_t *sm);

/* A warp starts in slot w: it has no copies. */
void copies_reset(sm_t *sm, uint32_t w);

/* Warp w issues a copy, which belongs to its open group. */
void copies_issue(sm_t *sm, uint32_t w);

/* The warp issues an LDGDEPBAR at now: its open group is closed and the next one begins. Returns when
 * the group and all before it are done; CYCLE_NEVER: not known yet, the warp's counter will be
 * released. */
cycle_t copies_commit(sm_t *sm, const warp_t *warp, cycle_t now);

/* When groups of copies allow the warp's next instruction, an INST_AFTER_COPIES, to issue;
 * CYCLE_NEVER: not known yet. */
cycle_t copies_ready(const sm_t *sm, const warp_t *warp, cycle_t now);

/* results.c: a warp with control words issued inst, of fixed latency, at now; the result is
 * forwarded from cycle `result` on. */
void results_fixed(sm_t *sm, sub_core_t *sub, const inst_t *inst, cycle_t result, cycle_t now);

/* control_check.c: to be called only if sm.control_check is on, except init and free. */

void control_check_init(sm_t *sm);
void control_check_free(sm_t *sm);
void control_check_reset(sm_t *sm, uint32_t w);
void control_check_issue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask);

/* stall_stretch.c */

/* The first warp with control words starts: allocates what the rule needs, if a latency is longer than the
 * compiler assumed. */
void stall_stretch_begin(sm_t *sm);
void stall_stretch_free(sm_t *sm);

/* To be called only where subcore.written is there. A warp with control words starts in slot w. */
void stall_stretch_reset(sm_t *sm, uint32_t w);

/* The warp issues its next instruction, which has read its operands at now. */
void stall_stretch_issue(sm_t *sm, const warp_t *warp, cycle_t now);

/* The earliest cycle for the warp's next instruction, whatever its stall counts say; 0: any. */
cycle_t stall_stretch_until(const sm_t *sm, const warp_t *warp);

/* operands.c */

void operands_init(sm_t *sm);

/* Warp w issues inst, which goes through the allocate stage: reserves the read ports. Returns the cycles that it
 * waits for them. */
uint32_t operands_allocate(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst, cycle_t now);

/* When the CS2R that warp w has just issued reads its operands: at issue, plus the wait for the
 * ports. */
cycle_t operands_read_at(const sm_t *sm, uint32_t w);

/* A warp starts in slot w: removes the previous warp's entries from the operand cache. */
void operands_forget(sub_core_t *sub, uint32_t w);

#endif
