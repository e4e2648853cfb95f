#include "frontend/input/gen/gen_emit.h"

#include <string.h>

static bool fits_i32(uint64_t difference)
{
    return difference + 0x80000000u <= UINT32_MAX;
}

static void put_affine(made_block_t *b, unsigned lanes, uint64_t base, uint64_t stride)
{
    uint64_t *rec = made_addrs_reserve(b, 2);

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
    uint64_t *rec = made_addrs_reserve(w->target, ADDR_RECORD_MAX);

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

        made_run_put(w->target, s->first + next, step->at - next, lanes);
        made_run_put(w->target, s->first + step->at, 1, mask);
        next = step->at + 1u;
        if (step->addresses)
            put_record(w, step, mask);
    }
    made_run_put(w->target, s->first + next, s->n - next, lanes);
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
    made_run_put(w->target, s->first, s->n, lanes);
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

rb_code_t gen_block_generate(made_block_t *b, gen_warp_t *w, uint64_t index, rb_err_t *err)
{
    const gen_launch_t *launch = w->launch;

    made_block_begin(b, index, launch->grid);
    w->target = b;
    w->block = index;
    memcpy(w->id, b->block.id, sizeof(w->id));
    w->threads = launch->block[0] * launch->block[1] * launch->block[2];
    for (uint32_t i = 0; i < b->block.n_warps; i++) {
        made_warp_begin(b);
        w->warp = i;
        w->lanes = gen_first_lanes(w->threads - i * GEN_WARP);
        memset(w->pred, 0, sizeof(w->pred));
        launch->kernel->walk(w);
        made_warp_end(b, i);
    }
    return made_block_end(b, err);
}
