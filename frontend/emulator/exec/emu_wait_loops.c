/*
 * Finds, in the code of a launch, the loops that only wait for another warp: a cycle of instructions
 * without a side effect that reads a place, always the same one, and is left by a branch that depends
 * on what it read. Compilers often execute the first iteration in front of the loop; its read is
 * found as one that leads into such a loop.
 *
 * The search is by instructions, not by basic blocks: such loops are short.
 */
#include <stdlib.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"

enum {
    MOST = 256,      /* instructions that are looked at from a read on */
    DEPTH = 8,       /* of the search for what a register holds */
    MAX_LOOPS = 4096 /* of a kernel */
};

/* Instructions between a read and itself, or the loop that it leads into. */
typedef struct {
    uint32_t at[MOST];
    bool back[MOST]; /* leads to where the search began */
    unsigned n;
    const uint16_t *place; /* borrowed; by instruction: its place in `at`, if that has it */
} region_t;

typedef struct {
    emu_grid_t *g;
    uint8_t *target;   /* owned; the instruction is the target of a branch */
    uint32_t *covered; /* owned; backward branches around the instruction */
    uint16_t *place;   /* owned; of the last region */
    uint16_t n_loops;
} finder_t;

/* --- what instructions do -------------------------------------------------------------------- */

static bool is_always(const emu_uop_t *u)
{
    return u->guard == SASS_PT && u->guard_inv == 0;
}

/* An atomic that may only take a lock, or read. */
static bool may_poll(const emu_uop_t *u)
{
    switch (u->sass->op) {
    case SASS_ATOM_CAS:
    case SASS_ATOMG_CAS:
    case SASS_ATOMS_CAS:
        return true;
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_ATOMS: {
        enum { EXCH = 8 };
        const sass_operand_t *last = &u->sass->operand[u->sass->n_operands - 1];
        return u->select == EXCH || (last->kind == SASS_OPERAND_REG && last->num == SASS_RZ);
    }
    default:
        return false;
    }
}

/* Whether an instruction may be repeated without a trace. */
static bool is_pure(const emu_uop_t *u)
{
    switch (u->kind) {
    case UOP_DATA:
    case UOP_UNIFORM:
    case UOP_NOP:
    case UOP_BSSY:
    case UOP_BSYNC:
    case UOP_BREAK:
    case UOP_WARPSYNC:
    case UOP_YIELD:
    case UOP_CLOCK:
        return true;
    case UOP_BRANCH:
        return u->sass->op == SASS_BRA;
    case UOP_EXIT:
        return true;
    case UOP_ACCESS:
    case UOP_LOAD:
    case UOP_POLL:
        return (u->inst->access == ACC_LOAD && !(u->inst->flags & INST_TO_SHARED)) ||
               u->inst->access == ACC_NONE || (u->inst->access == ACC_ATOMIC && may_poll(u));
    default:
        return false;
    }
}

/* The successors of an instruction; returns their number. */
static unsigned successors(const finder_t *f, uint32_t i, uint32_t next[2])
{
    const emu_uop_t *u = &f->g->uops[i];
    const bool branch = u->kind == UOP_BRANCH;
    unsigned n = 0;

    if (branch && u->target < f->g->n_uops)
        next[n++] = u->target;
    const bool goes_on = !(branch && is_always(u) && u->n_pred == 0 && u->select == 0) &&
                         !(u->kind == UOP_EXIT && is_always(u) && u->n_pred == 0);
    if (goes_on && i + 1 < f->g->n_uops)
        next[n++] = i + 1;
    return n;
}

static bool same_file(const reg_op_t *a, reg_file_t file, unsigned num)
{
    return a->file == file && num >= a->num && num < (unsigned)a->num + a->count;
}

static bool writes(const inst_t *in, reg_file_t file, unsigned num)
{
    for (unsigned i = 0; i < in->n_dst; i++)
        if (same_file(&in->dst[i], file, num))
            return true;
    return false;
}

/* --- the region of a read -------------------------------------------------------------------- */

static int find(const region_t *r, uint32_t i)
{
    const unsigned k = r->place[i];

    return k < r->n && r->at[k] == i ? (int)k : -1;
}

/* Collects what is reached from `from` without side effects, and which of it leads to `goal` (from
 * itself), or into a loop, if goal is UINT32_MAX. False: nothing does. */
static bool make_region(finder_t *f, uint32_t from, uint32_t goal, region_t *r)
{
    uint32_t next[2];
    bool more = true, any = false;

    *r = (region_t){.at = {from}, .n = 1, .place = f->place};
    f->place[from] = 0;
    for (unsigned k = 0; k < r->n; k++) {
        const unsigned n = successors(f, r->at[k], next);
        for (unsigned s = 0; s < n; s++)
            if (r->n < MOST && is_pure(&f->g->uops[next[s]]) && find(r, next[s]) < 0) {
                f->place[next[s]] = (uint16_t)r->n;
                r->at[r->n++] = next[s];
            }
    }
    while (more) {
        more = false;
        for (unsigned k = r->n; k-- > 0;) { /* this way it ends soon */
            const unsigned n = r->back[k] ? 0 : successors(f, r->at[k], next);
            for (unsigned s = 0; s < n && !r->back[k]; s++) {
                const int to = find(r, next[s]);
                const bool there =
                    goal == UINT32_MAX ? f->g->uops[next[s]].loop != 0 : next[s] == goal;
                r->back[k] = there || (to >= 0 && r->back[to]);
                more |= r->back[k];
                any |= r->back[k];
            }
        }
    }
    return any && r->back[0];
}

static bool in_region(const region_t *r, uint32_t i)
{
    const int k = find(r, i);

    return k >= 0 && r->back[k];
}

/* --- what registers hold --------------------------------------------------------------------- */

static bool is_constant(const finder_t *f, const region_t *r, uint32_t at, unsigned depth);

/* Whether a register that the instruction `at` reads holds the same in every iteration. */
static bool holds_same(const finder_t *f, const region_t *r, uint32_t at, reg_file_t file,
                       unsigned num, unsigned depth)
{
    const emu_uop_t *uops = f->g->uops;

    if (depth == 0)
        return false;
    /* The last write before it in straight code, */
    for (uint32_t i = at; i > 0 && !f->target[i] && in_region(r, i - 1); i--)
        if (writes(uops[i - 1].inst, file, num) && is_always(&uops[i - 1]))
            return is_constant(f, r, i - 1, depth - 1);
    /* or else all writes of the loop. */
    for (unsigned k = 0; k < r->n; k++)
        if (r->back[k] && writes(uops[r->at[k]].inst, file, num) &&
            !is_constant(f, r, r->at[k], depth - 1))
            return false;
    return true;
}

/* Whether a read goes to the same place in every iteration. Its guard does not matter: a loop whose
 * test stands before its read (cuBLAS's products) skips the last one. */
static bool same_place(const finder_t *f, const region_t *r, uint32_t at)
{
    const inst_t *in = f->g->uops[at].inst;

    for (unsigned i = 0; i < in->n_src; i++) {
        const reg_file_t file = (reg_file_t)in->src[i].file;
        for (unsigned k = 0; k < in->src[i].count && file != REG_PRED && file != REG_UPRED; k++)
            if (!holds_same(f, r, at, file, in->src[i].num + k, DEPTH))
                return false;
    }
    return true;
}

/* Whether all registers that an instruction reads hold the same in every iteration. */
static bool reads_same(const finder_t *f, const region_t *r, uint32_t at, unsigned depth)
{
    const inst_t *in = f->g->uops[at].inst;

    for (unsigned i = 0; i < in->n_src; i++)
        for (unsigned k = 0; k < in->src[i].count; k++)
            if (!holds_same(f, r, at, (reg_file_t)in->src[i].file, in->src[i].num + k, depth))
                return false;
    return true;
}

/* Whether the result of an instruction is the same in every iteration. */
static bool is_constant(const finder_t *f, const region_t *r, uint32_t at, unsigned depth)
{
    const emu_uop_t *u = &f->g->uops[at];

    if (u->inst->flags & INST_CLOCK || u->kind == UOP_CLOCK ||
        (u->inst->access != ACC_NONE && u->inst->space != MEM_CONST))
        return false;
    return reads_same(f, r, at, depth);
}

/* A set of registers, by dense number. */
typedef struct {
    bool has[REG_ID_COUNT];
} reg_set_t;

static unsigned dense(const reg_op_t *o, unsigned k)
{
    static const uint16_t base[] = {[REG_GPR] = REG_ID_GPR,
                                    [REG_PRED] = REG_ID_PRED,
                                    [REG_UNIFORM] = REG_ID_UNIFORM,
                                    [REG_UPRED] = REG_ID_UPRED};
    return base[o->file] + o->num + k;
}

static bool reads_any(const inst_t *in, const reg_set_t *s)
{
    for (unsigned i = 0; i < in->n_src; i++)
        for (unsigned k = 0; k < in->src[i].count; k++)
            if (s->has[dense(&in->src[i], k)])
                return true;
    return false;
}

/* Adds the results of an instruction. Returns whether any is new. */
static bool add_results(const inst_t *in, reg_set_t *s)
{
    bool more = false;

    for (unsigned i = 0; i < in->n_dst; i++)
        for (unsigned k = 0; k < in->dst[i].count; k++) {
            bool *has = &s->has[dense(&in->dst[i], k)];
            more |= !*has;
            *has = true;
        }
    return more;
}

/* Whether a branch that leaves the region depends on what the instruction `from` has read. */
static bool decides(const finder_t *f, const region_t *r, uint32_t from)
{
    reg_set_t set = {0};
    bool more = add_results(f->g->uops[from].inst, &set);

    while (more) {
        more = false;
        for (unsigned k = 0; k < r->n; k++)
            if (r->back[k] && reads_any(f->g->uops[r->at[k]].inst, &set))
                more |= add_results(f->g->uops[r->at[k]].inst, &set);
    }
    for (unsigned k = 0; k < r->n; k++) {
        const emu_uop_t *u = &f->g->uops[r->at[k]];
        uint32_t next[2];
        if (!r->back[k] || (u->kind != UOP_BRANCH && u->kind != UOP_EXIT) ||
            !reads_any(u->inst, &set))
            continue;
        bool leaves = u->kind == UOP_EXIT;
        const unsigned n = successors(f, r->at[k], next);
        for (unsigned s = 0; s < n; s++)
            leaves |= !in_region(r, next[s]);
        if (leaves)
            return true;
    }
    return false;
}

/* --- the search ------------------------------------------------------------------------------ */

/* Whether an instruction may read what another warp writes. */
static bool may_read(const emu_uop_t *u)
{
    if ((u->kind != UOP_ACCESS && u->kind != UOP_LOAD) || u->gated || u->inst->width < 4)
        return false;
    switch (u->inst->space) {
    case MEM_GLOBAL:
        return u->inst->access == ACC_ATOMIC
                   ? may_poll(u)
                   : u->inst->access == ACC_LOAD && u->inst->flags & INST_BYPASS_L1;
    case MEM_GENERIC:
    case MEM_SHARED:
        return u->inst->access == ACC_ATOMIC ? may_poll(u)
                                             : u->sass->op == SASS_LD || u->sass->op == SASS_LDS;
    default:
        return false;
    }
}

static void make_poll(finder_t *f, uint32_t i, const region_t *r, uint16_t loop)
{
    emu_uop_t *uops = f->g->uops, *u = &uops[i];

    for (unsigned k = 0; k < r->n; k++)
        if (r->back[k] && uops[r->at[k]].loop == 0)
            uops[r->at[k]].loop = loop;
    u->ends_turn = u->kind == UOP_LOAD;
    u->kind = UOP_POLL;
    f->g->watch |= u->inst->space == MEM_GLOBAL   ? WATCH_GLOBAL
                   : u->inst->space == MEM_SHARED ? WATCH_SHARED
                                                  : WATCH_GLOBAL | WATCH_SHARED;
}

/* Reads in loops. */
static void find_loops(finder_t *f)
{
    emu_uop_t *uops = f->g->uops;
    region_t r;

    for (uint32_t i = 0; i < f->g->n_uops && f->n_loops < MAX_LOOPS; i++) {
        if (f->covered[i] == 0 || !may_read(&uops[i]) || !make_region(f, i, i, &r) ||
            !same_place(f, &r, i) || !decides(f, &r, i))
            continue;
        make_poll(f, i, &r, uops[i].loop != 0 ? uops[i].loop : ++f->n_loops);
    }
}

/* The loop that a region leads into. */
static uint16_t loop_behind(const finder_t *f, const region_t *r)
{
    uint32_t next[2];

    for (unsigned k = 0; k < r->n; k++) {
        const unsigned n = r->back[k] ? successors(f, r->at[k], next) : 0;
        for (unsigned s = 0; s < n; s++)
            if (f->g->uops[next[s]].loop != 0)
                return f->g->uops[next[s]].loop;
    }
    return 0;
}

/* Reads in front of loops, like one in the loop. */
static void find_first_reads(finder_t *f)
{
    emu_uop_t *uops = f->g->uops;
    region_t r;

    for (uint32_t p = 0; p < f->g->n_uops; p++) {
        if (uops[p].kind != UOP_POLL || uops[p].loop == 0)
            continue;
        for (uint32_t i = p > MOST ? p - MOST : 0; i < p + MOST && i < f->g->n_uops; i++) {
            const emu_uop_t *u = &uops[i], *q = &uops[p];
            if (u->loop == 0 && may_read(u) && u->sass->op == q->sass->op && u->addr == q->addr &&
                u->uaddr == q->uaddr && u->offset == q->offset && u->width == q->width &&
                make_region(f, i, UINT32_MAX, &r) && loop_behind(f, &r) == q->loop &&
                decides(f, &r, i)) {
                make_poll(f, i, &r, q->loop);
                uops[i].leads = true;
            }
        }
    }
}

/* Whether an instruction may write what is watched. */
static bool may_signal(const emu_grid_t *g, const emu_uop_t *u)
{
    const bool load = u->inst->access == ACC_LOAD || u->inst->access == ACC_NONE;

    if ((u->kind != UOP_ACCESS && u->kind != UOP_LOAD) || load || u->inst->width == 0)
        return false;
    switch (u->inst->space) {
    case MEM_GLOBAL:
        return g->watch & WATCH_GLOBAL;
    case MEM_SHARED:
        return g->watch & WATCH_SHARED;
    case MEM_GENERIC:
        return true;
    default:
        return false;
    }
}

static void find_signals(emu_grid_t *g)
{
    for (uint32_t i = 0; i < g->n_uops; i++) {
        emu_uop_t *u = &g->uops[i];
        if (!may_signal(g, u))
            continue;
        u->ends_turn = u->kind == UOP_LOAD;
        u->kind = UOP_SIGNAL;
    }
}

void emu_find_waits(emu_grid_t *g)
{
    finder_t f = {.g = g};
    bool any = false;

    f.target = rb_calloc(g->n_uops + 1u, sizeof(*f.target));
    f.covered = rb_calloc(g->n_uops + 1u, sizeof(*f.covered));
    f.place = rb_calloc(g->n_uops + 1u, sizeof(*f.place));
    for (uint32_t i = 0; i < g->n_uops; i++) {
        const emu_uop_t *u = &g->uops[i];
        if (u->kind != UOP_BRANCH || u->target >= g->n_uops)
            continue;
        f.target[u->target] = 1;
        if (u->target <= i && u->target != i) {
            f.covered[u->target]++;
            f.covered[i + 1]--;
            any = true;
        }
    }
    for (uint32_t i = 1; i <= g->n_uops; i++)
        f.covered[i] += f.covered[i - 1];
    if (any)
        find_loops(&f);
    if (g->watch != 0) {
        find_first_reads(&f);
        find_signals(g);
    }
    free(f.target);
    free(f.covered);
    free(f.place);
}
