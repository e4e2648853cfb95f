/*
 * Dependences tracked as the hardware does: by the compiler's control words.
 *
 * A stall count gives the number of cycles after which the warp may issue again. Nothing else makes
 * a warp wait for results of fixed latency. For the others each warp has six counters: an
 * instruction increments a counter when it issues, and decrements it when its result is written
 * (write barrier) or its sources have been read (read barrier). A wait mask names the counters that
 * must be zero. The increment takes place in the control stage, one cycle after issue, so an
 * instruction that issues in the very next cycle does not see it. (Jia 2018, section 2.1; Huerta
 * 2025.)
 *
 * A counter is represented by the instructions that it counts: the number of those whose release is
 * not known yet, and the release cycles of the others.
 */
#include "sim/sm/subcore/subcore_parts.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { NO_BARRIER = 7, PAGE = 4096 /* of the host */ };

/* Bytes of the releases of all counters, in whole pages of the host. */
static size_t release_bytes(const sm_t *sm)
{
    const size_t n = (size_t)sm->n_warps * CONTROL_COUNTERS * CONTROL_COUNTER_MAX;
    return (n * sizeof(*sm->subcore.release) + PAGE - 1) / PAGE * PAGE;
}

void control_free(sm_t *sm)
{
    free(sm->subcore.counter);
    if (sm->subcore.release != NULL)
        rb_unmap(sm->subcore.release, release_bytes(sm));
}

static counter_t *counter_of(const sm_t *sm, uint32_t w, unsigned n)
{
    return &sm->subcore.counter[(size_t)w * CONTROL_COUNTERS + n];
}

/* The i-th known release cycle of a counter. Mostly there are few, so the first ones of all counters
 * lie together, and the host never sees the pages of the others. */
static cycle_t *release_of(const sm_t *sm, const counter_t *c, unsigned i)
{
    const size_t counters = (size_t)sm->n_warps * CONTROL_COUNTERS;
    return &sm->subcore.release[i * counters + (size_t)(c - sm->subcore.counter)];
}

void control_reset(sm_t *sm, uint32_t w)
{
    if (sm->subcore.counter == NULL) {
        size_t n = (size_t)sm->n_warps * CONTROL_COUNTERS;
        sm->subcore.counter = rb_calloc(n, sizeof(*sm->subcore.counter));
        sm->subcore.release = rb_map_zeroed(PAGE, release_bytes(sm));
        stall_stretch_begin(sm);
    }
    sm->subcore.warp[w].stalled_until = 0;
    memset(counter_of(sm, w, 0), 0, CONTROL_COUNTERS * sizeof(counter_t));
    if (sm->subcore.written != NULL)
        stall_stretch_reset(sm, w);
}

/* Removes releases that have passed. */
static void prune(const sm_t *sm, counter_t *c, cycle_t now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < c->known; i++) {
        const cycle_t at = *release_of(sm, c, i);
        if (at > now)
            *release_of(sm, c, kept++) = at;
    }
    c->known = (uint8_t)kept;
}

/* Earliest cycle >= now at which the counter is <= limit; CYCLE_NEVER: not known yet. */
static cycle_t falls_to(const sm_t *sm, counter_t *c, unsigned limit, cycle_t now)
{
    if (limit == 0)
        return c->unknown > 0 ? CYCLE_NEVER : cycle_max(now, c->until);
    prune(sm, c, now);
    if ((unsigned)c->unknown + c->known <= limit)
        return now;
    if (c->unknown > limit)
        return CYCLE_NEVER;
    /* Searches the n-th release from now on; few are ever known at a time. */
    unsigned n = (unsigned)c->unknown + c->known - limit;
    cycle_t last = now;
    while (n > 0) {
        cycle_t next = CYCLE_NEVER;
        unsigned equal = 0;
        for (unsigned i = 0; i < c->known; i++) {
            const cycle_t at = *release_of(sm, c, i);
            if (at > last && at < next) {
                next = at;
                equal = 0;
            }
            equal += at == next;
        }
        last = next;
        n = n > equal ? n - equal : 0;
    }
    return last;
}

/* Cycles by which an HMMA may issue sooner after another HMMA, because the accumulators stay in the
 * tensor cores. */
static cycle_t forwarding(const sm_t *sm, const counter_t *c, const inst_t *inst)
{
    const lat_spec_t *lat = &sm->config->lat;
    return inst->cls == OP_HMMA && c->tensor && c->unknown == 0 ? lat->hmma - lat->hmma_acc : 0;
}

typedef struct {
    cycle_t at;
    dep_kind_t kind;
} wait_t;

static void wait_for(const sm_t *sm, const inst_t *inst, counter_t *c, unsigned limit, cycle_t now,
                     wait_t *wait)
{
    cycle_t at = falls_to(sm, c, limit, now);
    cycle_t sooner = forwarding(sm, c, inst);
    at = at - now > sooner ? at - sooner : now;
    dep_kind_t kind = (dep_kind_t)(at == CYCLE_NEVER ? c->unknown_kind : c->kind);
    bool later = at > wait->at || (at == CYCLE_NEVER && kind == DEP_LONG);
    if (later)
        *wait = (wait_t){at, kind};
}

cycle_t control_falls(const sm_t *sm, uint32_t w, unsigned n, unsigned limit, cycle_t now)
{
    return falls_to(sm, counter_of(sm, w, n), limit, now);
}

bool control_is_open(const sm_t *sm, uint32_t w, unsigned n)
{
    return counter_of(sm, w, n)->unknown > 0;
}

/* The counter of the wait mask that keeps a warp waiting and decides what that is charged to. */
static uint8_t counter_awaited(const sm_t *sm, const warp_t *warp, dep_kind_t kind)
{
    for (unsigned mask = ctl_wait_mask(warp->inst->ctl); mask != 0; mask &= mask - 1) {
        const unsigned n = (unsigned)__builtin_ctz(mask);
        const counter_t *c = counter_of(sm, warp->slot, n);
        if (c->unknown > 0 && c->unknown_kind == kind)
            return (uint8_t)n;
    }
    return AWAITS_NO_ONE;
}

cycle_t control_ready(sm_t *sm, warp_t *warp, cycle_t now, dep_kind_t *kind)
{
    const inst_t *inst = warp->inst;
    const uint32_t w = warp->slot;
    wait_t wait = {cycle_max(now, warp->stalled_until), DEP_FIXED};
    unsigned write = ctl_write_barrier(inst->ctl), read = ctl_read_barrier(inst->ctl);
    for (unsigned mask = ctl_wait_mask(inst->ctl); mask != 0; mask &= mask - 1)
        wait_for(sm, inst, counter_of(sm, w, (unsigned)__builtin_ctz(mask)), 0, now, &wait);
    if (inst->cls == OP_DEPBAR && inst->flags & INST_IMM) {
        unsigned n = depbar_counter(inst->imm);
        if (n < CONTROL_COUNTERS)
            wait_for(sm, inst, counter_of(sm, w, n), depbar_limit(inst->imm), now, &wait);
        for (unsigned mask = depbar_mask(inst->imm); mask != 0; mask &= mask - 1)
            wait_for(sm, inst, counter_of(sm, w, (unsigned)__builtin_ctz(mask)), 0, now, &wait);
    }
    /* A full counter cannot count this instruction, which may increment it twice. */
    if (write < CONTROL_COUNTERS)
        wait_for(sm, inst, counter_of(sm, w, write), CONTROL_COUNTER_MAX - 2, now, &wait);
    if (read < CONTROL_COUNTERS && read != write)
        wait_for(sm, inst, counter_of(sm, w, read), CONTROL_COUNTER_MAX - 2, now, &wait);
    if (wait.at == CYCLE_NEVER)
        warp->awaited = counter_awaited(sm, warp, wait.kind);
    *kind = wait.kind;
    return wait.at;
}

/* Nsight Compute reports every wait for a counter as a scoreboard stall: long for L1TEX, else
 * short. */
static uint8_t counted_kind(dep_kind_t kind)
{
    return kind == DEP_LONG ? DEP_LONG : DEP_SHORT;
}

static void count_unknown(sm_t *sm, uint32_t w, unsigned n, dep_kind_t kind)
{
    if (n >= CONTROL_COUNTERS)
        return;
    counter_t *c = counter_of(sm, w, n);
    c->unknown++;
    c->unknown_kind = counted_kind(kind);
}

static void add_release(sm_t *sm, counter_t *c, cycle_t at, dep_kind_t kind, bool tensor,
                        cycle_t now)
{
    if (c->known == CONTROL_COUNTER_MAX)
        prune(sm, c, now);
    RB_INVARIANT(c->known < CONTROL_COUNTER_MAX, "SM %u: a dependence counter overflows",
                 sm->wiring.index);
    *release_of(sm, c, c->known++) = at;
    if (at >= c->until) {
        c->until = at;
        c->kind = counted_kind(kind);
        c->tensor = tensor;
    }
}

static void count_known(sm_t *sm, uint32_t w, unsigned n, cycle_t at, dep_kind_t kind, bool tensor,
                        cycle_t now)
{
    if (n < CONTROL_COUNTERS)
        add_release(sm, counter_of(sm, w, n), at, kind, tensor, now);
}

static void release(sm_t *sm, uint32_t w, unsigned n, cycle_t at, dep_kind_t kind, cycle_t now)
{
    if (n >= CONTROL_COUNTERS)
        return;
    counter_t *c = counter_of(sm, w, n);
    RB_INVARIANT(c->unknown > 0, "SM %u: a dependence counter is released twice", sm->wiring.index);
    c->unknown--;
    add_release(sm, c, at, kind, false, now);
}

void control_count_one(sm_t *sm, uint32_t w, unsigned n, cycle_t at, dep_kind_t kind, cycle_t now)
{
    if (at == CYCLE_NEVER)
        count_unknown(sm, w, n, kind);
    else
        count_known(sm, w, n, at, kind, false, now);
}

/* Groups of asynchronous copies wait for the L1 as loads do. */
static dep_kind_t kind_of(const sm_t *sm, const inst_t *inst)
{
    return inst->flags & INST_COPY_COMMIT ? DEP_LONG : (dep_kind_t)sm->cls[inst->cls].dep_kind;
}

void control_count(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t result, cycle_t now)
{
    dep_kind_t kind = kind_of(sm, inst);
    unsigned write = ctl_write_barrier(inst->ctl), read = ctl_read_barrier(inst->ctl);
    if (result == CYCLE_NEVER) {
        count_unknown(sm, w, write, kind);
        count_unknown(sm, w, read, kind);
    } else {
        bool tensor = inst->cls == OP_HMMA;
        count_known(sm, w, write, result, kind, tensor, now);
        /* The operands are read earlier than the result is ready. */
        cycle_t sources = now + sm->config->sm.mem_read_latency;
        count_known(sm, w, read, cycle_min(sources, result), kind, false, now);
    }
}

void control_result(sm_t *sm, uint32_t w, unsigned barrier, cycle_t at, dep_kind_t kind,
                    cycle_t now)
{
    release(sm, w, barrier, at, kind, now);
}

void control_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                          cycle_t now)
{
    release(sm, w, ctl_read_barrier(inst->ctl), at, kind, now);
}
