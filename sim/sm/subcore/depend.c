/*
 * Dependences tracked by a scoreboard, for traces without control words (with them: control.c).
 *
 * Read after write and write after write: the cycle at which each register is ready. Write after
 * read matters only for instructions in the memory queue, which read their operands late: they hold
 * their sources until the load/store unit has taken them.
 */
#include "sim/sm/subcore/subcore_parts.h"

#include "sim/core/model_mem.h"

static inline dep_t *dep_of(const sm_t *sm, uint32_t w)
{
    return sm->subcore.warp[w].dep;
}

static inline dep_t *hold_of(const sm_t *sm, uint32_t w)
{
    return warp_hold(&sm->subcore.warp[w]);
}

/* Cycles from now to the entry's cycle; not positive if it has passed. */
static inline int32_t dep_distance(dep_t d, cycle_t now)
{
    return (int32_t)((d >> DEP_SHIFT << DEP_SHIFT) - (dep_t)(now << DEP_SHIFT)) >> DEP_SHIFT;
}

/* Merges entry d into the latest of the entries so far. */
static inline void dep_latest(dep_t d, cycle_t now, int32_t *latest, bool *pending,
                              dep_kind_t *kind)
{
    if (d & DEP_PENDING) {
        if (!*pending || (d & DEP_KIND) == DEP_LONG)
            *kind = (dep_kind_t)(d & DEP_KIND);
        *pending = true;
    } else if (!*pending) {
        int32_t distance = dep_distance(d, now);
        if (distance > *latest) {
            *latest = distance;
            *kind = (dep_kind_t)(d & DEP_KIND);
        }
    }
}

/* Accumulators stay in the tensor cores, so the next HMMA gets them sooner than from a register.
 * They are the operands that inst both reads and writes; the others take the usual time. */
static int32_t hmma_forwarded(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now,
                              int32_t latest)
{
    const dep_t *dep = dep_of(sm, w);
    const int32_t sooner = (int32_t)(sm->config->lat.hmma - sm->config->lat.hmma_acc);
    int32_t others = 0;
    for (unsigned i = 0; i < inst->n_wait; i++) {
        dep_t d = dep[inst->dep[i]];
        bool accumulator = i >= (unsigned)inst->n_wait - inst->n_set && (d & DEP_KIND) == DEP_FIXED;
        int32_t distance = dep_distance(d, now) - (accumulator ? sooner : 0);
        if (distance > others)
            others = distance;
    }
    return others < latest ? others : latest;
}

/* The pending register that keeps a warp waiting and decides what that is charged to: a long one, if
 * there is any. kind: what it is charged to. */
static uint8_t register_awaited(const dep_t *dep, const inst_t *inst, dep_kind_t kind)
{
    const dep_t awaited = DEP_PENDING | (dep_t)kind;
    for (unsigned i = 0; i < inst->n_wait; i++) {
        if ((dep[inst->dep[i]] & (DEP_PENDING | DEP_KIND)) == awaited)
            return (uint8_t)i;
    }
    return AWAITS_NO_ONE;
}

cycle_t depend_ready(sm_t *sm, warp_t *warp, cycle_t now, dep_kind_t *kind)
{
    const inst_t *inst = warp->inst;
    const dep_t *dep = warp->dep, *hold = warp_hold(warp);
    int32_t latest = 0;
    bool pending = false;
    *kind = DEP_FIXED;
    for (unsigned i = 0; i < inst->n_wait; i++)
        dep_latest(dep[inst->dep[i]], now, &latest, &pending, kind);
    for (unsigned i = inst->n_wait - inst->n_set; i < inst->n_wait; i++) {
        if (inst->dep[i] < REG_ID_PRED)
            dep_latest(hold[inst->dep[i]], now, &latest, &pending, kind);
    }
    if (pending) {
        warp->awaited = register_awaited(dep, inst, *kind);
        return CYCLE_NEVER;
    }
    if (inst->cls == OP_HMMA && latest > 0)
        latest = hmma_forwarded(sm, warp->slot, inst, now, latest);
    return now + (cycle_t)latest;
}

void depend_set_pending(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind)
{
    dep_t *dep = dep_of(sm, w), d = DEP_PENDING | (dep_t)kind;
    for (unsigned i = inst->n_wait - inst->n_set; i < inst->n_wait; i++)
        dep[inst->dep[i]] = d;
}

/* A pending entry of the hold table counts the instructions that hold it, in the bits from
 * DEP_SHIFT. */
void depend_hold(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind)
{
    dep_t *hold = hold_of(sm, w);
    sm->subcore.warp[w].held++;
    for (unsigned s = 0; s < inst->n_src; s++) {
        const reg_op_t *op = &inst->src[s];
        for (unsigned r = op->num; op->file == REG_GPR && r < (unsigned)op->num + op->count; r++) {
            dep_t holders = hold[r] & DEP_PENDING ? hold[r] >> DEP_SHIFT : 0;
            hold[r] = (holders + 1) << DEP_SHIFT | DEP_PENDING | (dep_t)kind;
        }
    }
}

void depend_release(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind)
{
    dep_t *hold = hold_of(sm, w);
    warp_t *warp = &sm->subcore.warp[w];
    warp->held--;
    warp->held_until = cycle_max(warp->held_until, cycle);
    warp->dep_until = cycle_max(warp->dep_until, cycle);
    for (unsigned s = 0; s < inst->n_src; s++) {
        const reg_op_t *op = &inst->src[s];
        for (unsigned r = op->num; op->file == REG_GPR && r < (unsigned)op->num + op->count; r++) {
            dep_t holders = hold[r] >> DEP_SHIFT;
            hold[r] = holders > 1 ? (holders - 1) << DEP_SHIFT | DEP_PENDING | (hold[r] & DEP_KIND)
                                  : dep_encode(cycle, kind);
        }
    }
}

/* Allocates the tables of a group of warps, for the first of them without control words. All entries are
 * 0, which is past, unless cycles have wrapped around: then each warp sets its entries first. */
static __attribute__((noinline)) void tables_create(sm_t *sm, uint32_t group, cycle_t now)
{
    const uint32_t first = group * DEP_WARPS;
    const bool past = now < DEP_SWEEP_INTERVAL;
    dep_t *table = rb_model_calloc((size_t)DEP_WARPS * DEP_ENTRIES, sizeof(*table));
    sm->subcore.tables[group] = table;
    for (uint32_t w = first; w < first + DEP_WARPS; w++, table += DEP_ENTRIES) {
        sm->subcore.warp[w].dep = table;
        sm->subcore.warp[w].dep_until = past ? 0 : CYCLE_NEVER;
    }
}

void depend_reset(sm_t *sm, uint32_t w, cycle_t now)
{
    if (sm->subcore.warp[w].dep == NULL)
        tables_create(sm, w / DEP_WARPS, now);
    /* Entries in the past delay nothing. Mostly all are, and then the tables, which are rarely in
     * the host's cache, need not be touched. */
    warp_t *warp = &sm->subcore.warp[w];
    warp->other_until = now;
    if (warp->dep_until <= now)
        return;
    dep_t *dep = dep_of(sm, w), *hold = hold_of(sm, w), d = dep_encode(now, DEP_FIXED);
    for (unsigned i = 0; i < REG_ID_COUNT; i++)
        dep[i] = d;
    for (unsigned i = 0; i < REG_ID_PRED; i++)
        hold[i] = d;
    warp->dep_until = now;
}

/* Sets past entries to now. passed: all entries that are not pending are past, whatever they
 * say. */
static void sweep_table(dep_t *table, size_t n, cycle_t now, bool passed)
{
    for (size_t i = 0; i < n; i++) {
        if (!(table[i] & DEP_PENDING) && (passed || dep_distance(table[i], now) < 0))
            table[i] = dep_encode(now, (dep_kind_t)(table[i] & DEP_KIND));
    }
}

void depend_sweep(sm_t *sm, cycle_t now)
{
    /* After a long sleep the distances have wrapped around; no latency is that long. */
    bool passed = now - sm->subcore.sweep_at > DEP_SWEEP_INTERVAL;
    for (unsigned g = 0; g < DEP_GROUPS; g++) {
        if (sm->subcore.tables[g] != NULL)
            sweep_table(sm->subcore.tables[g], (size_t)DEP_WARPS * DEP_ENTRIES, now, passed);
    }
    sm->subcore.sweep_at = now + DEP_SWEEP_INTERVAL;
}
