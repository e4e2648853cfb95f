/* How long an instruction occupies its pipe, when that depends on more than its class. */
#include "sim/sm/subcore/pipes.h"

/*
 * Cycles that reading the operands adds to the pipe's interval. A bank serves rf_bank_reads
 * registers in the two cycles that a 32-bit instruction takes to dispatch, and proportionally more
 * for wider ones (a pair is read in two passes). Tensor operands are always aligned pairs or quads,
 * and HMMA reaches its full rate with them (Accel-Sim's tuner on a TITAN V: 509 of 512 FMA per
 * cycle and SM).
 */
uint32_t pipes_conflict(const sm_spec_t *spec, const inst_t *inst, uint32_t interval)
{
    uint32_t most = inst->most_reads[spec->rf_banks - 1];
    uint32_t window = interval < 2 ? 2 : interval;
    return (2 * most + spec->rf_bank_reads - 1) / spec->rf_bank_reads - window;
}

/* Cycles that the tensor cores take for a warp's multiply-adds; inst->flops counts two for each,
 * per thread. */
static uint32_t hmma_interval(const sm_spec_t *spec, const inst_t *inst)
{
    uint32_t fma = inst->flops * (uint32_t)WARP_LANES / 2;
    return fma == 0 ? spec->tensor_interval : (fma + spec->tensor_fma - 1) / spec->tensor_fma;
}

/*
 * Tensor cores from Ampere on take operands of all types at the same bits per cycle: 256 FMA of
 * halves are 128 of TF32, 512 of INT8, 1024 of INT4 and 4096 of bits (NVIDIA A100 white paper, peak
 * rates). A register of A, 32 bits of each thread, meets 8 columns of B: 512 FMA of halves. DMMA
 * takes a sixteenth of the FMA of halves.
 */
static uint32_t operand_interval(const sm_spec_t *spec, const inst_t *inst)
{
    enum { FMA_OF_REGISTER = 512, HALF_OVER_DOUBLE = 16, SUM32_REGISTERS = 4 };
    const uint32_t a = inst->n_src > 0 ? inst->src[0].count : 1;
    const bool doubles = inst->cls == OP_IMMA && inst->flops != 0;
    uint32_t work =
        doubles ? inst->flops * (uint32_t)WARP_LANES / 2 * HALF_OVER_DOUBLE : a * FMA_OF_REGISTER;
    if (inst->cls == OP_HMMA && inst->n_dst > 0 && inst->dst[0].count == SUM32_REGISTERS)
        work *= spec->tensor_sum32_passes;
    return (work + spec->tensor_fma - 1) / spec->tensor_fma;
}

/* usual: the latency of the class. */
static uint32_t tensor_latency(const lat_spec_t *lat, const inst_t *inst, uint32_t usual)
{
    enum { NARROW = 2 };
    if (inst->cls == OP_IMMA && inst->flops != 0)
        return lat->dmma;
    if (inst->n_src == 0 || inst->src[0].count <= NARROW)
        return usual;
    return inst->cls == OP_IMMA ? lat->imma_wide : lat->hmma_wide;
}

uint32_t pipes_varying_latency(const sm_t *sm, const inst_t *inst)
{
    const uint32_t usual = sm->cls[inst->cls].latency;
    return inst->flags & INST_TENSOR ? tensor_latency(&sm->config->lat, inst, usual) : usual;
}

uint32_t pipes_latency_of(const lat_spec_t *lat, const inst_t *inst, bool varies)
{
    const uint32_t usual = sm_fixed_latency(lat, (op_class_t)inst->cls);
    return varies && inst->flags & INST_TENSOR ? tensor_latency(lat, inst, usual) : usual;
}

uint32_t pipes_latency_with(const sm_t *sm, const lat_spec_t *lat, const inst_t *inst)
{
    return pipes_latency_of(lat, inst, sm->cls[inst->cls].varies);
}

uint32_t pipes_interval_of(const sm_spec_t *spec, const inst_t *inst, uint32_t usual)
{
    if (inst->cls == OP_IMMA || (inst->cls == OP_HMMA && spec->tensor_interval == 0))
        return operand_interval(spec, inst);
    if (inst->cls == OP_HMMA)
        return hmma_interval(spec, inst);
    bool wide = inst->n_dst > 0 && inst->dst[0].file == REG_GPR && inst->dst[0].count == 2;
    return usual * (wide ? spec->imad_wide_passes : 1);
}

uint32_t pipes_varying_interval(const sm_t *sm, const inst_t *inst)
{
    return pipes_interval_of(&sm->config->sm, inst, sm->cls[inst->cls].interval);
}

void pipes_occupy_others(sub_core_t *sub, unsigned number, uint32_t others, cycle_t now)
{
    for (; others != 0; others &= others - 1) {
        unsigned other = (unsigned)__builtin_ctz(others);
        pipe_occupy(&sub->pipe[other], now + 1, sub->pipe[number].free_base,
                    sub->pipe[number].free_at);
    }
}

void pipes_occupy_shared_fp64(sm_t *sm, const sub_core_t *from, cycle_t now)
{
    const pipe_state_t *pipe = &from->pipe[PIPE_FP64];
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sub_core_t *sub = &sm->subcore.sub[s];
        if (sub == from)
            continue;
        cycle_t busy_from = cycle_max(now + (sub->looked == now), sub->ahead);
        pipe_occupy(&sub->pipe[PIPE_FP64], busy_from, pipe->free_base, pipe->free_at);
    }
}
