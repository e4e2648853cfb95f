/*
 * sm.control_check: reports stall counts that are shorter than the latencies of the configuration,
 * and results of variable latency that no counter protects. Hardware does not detect either; such
 * code reads stale registers.
 *
 * The distance of two instructions is the sum of the stall counts between them, not simulated time,
 * so a report does not depend on other delays.
 */
#include "sim/sm/subcore/subcore_parts.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/log.h"

struct control_check {
    uint32_t clock;
    uint32_t ready[REG_ID_COUNT]; /* on that clock, for an instruction on the same pipe; 0: ready */
    uint8_t pipe[REG_ID_COUNT];   /* pipe that writes it */
};

void control_check_init(sm_t *sm)
{
    if (sm->config->sm.control_check)
        sm->subcore.check = rb_calloc(sm->n_warps, sizeof(*sm->subcore.check));
}

void control_check_free(sm_t *sm)
{
    free(sm->subcore.check);
}

void control_check_reset(sm_t *sm, uint32_t w)
{
    memset(&sm->subcore.check[w], 0, sizeof(sm->subcore.check[w]));
}

static void report(const inst_t *inst, unsigned id, int32_t early)
{
    static const struct {
        const char *name;
        unsigned first;
    } files[] = {{"UP", REG_ID_UPRED}, {"UR", REG_ID_UNIFORM}, {"P", REG_ID_PRED}, {"R", 0}};
    const isa_opcode_t *op = isa_opcode(inst->opcode);
    unsigned f = 0;
    while (id < files[f].first)
        f++;
    rb_warn_once("control words: %s at pc %04x uses %s%u %d cycles before it is ready",
                 op == NULL ? "?" : op->mnemonic, inst->pc, files[f].name, id - files[f].first,
                 early);
}

/* Guards and branch conditions are read earlier in the pipeline than other operands. */
static bool is_guard(const inst_t *inst, unsigned id)
{
    bool leads = inst->n_src > 0 && inst->src[0].file == REG_PRED &&
                 (unsigned)REG_ID_PRED + inst->src[0].num == id;
    bool predicate = id >= REG_ID_PRED && id < REG_ID_UNIFORM;
    return predicate && (inst->flags & INST_BRANCH || (leads && inst->cls != OP_PRED));
}

/* Cycles after which a result without a counter may be used on the same pipe. ptxas lets results of
 * the FMA and ALU pipes be used after 4 cycles on the same pipe and after 5 on the other, whatever
 * the class: in code of CUDA 11.8 for sm_70 and sm_75 none of 1300 pairs is closer. */
static uint32_t result_latency(const sm_t *sm, const inst_t *inst)
{
    switch (sm->cls[inst->cls].pipe) {
    case PIPE_FMA:
        return sm->config->lat.fp32;
    case PIPE_ALU:
        return sm->config->lat.integer;
    case PIPE_UNIFORM:
        return 2; /* in the same code: ULDC and UMOV 2, the others 4 */
    default:
        break;
    }
    switch (inst->access) {
    case ACC_LOAD:
    case ACC_ATOMIC:
        return inst->space == MEM_SHARED  ? sm->config->shared.latency
               : inst->space == MEM_CONST ? sm->cls[inst->cls].latency
                                          : sm->config->l1.latency;
    default:
        return sm->cls[inst->cls].latency;
    }
}

/* Extra cycles for a result that is used on the other arithmetic pipe. */
static uint32_t crosses(uint8_t from, const sm_t *sm, const inst_t *to)
{
    uint8_t pipe = sm->cls[to->cls].pipe;
    return (from == PIPE_FMA && pipe == PIPE_ALU) || (from == PIPE_ALU && pipe == PIPE_FMA);
}

void control_check_issue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask)
{
    struct control_check *c = &sm->subcore.check[w];
    const sm_spec_t *spec = &sm->config->sm;
    uint32_t guard_extra = spec->predicate_latency - sm->config->lat.integer;
    for (unsigned i = 0; i < (unsigned)inst->n_wait - inst->n_set; i++) {
        unsigned id = inst->dep[i];
        if (c->ready[id] == 0)
            continue;
        uint32_t extra = is_guard(inst, id) ? guard_extra : crosses(c->pipe[id], sm, inst);
        int32_t early = (int32_t)(c->ready[id] + extra - c->clock);
        if (early > 0)
            report(inst, id, early);
    }
    bool counted = ctl_write_barrier(inst->ctl) < CONTROL_COUNTERS;
    uint32_t ready = c->clock + result_latency(sm, inst);
    for (unsigned i = inst->n_wait - inst->n_set; i < inst->n_wait && mask != 0; i++) {
        c->ready[inst->dep[i]] = counted ? 0 : ready;
        c->pipe[inst->dep[i]] = sm->cls[inst->cls].pipe;
    }
    c->clock += (uint32_t)control_gap(sm, inst);
}
