/*
 * Stall counts and latencies that the compiler did not know.
 *
 * Stall counts were chosen for the latencies of a chip (sm.compiled_for). If the configuration has a longer
 * one, code with these counts would read stale registers, and its timing would not change. So a stall count
 * is stretched where an instruction reads a register of such a result: it issues as many cycles after the
 * result's instruction as the compiler keeps at least (kept_distance.h), and the difference of the two
 * latencies. Nothing else changes, and a shorter latency changes nothing: another compiler would be needed.
 *
 * Results that a dependence counter protects need no rule: the counter falls when they are ready.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/sm/subcore/kept_distance.h"

/* The latest result of a register without a counter. */
struct written {
    const inst_t *by; /* borrowed from the code of the launch; NULL: none */
    cycle_t at;
};

typedef struct {
    lat_spec_t lat;
    uint32_t predicate_latency;
} assumed_t;

/* As configs/volta.cfg, turing.cfg and ampere.cfg have them (a test compares them); 0 for classes with
 * dependence counters, of which any value does. */
static const assumed_t assumed[] = {
    [COMPILED_FOR_VOLTA] = {.lat = {.fp32 = 4,
                                    .fp32_cmp = 5,
                                    .fp32_setp = 4,
                                    .imad = 5,
                                    .integer = 4,
                                    .move = 4,
                                    .fp16 = 6,
                                    .fp64 = 8,
                                    .fp64_fma = 8,
                                    .fp64_cmp = 5,
                                    .conv64 = 14,
                                    .pred = 4,
                                    .uniform = 4,
                                    .hmma = 10,
                                    .hmma_wide = 10,
                                    .hmma_acc = 3,
                                    .imma = 10,
                                    .imma_wide = 10,
                                    .dmma = 10,
                                    .cs2r = 6,
                                    .unknown = 4},
                            .predicate_latency = 12},
    [COMPILED_FOR_TURING] = {.lat = {.fp32 = 4,
                                     .fp32_cmp = 5,
                                     .fp32_setp = 4,
                                     .imad = 5,
                                     .integer = 4,
                                     .move = 4,
                                     .fp16 = 6,
                                     .fp64 = 48,
                                     .fp64_fma = 54,
                                     .fp64_cmp = 54,
                                     .conv64 = 54,
                                     .pred = 4,
                                     .uniform = 4,
                                     .hmma = 33,
                                     .hmma_wide = 33,
                                     .hmma_acc = 33,
                                     .imma = 33,
                                     .imma_wide = 33,
                                     .dmma = 33,
                                     .cs2r = 6,
                                     .unknown = 4},
                             .predicate_latency = 12},
    [COMPILED_FOR_AMPERE] = {.lat = {.fp32 = 4,
                                     .fp32_cmp = 5,
                                     .fp32_setp = 4,
                                     .imad = 4,
                                     .integer = 4,
                                     .move = 4,
                                     .fp16 = 5,
                                     .fp64 = 8,
                                     .fp64_fma = 8,
                                     .fp64_cmp = 5,
                                     .conv64 = 14,
                                     .pred = 4,
                                     .uniform = 4,
                                     .hmma = 18,
                                     .hmma_wide = 25,
                                     .hmma_acc = 18,
                                     .imma = 18,
                                     .imma_wide = 25,
                                     .dmma = 38,
                                     .cs2r = 6,
                                     .unknown = 4},
                             .predicate_latency = 13},
};

/* Cycles by which a latency is longer than assumed. */
static uint32_t excess(uint32_t now, uint32_t then)
{
    return now > then ? now - then : 0;
}

/* Whether results of a class may come without a dependence counter. */
static bool is_fixed(const sm_t *sm, op_class_t cls)
{
    return sm->cls[cls].dep_kind == DEP_FIXED && cls != OP_LDC;
}

static bool any_is_longer(const sm_t *sm, const assumed_t *then)
{
    const lat_spec_t *lat = &sm->config->lat;
    bool any = sm->config->sm.predicate_latency > then->predicate_latency ||
               lat->hmma_wide > then->lat.hmma_wide || lat->hmma_acc > then->lat.hmma_acc ||
               lat->imma_wide > then->lat.imma_wide || lat->dmma > then->lat.dmma;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        const op_class_t cls = (op_class_t)c;
        any |= is_fixed(sm, cls) && sm_fixed_latency(lat, cls) > sm_fixed_latency(&then->lat, cls);
    }
    return any;
}

const lat_spec_t *stall_stretch_assumed(uint32_t compiled_for, uint32_t *predicate_latency)
{
    *predicate_latency = assumed[compiled_for].predicate_latency;
    return &assumed[compiled_for].lat;
}

void stall_stretch_begin(sm_t *sm)
{
    const uint32_t compiled_for = sm->config->sm.compiled_for;
    if (compiled_for == COMPILED_FOR_NONE || !any_is_longer(sm, &assumed[compiled_for]))
        return;
    sm->subcore.written =
        rb_calloc((size_t)sm->n_warps * REG_ID_COUNT, sizeof(*sm->subcore.written));
    sm->subcore.any_delays = true;
    sm->subcore.plain = false;
}

void stall_stretch_free(sm_t *sm)
{
    free(sm->subcore.written);
}

static struct written *written_of(const sm_t *sm, uint32_t w)
{
    return &sm->subcore.written[(size_t)w * REG_ID_COUNT];
}

void stall_stretch_reset(sm_t *sm, uint32_t w)
{
    memset(written_of(sm, w), 0, REG_ID_COUNT * sizeof(struct written));
}

void stall_stretch_issue(sm_t *sm, const warp_t *warp, cycle_t now)
{
    const inst_t *inst = warp->inst;
    const bool fixed =
        is_fixed(sm, (op_class_t)inst->cls) && ctl_write_barrier(inst->ctl) >= CONTROL_COUNTERS;
    struct written *written = written_of(sm, warp->slot);
    for (unsigned i = inst->n_wait - inst->n_set; i < inst->n_wait && warp->mask != 0; i++)
        written[inst->dep[i]] = (struct written){fixed ? inst : NULL, now};
}

static bool writes(const inst_t *inst, unsigned id)
{
    bool found = false;
    for (unsigned i = inst->n_wait - inst->n_set; i < inst->n_wait; i++)
        found |= inst->dep[i] == id;
    return found;
}

/* The earliest cycle at which inst may use its register id. */
static cycle_t use_from(const sm_t *sm, const struct written *w, const inst_t *inst, unsigned id)
{
    const assumed_t *then = &assumed[sm->config->sm.compiled_for];
    const lat_spec_t *lat = &sm->config->lat;
    if (inst->cls == OP_HMMA && w->by->cls == OP_HMMA && writes(inst, id)) {
        const uint32_t more = excess(lat->hmma_acc, then->lat.hmma_acc);
        return more > 0 ? w->at + then->lat.hmma_acc + more : 0;
    }
    uint32_t more =
        excess(pipes_latency_with(sm, lat, w->by), pipes_latency_with(sm, &then->lat, w->by));
    uint32_t kept = kept_distance(sm, &then->lat, w->by);
    if (kept_is_guard(inst, id)) {
        more += excess(sm->config->sm.predicate_latency, then->predicate_latency);
        kept += then->predicate_latency - then->lat.integer;
    } else {
        kept += kept_crosses(sm->cls[w->by->cls].pipe, sm->cls[inst->cls].pipe);
    }
    return more > 0 ? w->at + kept + more : 0;
}

cycle_t stall_stretch_until(const sm_t *sm, const warp_t *warp)
{
    const inst_t *inst = warp->inst;
    const struct written *written = written_of(sm, warp->slot);
    cycle_t until = 0;
    for (unsigned s = 0; s < inst->n_src; s++) {
        for (unsigned i = 0; i < inst->src[s].count; i++) {
            const unsigned id = isa_register_id(inst->src[s], i);
            if (id < REG_ID_COUNT && written[id].by != NULL)
                until = cycle_max(until, use_from(sm, &written[id], inst, id));
        }
    }
    return until;
}
