/* The loop that executes a warp. */
#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"

enum { CLOCKS_PER_INST = 4 }; /* increment of %clock: the emulator has no timing */

/* --- the record ------------------------------------------------------------------------------ */

/* Records n consecutive instructions executed with mask. */
static void record_run(emu_record_t *r, const inst_t *first, uint32_t mask, size_t n)
{
    r->n_insts += n;
    if (n > 0 && r->n_runs > 0 && !r->fresh) {
        trace_run_t *last = &r->runs[r->n_runs - 1];
        if (last->mask == mask && last->first + last->count == first) {
            size_t more =
                n < (size_t)UINT16_MAX - last->count ? n : (size_t)UINT16_MAX - last->count;
            last->count = (uint16_t)(last->count + more);
            first += more;
            n -= more;
        }
    }
    r->fresh = r->fresh && n == 0;
    while (n > 0) {
        size_t part = n < UINT16_MAX ? n : UINT16_MAX;
        rb_grow(&r->runs, &r->cap_runs, r->n_runs + 1, sizeof(*r->runs));
        r->runs[r->n_runs++] = (trace_run_t){.first = first, .mask = mask, .count = (uint16_t)part};
        first += part;
        n -= part;
    }
}

/* --- the loop -------------------------------------------------------------------------------- */

/* Chooses the split to run: the last one that can. False: all wait or have ended. */
static bool pick(emu_warp_t *w)
{
    for (unsigned i = w->n_splits; i-- > 0;)
        if (w->splits[i].state == SPLIT_RUN) {
            w->current = (int)i;
            return true;
        }
    return false;
}

/* The lanes in mask whose load predicate is true; the others get 0, or their place does. */
static uint32_t gate(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t open = mask & emu_pred(w, u, 0);

    if (u->sass->op == SASS_LDGSTS) {
        emu_copy_zeros(w, u, mask & ~open);
        return open;
    }
    for (unsigned i = 0; i < (u->width + 3u) / 4; i++)
        EMU_PUT_EACH(w, u->d + EMU_LANES * i, mask & ~open, 0);
    return open;
}

/*
 * Executes straight-line code of the current split up to a control instruction, a fault, the end of
 * the budget, or a load (*waits). Returns the number of instructions.
 */
static uint64_t run_straight(emu_warp_t *w, uint64_t budget, bool tracing, bool *waits)
{
    emu_split_t *s = &w->splits[w->current];
    const emu_uop_t *uops = w->grid->uops, *end = uops + w->grid->n_uops, *u = uops + s->pc;
    const emu_uop_t *since = u, *begun = u; /* first unrecorded micro-operation; all were executed
                                             * with run_mask */
    const uint32_t all = s->mask, n_all = (uint32_t)__builtin_popcount(all);
    const emu_uop_t *limit = budget < (uint64_t)(end - u) ? u + budget : end;
    uint32_t run_mask = 0;
    uint64_t lanes = 0;

    w->grid->fragments.of = NULL;
    while (u < limit && u->kind <= UOP_NOP && !*waits && !w->faulted) {
        const bool unguarded = u->straight > 0;
        uint32_t mask = unguarded ? all : all & (w->p[u->guard] ^ u->guard_inv);
        if (u->gated)
            mask = gate(w, u, mask);
        if (tracing && mask != run_mask) {
            record_run(&w->record, since->inst, run_mask, (size_t)(u - since));
            since = u;
            run_mask = mask;
        }
        if (unguarded) {
            const emu_uop_t *from = u;
            const emu_uop_t *stop = u->straight < limit - u ? u + u->straight : limit;
            do
                u->fn(w, u, mask | u->extra_lanes);
            while (++u < stop && !w->faulted);
            lanes += n_all * (uint64_t)(u - from);
        } else {
            if (mask != 0 && u->kind != UOP_NOP) {
                lanes += (unsigned)__builtin_popcount(mask);
                u->fn(w, u, mask | u->extra_lanes);
            } else if (mask != 0 && u->fn != NULL) {
                u->fn(w, u, mask);
            }
            u++;
        }
        *waits = u[-1].kind == UOP_LOAD && mask != 0;
    }
    if (tracing && u > since) /* since may be the end of the code */
        record_run(&w->record, since->inst, run_mask, (size_t)(u - since));
    s->pc = (uint32_t)(u - uops);
    w->grid->totals.thread_insts += lanes;
    return (uint64_t)(u - begun);
}

/* False: the turn of the warp ends. */
static bool run_control(emu_warp_t *w, bool tracing)
{
    emu_split_t *s = &w->splits[w->current];
    const emu_uop_t *u = &w->grid->uops[s->pc];
    uint32_t mask = s->mask & (w->p[u->guard] ^ u->guard_inv);

    if (u->kind == UOP_SIGNAL && emu_signal_waits(w, u, mask))
        return false;
    if (u->kind == UOP_POLL)
        emu_wait_begin(w, u, mask);
    if (tracing)
        record_run(&w->record, u->inst, mask, 1);
    w->grid->totals.thread_insts += (unsigned)__builtin_popcount(mask);
    emu_control(w, u, mask);
    return u->kind != UOP_BAR && !(u->ends_turn && mask != 0) &&
           !(u->kind == UOP_POLL && w->wait.stuck);
}

/* Runs until the turn is over or the budget is spent; returns the number of instructions. */
static uint64_t run(emu_warp_t *w, uint64_t budget, bool *over)
{
    bool tracing = w->grid->tracing, waits = false;
    uint64_t n = 0, counted = 0; /* instructions; those already added to the clock */

    while (n < budget && !*over) {
        *over = w->faulted || (w->current < 0 && !pick(w));
        if (*over)
            break;
        if (w->wait.loop != 0)
            emu_wait_check(w);
        n += run_straight(w, budget - n, tracing, &waits);
        *over = waits || w->faulted;
        if (n >= budget || *over)
            break;
        const emu_split_t *s = &w->splits[w->current];
        if (s->pc >= w->grid->n_uops) {
            emu_fault(w, &w->grid->uops[w->grid->n_uops - 1],
                      "execution runs past the end of the function");
            *over = true;
            break;
        }
        n++;
        w->clock += CLOCKS_PER_INST * (n - counted);
        counted = n;
        *over = !run_control(w, tracing);
    }
    w->clock += CLOCKS_PER_INST * (n - counted);
    w->grid->totals.warp_insts += n;
    return n;
}

/* Where the warp is: of two places, that with the lower address comes first. */
static uint64_t place(const emu_warp_t *w)
{
    const emu_split_t *s = &w->splits[w->current];

    return (uint64_t)s->pc << 32 | s->mask;
}

/* Executes an instruction. False: the turn is over. */
static bool step(emu_warp_t *w, uint64_t *n, bool *over)
{
    *n += run(w, 1, over);
    *over = *over || w->faulted || (w->current < 0 && !pick(w));
    return !*over;
}

/*
 * Whether the warp is in a short loop that leaves its registers as they were: it polls what another
 * warp is to write. It then stops at the first place of the loop, for emu_spins().
 */
static bool warp_spins(emu_warp_t *w, uint64_t *n, bool *over)
{
    enum { LONGEST = 128 };

    *over = w->current < 0 && !pick(w);
    if (*over)
        return false;
    const uint64_t from = place(w), state = emu_warp_state(w);
    uint64_t first = from;
    bool same = false;
    for (unsigned i = 0; i < LONGEST && !same && step(w, n, over); i++) {
        first = place(w) < first ? place(w) : first;
        same = place(w) == from && emu_warp_state(w) == state;
    }
    for (unsigned i = 0; i < LONGEST && same && place(w) != first && step(w, n, over); i++)
        continue;
    return same;
}

uint64_t emu_warp_run(emu_warp_t *w, uint64_t budget)
{
    /* Instructions before the warp is checked; launches in which warps spin are checked early. */
    enum { SOON = 32, LATE = 4096 };
    const uint64_t before = w->grid->warps_spin ? SOON : LATE;
    bool over = false;

    w->wait.stuck = false;
    if (budget <= before)
        return run(w, budget, &over);
    uint64_t n = run(w, before, &over);
    if (over)
        return n;
    if (warp_spins(w, &n, &over))
        w->grid->warps_spin = w->wait.stuck = true;
    else if (!over && n < budget)
        n += run(w, budget - n, &over);
    return n;
}
