/* The loop that executes a warp, and what it records. */
#include <stdarg.h>
#include <stdio.h>

#include "frontend/sass/emu_state.h"
#include "sim/core/alloc.h"

enum { CLOCKS_PER_INST = 4 }; /* what %clock counts: there is no timing here */

void emu_fault(emu_warp_t *w, const emu_uop_t *u, const char *format, ...)
{
    char why[256], text[SASS_TEXT_MAX];
    const emu_block_t *b = w->block;
    va_list ap;

    va_start(ap, format);
    vsnprintf(why, sizeof(why), format, ap);
    va_end(ap);
    sass_text(u->sass, text);
    w->faulted = true;
    w->grid->rc =
        rb_fail(w->grid->err, RB_TRACE, "kernel %s, block (%u,%u,%u), warp %u, pc 0x%x: %s: %s",
                w->grid->launch->kernel->name, b->id[0], b->id[1], b->id[2], w->index, u->sass->pc,
                text, why);
}

/* The split that runs next: the last that can. False: all wait, or have ended. */
static bool pick(emu_warp_t *w)
{
    for (unsigned i = w->n_splits; i-- > 0;)
        if (w->splits[i].state == SPLIT_RUN) {
            w->current = (int)i;
            return true;
        }
    return false;
}

/*
 * Executes straight-line code of the current split: up to a control instruction, a fault, the end
 * of the budget, or a load (*waits). The number of instructions.
 */
static uint64_t run_straight(emu_warp_t *w, uint64_t budget, bool tracing, bool *waits)
{
    emu_split_t *s = &w->splits[w->current];
    const emu_uop_t *uops = w->grid->uops, *end = uops + w->grid->n_uops, *u = uops + s->pc;
    uint64_t n = 0, lanes = 0;

    for (; n < budget && u < end && u->kind <= UOP_NOP; u++, n++) {
        uint32_t mask = s->mask & (w->p[u->guard] ^ u->guard_inv);
        if (tracing)
            emu_record_inst(&w->record, u->inst, mask);
        if (mask == 0 || u->kind == UOP_NOP)
            continue;
        lanes += (unsigned)__builtin_popcount(mask);
        u->fn(w, u, u->kind == UOP_UNIFORM ? EMU_ALL : mask);
        if (u->kind == UOP_LOAD) {
            *waits = true;
            budget = n; /* this one is the last */
        }
        if (u->kind == UOP_ACCESS && w->faulted)
            break;
    }
    s->pc = (uint32_t)(u - uops);
    w->grid->totals.thread_insts += lanes;
    return n;
}

static void run_control(emu_warp_t *w, bool tracing)
{
    emu_split_t *s = &w->splits[w->current];
    const emu_uop_t *u = &w->grid->uops[s->pc];
    uint32_t mask = s->mask & (w->p[u->guard] ^ u->guard_inv);

    if (tracing)
        emu_record_inst(&w->record, u->inst, mask);
    w->grid->totals.thread_insts += (unsigned)__builtin_popcount(mask);
    emu_control(w, u, mask);
}

uint64_t emu_warp_run(emu_warp_t *w, uint64_t budget)
{
    bool tracing = w->grid->tracing, waits = false;
    uint64_t n = 0;

    while (n < budget && !w->faulted) {
        if (w->current < 0 && !pick(w))
            break;
        n += run_straight(w, budget - n, tracing, &waits);
        if (n >= budget || waits || w->faulted)
            break;
        const emu_split_t *s = &w->splits[w->current];
        if (s->pc >= w->grid->n_uops) {
            emu_fault(w, &w->grid->uops[w->grid->n_uops - 1], "runs past the end of the function");
            break;
        }
        run_control(w, tracing);
        n++;
    }
    w->clock += CLOCKS_PER_INST * n;
    w->grid->totals.warp_insts += n;
    return n;
}

/* --- the record ------------------------------------------------------------------------------ */

void emu_record_inst(emu_record_t *r, const inst_t *inst, uint32_t mask)
{
    r->n_insts++;
    if (r->n_runs > 0) {
        trace_run_t *last = &r->runs[r->n_runs - 1];
        if (last->mask == mask && last->count < UINT16_MAX && last->first + last->count == inst) {
            last->count++;
            return;
        }
    }
    rb_grow(&r->runs, &r->cap_runs, r->n_runs + 1, sizeof(*r->runs));
    r->runs[r->n_runs++] = (trace_run_t){.first = inst, .mask = mask, .count = 1};
}

/* Address as a tracer sees it: shared and local memory lie in their windows. */
static uint64_t window_address(const emu_uop_t *u, uint64_t a)
{
    return u->inst->space == MEM_SHARED  ? EMU_SHARED_BASE + a
           : u->inst->space == MEM_LOCAL ? EMU_LOCAL_BASE + a
                                         : a;
}

/* The closest form that holds n addresses, into out (1 + n words at most); its words. */
static size_t pack(const uint64_t *a, unsigned n, uint64_t *out)
{
    int64_t stride = n > 1 ? (int64_t)(a[1] - a[0]) : 0;
    bool affine = stride == (int32_t)stride, narrow = true;

    for (unsigned i = 0; i < n; i++) {
        int64_t delta = (int64_t)(a[i] - a[0]);
        affine = affine && delta == stride * (int64_t)i;
        narrow = narrow && delta == (int32_t)delta;
    }
    if (affine) {
        out[0] = addr_header(ADDR_AFFINE, n, (int32_t)stride);
        out[1] = a[0];
    } else if (narrow) {
        out[0] = addr_header(ADDR_DELTA, n, 0);
        out[1] = a[0];
        for (unsigned i = 0; i < (n + 1) / 2; i++) {
            uint64_t low = (uint32_t)(a[2 * i] - a[0]);
            uint64_t high = 2 * i + 1 < n ? (uint32_t)(a[2 * i + 1] - a[0]) : 0;
            out[2 + i] = low | high << 32;
        }
    } else {
        out[0] = addr_header(ADDR_LIST, n, 0);
        memcpy(out + 1, a, n * sizeof(*a));
    }
    return addr_words(out);
}

void emu_record_addresses(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES],
                          uint32_t mask)
{
    emu_record_t *r = &w->record;
    uint64_t active[EMU_LANES] = {0}, words[EMU_LANES + 2];
    unsigned n = 0;

    if (u->inst->space == MEM_NONE || u->inst->width == 0)
        return;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        active[n++] = window_address(u, a[__builtin_ctz(left)]);
    size_t n_words = pack(active, n, words);
    rb_grow(&r->addrs, &r->cap_addrs, r->n_addrs + n_words, sizeof(*r->addrs));
    memcpy(r->addrs + r->n_addrs, words, n_words * sizeof(*words));
    r->n_addrs += n_words;
}
