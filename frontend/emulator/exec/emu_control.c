/*
 * Control flow of a warp. Its lanes are in splits, each with a pc; the last split that can run is
 * the one that runs. Diverged lanes are joined only where the code requests it: at BSYNC, WARPSYNC,
 * BAR.
 */
#include "frontend/emulator/exec/emu_split.h"

/*
 * Whether lanes of two splits wait for each other at a BSYNC: same instruction, same partners.
 * Levels of a recursion wait at the same instruction, but with different partners.
 */
static bool same_bsync(const emu_warp_t *w, const emu_split_t *s, const emu_split_t *t)
{
    return t->pc == s->pc &&
           w->b[s->arg][emu_first_lane(t->mask)] == w->b[s->arg][emu_first_lane(s->mask)];
}

/* Lanes that wait for the same event as those of s. */
static uint32_t lanes_like(const emu_warp_t *w, const emu_split_t *s)
{
    uint32_t lanes = 0;

    for (unsigned i = 0; i < w->n_splits; i++) {
        const emu_split_t *t = &w->splits[i];
        if (t->state == s->state && t->arg == s->arg &&
            (t->state != SPLIT_BSYNC || same_bsync(w, s, t)))
            lanes |= t->mask;
    }
    return lanes;
}

/* Lets lanes of a WARPSYNC run again; lanes at the same instruction are joined. */
static void release_warpsync(emu_warp_t *w, uint32_t arg)
{
    for (unsigned i = 0; i < w->n_splits; i++) {
        emu_split_t s = w->splits[i];
        if (s.state != SPLIT_WARPSYNC || s.arg != arg)
            continue;
        uint32_t lanes = 0;
        for (unsigned k = 0; k < w->n_splits; k++)
            if (w->splits[k].state == SPLIT_WARPSYNC && w->splits[k].arg == arg &&
                w->splits[k].pc == s.pc)
                lanes |= w->splits[k].mask;
        emu_merge_splits(w, lanes, s.pc + 1);
        i = UINT32_MAX; /* restart: the splits have moved */
    }
}

/* Releases one group of lanes whose partners have all arrived; false if there is none. */
static bool release_one(emu_warp_t *w)
{
    for (unsigned i = 0; i < w->n_splits; i++) {
        emu_split_t s = w->splits[i];
        if (s.state != SPLIT_BSYNC && s.state != SPLIT_WARPSYNC)
            continue;
        uint32_t partners = s.state == SPLIT_BSYNC ? w->b[s.arg][emu_first_lane(s.mask)] : s.arg;
        uint32_t arrived = lanes_like(w, &s);
        partners &= w->alive;
        if ((arrived & partners) != partners)
            continue;
        if (s.state == SPLIT_BSYNC)
            emu_merge_splits(w, arrived & (partners | s.mask), s.pc + 1);
        else
            release_warpsync(w, s.arg);
        return true;
    }
    return false;
}

/* Lanes at a BSYNC that lanes at a WARPSYNC wait for, if no lane of the warp can do anything else. */
static uint32_t lanes_in_the_way(const emu_warp_t *w)
{
    uint32_t wanted = 0, lanes = 0;

    for (unsigned i = 0; i < w->n_splits; i++) {
        const emu_split_t *s = &w->splits[i];
        if (s->state == SPLIT_WARPSYNC)
            wanted |= s->arg;
        else if (s->state == SPLIT_BSYNC)
            lanes |= s->mask;
        else
            return 0;
    }
    return lanes & wanted;
}

/* Lanes of mask leave their partners in a convergence barrier, who no longer wait for them. */
static void leave_barrier(emu_warp_t *w, unsigned barrier, uint32_t mask)
{
    uint32_t *b = w->b[barrier];

    while (mask != 0) {
        uint32_t partners = b[emu_first_lane(mask)], gone = 0;
        for (uint32_t left = mask; left != 0; left &= left - 1)
            if (b[emu_first_lane(left)] == partners)
                gone |= left & (0u - left);
        for (uint32_t left = partners & ~gone; left != 0; left &= left - 1)
            if (b[emu_first_lane(left)] == partners)
                b[emu_first_lane(left)] &= ~gone;
        mask &= ~gone;
    }
}

/*
 * A BSYNC joins lanes but is not part of the program: a lane that leaves a loop early must reach
 * the __syncwarp() behind it, if the others wait for it at one in the loop. These do not wait for it
 * at the BSYNC, since it has passed.
 */
static bool pass_bsync(emu_warp_t *w)
{
    uint32_t lanes = lanes_in_the_way(w);

    for (unsigned i = 0; i < w->n_splits && lanes != 0; i++)
        if (w->splits[i].state == SPLIT_BSYNC && (w->splits[i].mask & lanes) != 0) {
            uint32_t pc = w->splits[i].pc, together = lanes_like(w, &w->splits[i]);
            leave_barrier(w, w->splits[i].arg, together);
            emu_merge_splits(w, together, pc + 1);
            return true;
        }
    return false;
}

static void check_waiting(emu_warp_t *w)
{
    while (release_one(w) || pass_bsync(w))
        continue;
}

/* --- branches -------------------------------------------------------------------------------- */

/* One side of a divergent branch. */
typedef struct {
    uint32_t pc, mask;
    bool taken;
} side_t;

/* Whether a runs after b: it has more threads; if equal, it is the taken side; if equal, it has the
 * larger pc. */
static bool runs_later(const side_t *a, const side_t *b)
{
    int n = __builtin_popcount(a->mask), m = __builtin_popcount(b->mask);

    if (n != m)
        return n > m;
    if (a->taken != b->taken)
        return a->taken;
    return a->pc > b->pc;
}

/* Replaces the current split by its sides; the last one appended runs first. */
static void diverge(emu_warp_t *w, side_t *sides, unsigned n)
{
    emu_remove_split(w, (unsigned)w->current);
    for (unsigned i = 0; i < n; i++) {
        unsigned latest = i;
        for (unsigned k = i + 1; k < n; k++)
            if (runs_later(&sides[k], &sides[latest]))
                latest = k;
        side_t swap = sides[i];
        sides[i] = sides[latest];
        sides[latest] = swap;
        emu_append_split(w, (emu_split_t){.pc = sides[i].pc, .mask = sides[i].mask});
    }
    w->grid->totals.divergences++;
}

/* Lanes of mask jump to pc, the other lanes of the split continue. */
static void branch(emu_warp_t *w, uint32_t pc, uint32_t mask)
{
    emu_split_t *s = &w->splits[w->current];

    if (mask == 0) {
        s->pc++;
    } else if (mask == s->mask) {
        s->pc = pc;
    } else {
        side_t sides[2] = {{pc, mask, true}, {s->pc + 1, s->mask & ~mask, false}};
        diverge(w, sides, 2);
    }
}

static void conditional_branch(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t wanted = w->alive;

    if (u->n_src > 0 && u->sass->operand[1].kind == SASS_OPERAND_UREG &&
        !u->sass->operand[1].hidden) { /* from Ampere on, a uniform register names the lanes */
        const emu_mods_t mods = emu_mods(u, 0);
        wanted &= emu_modified(&mods, emu_src(w, u, 0)[0]);
    }
    const bool converged = (wanted & ~w->splits[w->current].mask) == 0;

    switch (u->select) {
    case 2: /* .DIV: branch if the warp has diverged */
        branch(w, u->target, converged ? 0 : mask);
        break;
    case 3: /* .CONV: branch if it has not */
        branch(w, u->target, converged ? mask : 0);
        break;
    default:
        branch(w, u->target, mask & (u->n_pred > 0 ? emu_pred(w, u, 0) : EMU_ALL));
    }
}

/* The target instruction of lane k; false after a fault. */
static bool indirect_target(emu_warp_t *w, const emu_uop_t *u, unsigned k, uint32_t *pc)
{
    const uint32_t *r = emu_src(w, u, 0);
    uint64_t to;

    if (u->kind == UOP_ABSOLUTE) {
        to = emu_u64(r, (int)k) + (uint64_t)u->offset;
        if (emu_code_index(w->grid->code, to, pc))
            return true;
    } else {
        to = (uint64_t)(u->offset + (int32_t)r[k]);
        *pc = (uint32_t)(to / SASS_INST_BYTES);
        if (to % SASS_INST_BYTES == 0 && to < (uint64_t)w->grid->n_uops * SASS_INST_BYTES)
            return true;
    }
    w->grid->totals.fault = EMU_FAULT_PC;
    emu_fault(w, u, "lane %u: jump to 0x%llx, which is outside the function", k,
              (unsigned long long)to);
    return false;
}

/* Each lane jumps to base + its register. */
static void indirect_branch(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    side_t sides[EMU_LANES + 1];
    unsigned n = 0;
    uint32_t rest = w->splits[w->current].mask & ~mask;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        unsigned k = emu_first_lane(left), i = 0;
        uint32_t pc;
        if (!indirect_target(w, u, k, &pc))
            return;
        while (i < n && sides[i].pc != pc)
            i++;
        if (i == n)
            sides[n++] = (side_t){pc, 0, true};
        sides[i].mask |= 1u << k;
    }
    if (n == 1)
        branch(w, sides[0].pc, mask);
    else if (n == 0)
        w->splits[w->current].pc++;
    else {
        if (rest != 0)
            sides[n++] = (side_t){w->splits[w->current].pc + 1, rest, false};
        diverge(w, sides, n);
    }
}

/* Calls the system function whose address the lanes have in registers, as CUDA 13's code does; false:
 * they have another address, or several. */
static bool indirect_system_call(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *r = emu_src(w, u, 0);
    emu_system_call_t call;
    emu_uop_t direct = *u;

    if (mask == 0 || u->kind != UOP_ABSOLUTE)
        return false;
    const uint64_t to = emu_u64(r, (int)emu_first_lane(mask)) + (uint64_t)u->offset;
    if (!emu_code_system_call(to, &call))
        return false;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        if (emu_u64(r, (int)emu_first_lane(left)) + (uint64_t)u->offset != to)
            return false;
    direct.select = (uint8_t)call;
    w->splits[w->current].pc++;
    emu_system_call(w, &direct, mask);
    return true;
}

/* --- convergence ----------------------------------------------------------------------------- */

EMU_HOT static void bssy(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t *b = w->b[u->imm];
    bool others = w->n_splits > 1;

    /* Lanes that enter the barrier anew have taken another path around a loop and would never reach
     * the BSYNC. A barrier that a function saves and clears before use has no old partners. */
    if (others)
        leave_barrier(w, u->imm, mask);
    EMU_ANY_ORDER
    for (unsigned k = 0; k < EMU_LANES; k++)
        b[k] = emu_merge(emu_lane(mask, k), mask, b[k]);
    w->splits[w->current].pc++;
    if (others)
        check_waiting(w);
}

EMU_HOT static bool same_partners(const emu_warp_t *w, unsigned barrier, uint32_t mask)
{
    const uint32_t *b = w->b[barrier], partners = b[emu_first_lane(mask)];
    uint32_t unlike = 0;

    for (unsigned k = 0; k < EMU_LANES; k++)
        unlike |= (b[k] ^ partners) & emu_lane(mask, k);
    return unlike == 0;
}

/* Lanes with different partners wait separately. */
static void wait_apart(emu_warp_t *w, unsigned barrier, uint32_t mask, uint32_t pc)
{
    while (mask != 0) {
        uint32_t partners = w->b[barrier][emu_first_lane(mask)], group = 0;
        for (uint32_t left = mask; left != 0; left &= left - 1)
            if (w->b[barrier][emu_first_lane(left)] == partners)
                group |= left & (0u - left);
        emu_append_split(
            w, (emu_split_t){.pc = pc, .mask = group, .state = SPLIT_BSYNC, .arg = barrier});
        mask &= ~group;
    }
}

static void bsync(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_split_t s = w->splits[w->current];
    uint32_t rest = s.mask & ~mask;

    if (mask != 0 && rest == 0 && same_partners(w, u->imm, mask) &&
        (w->b[u->imm][emu_first_lane(mask)] & w->alive) == mask) {
        w->splits[w->current].pc++; /* all have arrived */
        return;
    }
    emu_remove_split(w, (unsigned)w->current);
    wait_apart(w, u->imm, mask, s.pc);
    if (rest != 0)
        emu_append_split(w, (emu_split_t){.pc = s.pc + 1, .mask = rest});
    check_waiting(w);
}

/* Removes lanes from a barrier, in the copies of all its partners. */
static void break_barrier(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    w->splits[w->current].pc++;
    mask &= u->n_pred > 0 ? emu_pred(w, u, 0) : EMU_ALL;
    if (mask == 0)
        return;
    for (uint32_t left = w->b[u->imm][emu_first_lane(mask)]; left != 0; left &= left - 1)
        w->b[u->imm][emu_first_lane(left)] &= ~mask;
    check_waiting(w);
}

static void warpsync(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_split_t *s = &w->splits[w->current];

    if (mask == 0) {
        s->pc++;
        return;
    }
    s->state = SPLIT_WARPSYNC;
    s->arg = emu_src(w, u, 0)[emu_first_lane(mask)];
    w->current = -1;
    check_waiting(w);
}

/* Moves the running split to the end of the queue. */
static void yield(emu_warp_t *w)
{
    emu_split_t s = w->splits[w->current];

    s.pc++;
    if (w->n_splits == 1) {
        w->splits[0].pc++;
        return;
    }
    emu_remove_split(w, (unsigned)w->current);
    memmove(&w->splits[1], &w->splits[0], w->n_splits * sizeof(s));
    w->splits[0] = s;
    w->n_splits++;
}

/* --- the end of lanes ------------------------------------------------------------------------- */

static void leave(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_split_t *s = &w->splits[w->current];

    mask &= u->n_pred > 0 ? emu_pred(w, u, 0) : EMU_ALL;
    w->alive &= ~mask;
    w->block->n_alive -= (uint32_t)__builtin_popcount(mask);
    s->mask &= ~mask;
    s->pc++;
    if (s->mask == 0)
        emu_remove_split(w, (unsigned)w->current);
    if (mask == 0)
        return;
    check_waiting(w);
    emu_check_barriers(w->block);
}

static void trap(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    w->splits[w->current].pc++;
    if (mask == 0)
        return;
    w->grid->totals.fault = EMU_FAULT_TRAP;
    emu_fault(w, u, "lane %u: the kernel executes a trap", emu_first_lane(mask));
}

static void refuse(emu_warp_t *w, const emu_uop_t *u)
{
    const char *name = NULL;
    if (u->sass->op == SASS_CALL_ABS && u->sass->n_operands > 0) {
        const sass_operand_t *last = &u->sass->operand[u->sass->n_operands - 1];
        if (last->kind == SASS_OPERAND_IMM)
            name = emu_module_missing(w->grid->launch->module, (uint64_t)last->value);
    }
    w->grid->totals.unsupported = true;
    if (name != NULL)
        emu_fault(w, u,
                  "the emulator does not have the function %s of the driver (dynamic "
                  "parallelism?)",
                  name);
    else
        emu_fault(w, u, "the emulator does not support this instruction");
}

void emu_control(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    switch (u->kind) {
    case UOP_BRANCH:
        conditional_branch(w, u, mask);
        break;
    case UOP_INDIRECT:
    case UOP_RET:
    case UOP_ABSOLUTE:
        if (!indirect_system_call(w, u, mask))
            indirect_branch(w, u, mask);
        break;
    case UOP_EXIT:
        leave(w, u, mask);
        break;
    case UOP_BSSY:
        bssy(w, u, mask);
        break;
    case UOP_BSYNC:
        bsync(w, u, mask);
        break;
    case UOP_BREAK:
        break_barrier(w, u, mask);
        break;
    case UOP_WARPSYNC:
        warpsync(w, u, mask);
        break;
    case UOP_YIELD:
        yield(w);
        break;
    case UOP_BAR:
        emu_bar(w, u, mask);
        break;
    case UOP_CLOCK:
        w->splits[w->current].pc++;
        if (mask != 0)
            u->fn(w, u, mask);
        break;
    case UOP_POLL:
    case UOP_SIGNAL:
        w->splits[w->current].pc++;
        if (mask != 0 && u->kind == UOP_POLL)
            emu_poll(w, u, mask);
        else if (mask != 0)
            emu_signal(w, u, mask);
        break;
    case UOP_SYSTEM:
        w->splits[w->current].pc++;
        if (mask != 0)
            emu_system_call(w, u, mask);
        break;
    case UOP_TRAP:
        trap(w, u, mask);
        break;
    default:
        refuse(w, u);
    }
}
