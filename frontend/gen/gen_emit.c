#include "frontend/gen/gen_emit.h"

#include <string.h>

#include "sim/core/alloc.h"

enum { MAX_RUN = 65535 };

/* Extends the last run of the warp where instruction and mask continue it. */
static void emit(gen_block_t *b, const inst_t *first, uint32_t count, uint32_t mask)
{
    if (count == 0)
        return;
    b->n_insts += count;
    if (b->n_runs > b->first_run) {
        trace_run_t *last = &b->runs[b->n_runs - 1];

        if (last->first + last->count == first && last->mask == mask &&
            last->count + count <= MAX_RUN) {
            last->count = (uint16_t)(last->count + count);
            return;
        }
    }
    if (b->n_runs == b->cap_runs)
        rb_grow(&b->runs, &b->cap_runs, b->n_runs + 1, sizeof(b->runs[0]));
    b->runs[b->n_runs++] = (trace_run_t){.first = first, .mask = mask, .count = (uint16_t)count};
}

static uint64_t *reserve(gen_block_t *b, size_t words)
{
    if (b->n_addrs + words > b->cap_addrs)
        rb_grow(&b->addrs, &b->cap_addrs, b->n_addrs + words, sizeof(b->addrs[0]));
    return b->addrs + b->n_addrs;
}

static bool fits_i32(uint64_t difference)
{
    return difference + 0x80000000u <= UINT32_MAX;
}

static void put_affine(gen_block_t *b, unsigned lanes, uint64_t base, uint64_t stride)
{
    uint64_t *rec = reserve(b, 2);

    rec[0] = addr_header(ADDR_AFFINE, lanes, lanes > 1 ? (int32_t)(uint32_t)stride : 0);
    rec[1] = base;
    b->n_addrs += 2;
}

static uint64_t lane_value(const gen_reg_t *r, unsigned lane)
{
    return r->affine ? r->base + (uint64_t)r->stride * lane : r->lane[lane];
}

static bool is_contiguous(uint32_t mask)
{
    uint32_t shifted = mask >> __builtin_ctz(mask);

    return (shifted & (shifted + 1)) == 0;
}

static void put_record(gen_warp_t *w, const gen_step_t *s, uint32_t mask)
{
    const gen_reg_t *r = &w->reg[s->reg];
    uint64_t addr[GEN_WARP];
    unsigned n = 0;

    if (mask == 0)
        return;
    uint64_t offset = (uint64_t)(int64_t)s->offset;

    if (r->affine && is_contiguous(mask) && fits_i32((uint64_t)r->stride)) {
        put_affine(w->target, (unsigned)__builtin_popcount(mask),
                   lane_value(r, (unsigned)__builtin_ctz(mask)) + offset, (uint64_t)r->stride);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        addr[n++] = lane_value(r, (unsigned)__builtin_ctz(rest)) + offset;
    uint64_t *rec = reserve(w->target, ADDR_RECORD_MAX);

    w->target->n_addrs += addr_pack(addr, n, rec);
}

static uint32_t guarded(const gen_warp_t *w, const gen_step_t *s, uint32_t lanes)
{
    uint32_t holds = s->guard == GEN_GUARD_NONE ? UINT32_MAX : w->pred[s->guard];

    return lanes & (s->negated ? ~holds : holds);
}

static void run_guarded(gen_warp_t *w, const gen_segment_t *s, uint32_t lanes)
{
    unsigned next = 0;

    for (unsigned i = 0; i < s->n_steps; i++) {
        const gen_step_t *step = &s->steps[i];
        uint32_t mask = guarded(w, step, lanes);

        emit(w->target, s->first + next, step->at - next, lanes);
        emit(w->target, s->first + step->at, 1, mask);
        next = step->at + 1u;
        if (step->addresses)
            put_record(w, step, mask);
    }
    emit(w->target, s->first + next, s->n - next, lanes);
}

void gen_run(gen_warp_t *w, unsigned segment, uint32_t lanes)
{
    const gen_segment_t *s = &w->code->segments[segment];

    if (lanes == 0)
        return;
    if (s->guarded) {
        run_guarded(w, s, lanes);
        return;
    }
    emit(w->target, s->first, s->n, lanes);
    for (unsigned i = 0; i < s->n_steps; i++)
        put_record(w, &s->steps[i], lanes);
}

void gen_run_to(gen_warp_t *w, unsigned first, unsigned last, uint32_t lanes)
{
    for (unsigned i = first; i <= last; i++)
        gen_run(w, i, lanes);
}

void gen_affine(gen_warp_t *w, unsigned reg, uint64_t base, int64_t stride)
{
    gen_reg_t *r = &w->reg[reg];

    r->affine = true;
    r->base = base;
    r->stride = stride;
}

void gen_lanes(gen_warp_t *w, unsigned reg, const uint64_t lane[GEN_WARP])
{
    gen_reg_t *r = &w->reg[reg];

    r->affine = false;
    memcpy(r->lane, lane, sizeof(r->lane));
}

void gen_tile(gen_warp_t *w, unsigned reg, uint64_t base, unsigned width, int64_t dx, int64_t dy)
{
    gen_reg_t *r = &w->reg[reg];

    r->affine = false;
    for (unsigned k = 0; k < GEN_WARP; k++)
        r->lane[k] =
            base + (uint64_t)dx * (uint64_t)(k % width) + (uint64_t)dy * (uint64_t)(k / width);
}

void gen_advance(gen_warp_t *w, unsigned reg, int64_t bytes)
{
    gen_reg_t *r = &w->reg[reg];

    if (r->affine) {
        r->base += (uint64_t)bytes;
        return;
    }
    for (unsigned k = 0; k < GEN_WARP; k++)
        r->lane[k] += (uint64_t)bytes;
}

uint32_t gen_enter(gen_warp_t *w, unsigned segment, uint64_t n)
{
    uint32_t active = w->lanes & gen_below(gen_first_global(w), n);

    w->pred[0] = ~active;
    gen_run(w, segment, w->lanes);
    return active;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void start_warp(gen_block_t *b, gen_warp_t *w, uint32_t number)
{
    b->first_run = b->n_runs;
    b->n_insts = 0;
    w->warp = number;
    w->lanes = gen_first_lanes(w->threads - number * GEN_WARP);
    memset(w->pred, 0, sizeof(w->pred));
}

void gen_block_generate(gen_block_t *b, gen_warp_t *w, uint64_t index)
{
    const gen_launch_t *launch = w->launch;
    trace_block_t *t = &b->block;

    b->n_runs = b->n_addrs = 0;
    w->target = b;
    w->block = index;
    w->id[0] = (uint32_t)(index % launch->grid[0]);
    w->id[1] = (uint32_t)(index / launch->grid[0] % launch->grid[1]);
    w->id[2] = (uint32_t)(index / launch->grid[0] / launch->grid[1]);
    w->threads = launch->block[0] * launch->block[1] * launch->block[2];
    t->index = index;
    t->n_insts = 0;
    memcpy(t->id, w->id, sizeof(t->id));
    for (uint32_t i = 0; i < t->n_warps; i++) {
        size_t first_addr = b->n_addrs;

        start_warp(b, w, i);
        launch->kernel->walk(w);
        t->warps[i] = (warp_stream_t){.n_runs = (uint32_t)(b->n_runs - b->first_run),
                                      .n_addr_words = (uint32_t)(b->n_addrs - first_addr),
                                      .n_insts = b->n_insts};
        t->n_insts += b->n_insts;
    }
    const trace_run_t *runs = b->runs;
    const uint64_t *addrs = b->addrs;

    for (uint32_t i = 0; i < t->n_warps; i++) { /* the arrays have stopped moving */
        t->warps[i].runs = runs;
        t->warps[i].addrs = addrs;
        if (runs != NULL)
            runs += t->warps[i].n_runs;
        if (addrs != NULL)
            addrs += t->warps[i].n_addr_words;
    }
}
