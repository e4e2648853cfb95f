/* How long an instruction occupies pipes: what runs for every instruction. */
#ifndef RUBATO_SM_PIPES_H
#define RUBATO_SM_PIPES_H

#include "sim/sm/subcore/ready.h"

/* pipes.c */

/* Cycles that reading the operands adds to the pipe's interval; more registers of a bank than
 * cls->reads_free. For warps without control words. */
uint32_t pipes_conflict(const sm_spec_t *spec, const inst_t *inst, uint32_t interval);

/* Cycles that an instruction of a varying class occupies its pipe: an HMMA depends on its shape, an
 * IMAD with a 64-bit result needs several passes. */
uint32_t pipes_varying_interval(const sm_t *sm, const inst_t *inst);

/* Cycles to the result of an instruction of a varying class: tensor instructions that read more of A
 * take longer. */
uint32_t pipes_varying_latency(const sm_t *sm, const inst_t *inst);

/* Cycles to the result of an instruction of a fixed latency. */
static inline uint32_t pipes_latency(const sm_t *sm, const inst_t *inst, const op_properties_t *cls)
{
    return cls->varies ? pipes_varying_latency(sm, inst) : cls->latency;
}

/* The same on a core with other latencies. */
uint32_t pipes_latency_with(const sm_t *sm, const lat_spec_t *lat, const inst_t *inst);

/* The same without an SM. varies: the class does; usual: the interval of the class. */
uint32_t pipes_latency_of(const lat_spec_t *lat, const inst_t *inst, bool varies);
uint32_t pipes_interval_of(const sm_spec_t *spec, const inst_t *inst, uint32_t usual);

/* Occupies the other pipes that share the dispatch port of pipe `number`. */
void pipes_occupy_others(sub_core_t *sub, unsigned number, uint32_t others, cycle_t now);

/* The SM has only one FP64 unit: it is busy for every sub-core, in this cycle already for those that
 * have not picked a warp. Those that ran ahead had no warp for it. */
void pipes_occupy_shared_fp64(sm_t *sm, const sub_core_t *from, cycle_t now);

/* Occupies the pipe of an instruction that issues now, which is free. */
static inline void pipes_occupy_own(const sm_t *sm, sub_core_t *sub, const inst_t *inst,
                                    const op_properties_t *cls, uint32_t conflict, cycle_t now)
{
    pipe_state_t *pipe = &sub->pipe[cls->pipe];
    uint32_t interval = cls->interval;
    if (interval == 0)
        return;
    if (cls->varies)
        interval = pipes_varying_interval(sm, inst);
    pipe->busy += interval - 1;
    pipe->free_base = now + interval;
    pipe->free_at = now + interval + conflict;
    if (cls->port_others != 0)
        pipes_occupy_others(sub, cls->pipe, cls->port_others, now);
}

/* The same for an instruction without control word. Returns the cycles by which reading its registers
 * delays it. */
static inline uint32_t pipes_read_and_occupy(const sm_t *sm, sub_core_t *sub, const inst_t *inst,
                                             const op_properties_t *cls, cycle_t now)
{
    uint32_t conflict = 0;
    if (inst->most_reads[sm->subcore.last_bank] > cls->reads_free)
        conflict = pipes_conflict(&sm->config->sm, inst, cls->interval);
    pipes_occupy_own(sm, sub, inst, cls, conflict, now);
    return conflict;
}

#endif
