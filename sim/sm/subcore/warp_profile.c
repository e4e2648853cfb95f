/*
 * Which instruction a warp waits for at a scoreboard: among the results and sources of its next
 * instruction, one that is still in flight, or else the one that came last. The rules are those of
 * depend.c and control.c.
 */
#include "sim/sm/subcore/warp_profile.h"

/* The best candidate so far. */
typedef struct {
    uint32_t site;
    bool found, pending;
    int64_t latest; /* if it is not pending: its cycle, relative to any */
} culprit_t;

/* A candidate of another kind than the one that the warp is charged to does not count. */
static void consider(culprit_t *c, uint32_t site, bool pending, int64_t cycle)
{
    if (c->found && (c->pending || (!pending && cycle <= c->latest)))
        return;
    *c = (culprit_t){.site = site, .found = true, .pending = pending, .latest = cycle};
}

static void consider_register(culprit_t *c, uint32_t site, dep_t d, cycle_t since, bool longer,
                              bool any)
{
    const bool fits =
        any ? (d & DEP_KIND) != DEP_FIXED : (d & DEP_KIND) == (longer ? DEP_LONG : DEP_SHORT);
    const dep_t cycle = d >> DEP_SHIFT << DEP_SHIFT;
    if (fits)
        consider(c, site, d & DEP_PENDING, (int32_t)(cycle - (dep_t)(since << DEP_SHIFT)));
}

/* By the registers of the next instruction. any: of any kind but fixed latency. */
static culprit_t by_registers(const sm_t *sm, const warp_t *warp, bool longer, bool any)
{
    const inst_t *inst = warp->inst;
    const uint16_t *writer = &sm->profile->writer[(size_t)warp->slot * REG_ID_COUNT];
    const uint16_t *reader = &sm->profile->reader[(size_t)warp->slot * REG_ID_PRED];
    culprit_t c = {0};
    for (unsigned i = 0; i < inst->n_wait; i++)
        consider_register(&c, writer[inst->dep[i]], warp->dep[inst->dep[i]], warp->since, longer,
                          any);
    for (unsigned i = inst->n_wait - (unsigned)inst->n_set; i < inst->n_wait; i++) {
        if (inst->dep[i] < REG_ID_PRED)
            consider_register(&c, reader[inst->dep[i]], warp_hold(warp)[inst->dep[i]], warp->since,
                              longer, any);
    }
    return c;
}

static void consider_counter(const sm_t *sm, const warp_t *warp, culprit_t *c, unsigned n,
                             bool longer, bool any)
{
    const profile_counter_t *counted = profile_counter(sm, warp->slot, n);
    const counter_t *k = &sm->subcore.counter[(size_t)warp->slot * CONTROL_COUNTERS + n];
    const unsigned kind = longer ? DEP_LONG : DEP_SHORT;
    if (k->unknown > 0 && (any || k->unknown_kind == kind))
        consider(c, counted->n > 0 ? counted->site[0] : counted->last, true, 0);
    else if (k->until > warp->since && (any || k->kind == kind))
        consider(c, counted->last, false, (int64_t)(k->until - warp->since));
}

/* By the counters that the control word of the next instruction names; its own ones may be full. */
static culprit_t by_counters(const sm_t *sm, const warp_t *warp, bool longer, bool any)
{
    const inst_t *inst = warp->inst;
    unsigned mask = ctl_wait_mask(inst->ctl);
    culprit_t c = {0};
    if (inst->cls == OP_DEPBAR && inst->flags & INST_IMM)
        mask |= depbar_mask(inst->imm) | 1u << depbar_counter(inst->imm);
    for (unsigned left = mask & ((1u << CONTROL_COUNTERS) - 1); left != 0; left &= left - 1)
        consider_counter(sm, warp, &c, (unsigned)__builtin_ctz(left), longer, any);
    const unsigned own[] = {ctl_write_barrier(inst->ctl), ctl_read_barrier(inst->ctl)};
    for (unsigned i = 0; i < 2 && !c.found; i++) {
        if (own[i] < CONTROL_COUNTERS)
            consider_counter(sm, warp, &c, own[i], longer, any);
    }
    return c;
}

void profile_await(const sm_t *sm, const warp_t *warp, uint32_t site, uint64_t cycles)
{
    const bool longer = warp->state == STATE_LONG_SCOREBOARD;
    culprit_t (*const find)(const sm_t *, const warp_t *, bool, bool) =
        warp->control ? by_counters : by_registers;
    culprit_t c = {0};
    if (warp->inst != NULL)
        c = find(sm, warp, longer, false);
    if (warp->inst != NULL && !c.found)
        c = find(sm, warp, longer, true);
    inst_table_wait(&sm->profile->table[site >> PROFILE_LAUNCH_SHIFT], profile_number(site), c.site,
                    longer, cycles);
}

void profile_registers(sm_t *sm, const warp_t *warp, uint32_t site, const op_properties_t *cls)
{
    const inst_t *inst = warp->inst;
    uint16_t *writer = &sm->profile->writer[(size_t)warp->slot * REG_ID_COUNT];
    uint16_t *reader = &sm->profile->reader[(size_t)warp->slot * REG_ID_PRED];
    const uint16_t number = profile_short(site);
    for (unsigned i = inst->n_wait - (unsigned)inst->n_set; i < inst->n_wait; i++)
        writer[inst->dep[i]] = number;
    for (unsigned s = 0; cls->queued && warp->mask != 0 && s < inst->n_src; s++) {
        const reg_op_t *op = &inst->src[s];
        for (unsigned r = op->num; op->file == REG_GPR && r < (unsigned)op->num + op->count; r++)
            reader[r] = number;
    }
}
