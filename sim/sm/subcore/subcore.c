/* The sub-cores as a whole: creation, charging, checkpoints. */
#include "sim/sm/subcore/ready.h"
#include "sim/sm/subcore/tally.h"

#include <stddef.h>
#include <string.h>

#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"
#include "sim/sm/save_value.h"
#include "sim/sm/subcore/scheduler/scheduler_state.h"

static void warps_init(sm_t *sm)
{
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        warp_t *warp = &sm->subcore.warp[w];
        warp->sub_core = (uint8_t)(w % sm->n_sub_cores);
        warp->place = (uint8_t)(w / sm->n_sub_cores);
        warp->state = STATE_NO_WARP;
        warp->slot = (uint8_t)w;
        warp->sub = &sm->subcore.sub[warp->sub_core];
        sm->subcore.sub[warp->sub_core].free_slots |= UINT32_C(1) << warp->place;
        if (warp->place == 0)
            sm->subcore.sub[warp->sub_core].warp = warp;
        sm->subcore.sub[warp->sub_core].next = CYCLE_NEVER;
        sm->subcore.sub[warp->sub_core].looked = CYCLE_NEVER;
    }
}

/* Whether an INST_SIMPLE occupies its pipe as its class says: registers of one bank delay none of them. */
static bool simple_is_simple(const sm_t *sm)
{
    static const uint8_t examples[] = {OP_FP32, OP_IMAD, OP_INT, OP_MUFU, OP_UNIFORM};
    bool simple = sm->config->sm.rf_banks % 2 == 0;
    for (unsigned i = 0; i < sizeof(examples); i++) {
        const op_properties_t *cls = &sm->cls[examples[i]];
        simple &= cls->simple && cls->reads_free >= INST_SIMPLE_READS;
    }
    return simple;
}

/* The longest latency of the classes of each speed, a byte each. */
static uint32_t farthest(const sm_t *sm)
{
    uint8_t far[INST_SPEEDS] = {0};
    uint32_t packed;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        uint8_t *most = &far[isa_class_speed((op_class_t)c)];
        const uint32_t latency = sm->cls[c].simple ? sm->cls[c].latency : 0;
        if (latency > *most)
            *most = latency <= INST_FAR ? (uint8_t)latency : INST_FAR + 1;
    }
    memcpy(&packed, far, sizeof(packed));
    return packed;
}

void subcore_init(sm_t *sm)
{
    const icache_spec_t *icache = &sm->config->icache;
    subcore_t *c = &sm->subcore;
    c->sweep_at = DEP_SWEEP_INTERVAL;
    c->issue_next = CYCLE_NEVER;
    c->issuing = NOT_ISSUING;
    c->short_buffer = icache->buffer < SHORTEST_BUFFER && !icache->perfect ? icache->buffer : 0;
    c->last_bank = sm->config->sm.rf_banks - 1;
    c->any_delays = c->short_buffer > 0 || sm->config->sm.ideal;
    c->plain = !c->any_delays && !sm->config->sm.control_check;
    c->greedy = scheduler_is_greedy(&sm->config->sm);
    c->far = farthest(sm);
    c->simple = simple_is_simple(sm) ? INST_SIMPLE : 0;
    c->shared_pipes = sm->cls[OP_FP64].one_unit ? UINT32_C(1) << PIPE_FP64 : 0;
    warps_init(sm);
    operands_init(sm);
    control_check_init(sm);
}

void subcore_free(sm_t *sm)
{
    control_free(sm);
    copies_free(sm);
    warp_waits_free(sm);
    control_check_free(sm);
    stall_stretch_free(sm);
    for (unsigned g = 0; g < DEP_GROUPS; g++)
        rb_model_free(sm->subcore.tables[g]);
}

void subcore_charge(sm_t *sm, cycle_t now)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        uint32_t ready = ready_charge(sm, &sm->subcore.sub[s], now);
        tally_flush(sm, &sm->subcore.sub[s]);
        for (uint32_t w = s; w < sm->n_warps; w += sm->n_sub_cores) {
            if (!(ready >> sm->subcore.warp[w].place & 1))
                warp_charge(sm, w, now);
        }
    }
}

void subcore_prefetch(const sm_t *sm)
{
    prefetch_range(&sm->subcore.issue_next, 1);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        prefetch_range(&sm->subcore.sub[s], offsetof(sub_core_t, age));
}

/* State that survives a launch: X(field), of the SM and of each sub-core. */
#define SUBCORE_PERSISTENT(X)                                                                      \
    X(sm->subcore.next_age)                                                                        \
    X(sm->subcore.sweep_at)
#define SUB_CORE_PERSISTENT(X)                                                                     \
    X(sub->last)                                                                                   \
    X(sub->scheduler_word)

int subcore_save(const sm_t *sm, FILE *out)
{
    int rc = 0;
    SUBCORE_PERSISTENT(SAVE_VALUE)
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        const sub_core_t *sub = &sm->subcore.sub[s];
        for (unsigned p = 0; p < PIPE_COUNT; p++)
            SAVE_VALUE(sub->pipe[p].free_at)
        for (unsigned p = 0; p < PIPE_COUNT; p++)
            SAVE_VALUE(sub->pipe[p].free_base)
        SUB_CORE_PERSISTENT(SAVE_VALUE)
    }
    return rc;
}

/* Whether a sub-core at rest can have these values. */
static bool is_possible(const sm_t *sm, const sub_core_t *sub, cycle_t latest)
{
    bool good = sub->last < sm->warps_per_sub_core &&
                sub->scheduler_word < scheduler_word_values(&sm->config->sm);
    for (unsigned p = 0; p < PIPE_COUNT; p++)
        good &= sub->pipe[p].free_at <= latest && sub->pipe[p].free_base <= latest;
    return good;
}

int subcore_load(sm_t *sm, FILE *in, cycle_t latest)
{
    int rc = 0;
    SUBCORE_PERSISTENT(LOAD_VALUE)
    if (rc != 0 || sm->subcore.sweep_at > latest + DEP_SWEEP_INTERVAL)
        return checkpoint_read_failed(in);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sub_core_t *sub = &sm->subcore.sub[s];
        for (unsigned p = 0; p < PIPE_COUNT; p++)
            LOAD_VALUE(sub->pipe[p].free_at)
        for (unsigned p = 0; p < PIPE_COUNT; p++)
            LOAD_VALUE(sub->pipe[p].free_base)
        SUB_CORE_PERSISTENT(LOAD_VALUE)
        if (rc != 0 || !is_possible(sm, sub, latest))
            return checkpoint_read_failed(in);
    }
    return 0;
}
