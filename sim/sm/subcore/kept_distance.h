/*
 * Cycles that a compiler keeps between an instruction of fixed latency and one that uses its result.
 *
 * ptxas lets results of the FMA and ALU pipes be used after 4 cycles on the same pipe and after 5 on the
 * other, whatever the class: in code of CUDA 11.8 for sm_70 and sm_75 none of 1300 pairs is closer. On the
 * uniform pipe it keeps 2 cycles after ULDC and UMOV, and 4 after the others.
 */
#ifndef RUBATO_SM_KEPT_DISTANCE_H
#define RUBATO_SM_KEPT_DISTANCE_H

#include "sim/sm/subcore/pipes.h"
#include "sim/sm/subcore/subcore_parts.h"

/* On the same pipe, for a core with these latencies. */
static inline uint32_t kept_distance(const sm_t *sm, const lat_spec_t *lat, const inst_t *inst)
{
    enum { UNIFORM = 2 };
    switch (sm->cls[inst->cls].pipe) {
    case PIPE_FMA:
        return lat->fp32;
    case PIPE_ALU:
        return lat->integer;
    case PIPE_UNIFORM:
        return UNIFORM;
    default:
        return pipes_latency_with(sm, lat, inst);
    }
}

/* Further cycles for a result of pipe `from` that is used on pipe `to`. */
static inline uint32_t kept_crosses(uint8_t from, uint8_t to)
{
    return (from == PIPE_FMA && to == PIPE_ALU) || (from == PIPE_ALU && to == PIPE_FMA);
}

/* Whether inst reads register id as its guard or branch condition, which is earlier in the pipeline than
 * other operands. */
static inline bool kept_is_guard(const inst_t *inst, unsigned id)
{
    bool leads = inst->n_src > 0 && inst->src[0].file == REG_PRED &&
                 (unsigned)REG_ID_PRED + inst->src[0].num == id;
    bool predicate = id >= REG_ID_PRED && id < REG_ID_UNIFORM;
    return predicate && (inst->flags & INST_BRANCH || (leads && inst->cls != OP_PRED));
}

#endif
