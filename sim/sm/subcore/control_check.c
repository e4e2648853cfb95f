/*
 * sm.control_check: reports stall counts that are shorter than the latencies of the configuration,
 * and results of variable latency that no counter protects. Hardware does not detect either; such
 * code reads stale registers.
 *
 * The distance of two instructions is the sum of the stall counts between them, not simulated time,
 * so a report does not depend on other delays.
 */
#include "sim/sm/subcore/kept_distance.h"

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

/* Cycles after which a result without a counter may be used on the same pipe. */
static uint32_t result_latency(const sm_t *sm, const inst_t *inst)
{
    switch (inst->access) {
    case ACC_LOAD:
    case ACC_ATOMIC:
        return inst->space == MEM_SHARED  ? sm->config->shared.latency
               : inst->space == MEM_CONST ? sm->cls[inst->cls].latency
                                          : sm->config->l1.latency;
    default:
        return kept_distance(sm, &sm->config->lat, inst);
    }
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
        uint32_t extra = kept_is_guard(inst, id)
                             ? guard_extra
                             : kept_crosses(c->pipe[id], sm->cls[inst->cls].pipe);
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
