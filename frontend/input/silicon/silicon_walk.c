#include "frontend/input/silicon/silicon_walk.h"

#include <math.h>

#include "frontend/input/silicon/silicon_assembler.h"

enum { LANES = EXPR_LANES, MAX_WARP_STEPS = 1 << 26, MAX_BLOCK_WORDS = 1 << 27 };

/* An open loop. A count that differs between lanes is kept for each: they leave one after the other. */
typedef struct {
    bool uniform;
    int64_t left; /* uniform: iterations, this one included */
    lane_value_t count;
    uint32_t outer; /* lanes around the loop */
} loop_t;

/* The warp being generated. */
typedef struct {
    const kernel_t *k;
    made_block_t *b;
    uint32_t alive;                    /* threads that have not left at an EXIT with a condition */
    uint32_t lanes;                    /* those that execute */
    uint32_t run_lanes;                /* those that executed the last instructions */
    uint32_t outer[ASSEMBLER_NESTING]; /* lanes around the open .lanes */
    unsigned n_outer, n_loops;
    loop_t loop[ASSEMBLER_NESTING];
    lane_value_t vars[KERNEL_MAX_VARS];
} walker_t;

static void evaluate(walker_t *w, uint32_t expr, uint32_t mask, lane_value_t *out)
{
    expr_eval_lanes(&w->k->expr[expr], &(expr_env_t){.lane_vars = w->vars}, mask, out);
}

/* Of the first lane that executes. */
static double uniform_value(walker_t *w, uint32_t expr)
{
    uint32_t first = w->lanes & -w->lanes;
    lane_value_t v;

    evaluate(w, expr, first, &v);
    return lane_value_at(&v, (unsigned)__builtin_ctz(first));
}

/* Those of the executing lanes for which the condition is not 0. */
static uint32_t chosen_lanes(walker_t *w, uint32_t condition)
{
    uint32_t chosen = 0;
    lane_value_t v;

    if (w->lanes == 0)
        return 0;
    evaluate(w, condition, w->lanes, &v);
    if (lane_value_is_uniform(&v))
        return expr_whole(v.base) != 0 ? w->lanes : 0;
    lane_value_spread(&v);
    for (unsigned k = 0; k < LANES; k++)
        chosen |= (uint32_t)(expr_whole(v.lane[k]) != 0) << k;
    return chosen & w->lanes;
}

/* Whether the addresses are whole numbers at equal distances. */
static bool is_regular(const lane_value_t *v, uint32_t mask)
{
    uint32_t shifted = mask >> __builtin_ctz(mask);

    return v->affine && (shifted & (shifted + 1)) == 0 && fabs(v->stride) <= INT32_MAX &&
           expr_is_whole(v->stride) && expr_is_whole(v->base);
}

static void put_addresses(walker_t *w, uint32_t expr, uint32_t mask)
{
    made_block_t *b = w->b;
    uint64_t addr[LANES], *rec;
    unsigned n = 0, lanes = (unsigned)__builtin_popcount(mask);
    lane_value_t v;

    evaluate(w, expr, mask, &v);
    if (is_regular(&v, mask)) {
        rec = made_addrs_reserve(b, 2);
        rec[0] = addr_header(ADDR_AFFINE, lanes, lanes > 1 ? (int32_t)v.stride : 0);
        rec[1] = (uint64_t)expr_whole(lane_value_at(&v, (unsigned)__builtin_ctz(mask)));
        b->n_addrs += 2;
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        addr[n++] = (uint64_t)expr_whole(lane_value_at(&v, (unsigned)__builtin_ctz(rest)));
    rec = made_addrs_reserve(b, ADDR_RECORD_MAX);
    b->n_addrs += addr_pack(addr, n, rec);
}

/* Lanes that do not execute keep the old value. */
static void let(walker_t *w, const kernel_step_t *s)
{
    lane_value_t v, *old = &w->vars[s->var];

    if (w->lanes == 0)
        return;
    evaluate(w, s->expr, w->lanes, &v);
    if (w->lanes == w->alive && v.affine) {
        lane_value_set(old, v.base, v.stride);
        return;
    }
    lane_value_spread(old);
    lane_value_spread(&v);
    for (unsigned k = 0; k < LANES; k++)
        old->lane[k] = w->lanes >> k & 1 ? v.lane[k] : old->lane[k];
}

static uint32_t lanes_below(const walker_t *w, const loop_t *loop, double i)
{
    uint32_t go_on = 0;

    for (unsigned k = 0; k < LANES; k++)
        go_on |= (uint32_t)(i < loop->count.lane[k]) << k;
    return go_on & w->lanes;
}

/* False: the body is not executed. */
static bool begin_loop(walker_t *w, const kernel_step_t *s)
{
    loop_t *loop = &w->loop[w->n_loops];

    if (w->lanes == 0)
        return false;
    evaluate(w, s->expr, w->lanes, &loop->count);
    loop->uniform = lane_value_is_uniform(&loop->count);
    loop->outer = w->lanes;
    lane_value_set(&w->vars[s->var], 0, 0);
    if (loop->uniform) {
        loop->left = expr_whole(loop->count.base);
    } else {
        lane_value_spread(&loop->count);
        w->lanes = lanes_below(w, loop, 0);
    }
    if (loop->uniform ? loop->left <= 0 : w->lanes == 0) {
        w->lanes = loop->outer;
        return false;
    }
    w->n_loops++;
    return true;
}

/* True: once more. */
static bool end_iteration(walker_t *w, uint32_t var)
{
    loop_t *loop = &w->loop[w->n_loops - 1];

    w->vars[var].base++;
    if (!loop->uniform)
        w->lanes = lanes_below(w, loop, w->vars[var].base);
    if ((!loop->uniform || --loop->left > 0) && w->lanes != 0)
        return true;
    w->lanes = loop->outer & w->alive;
    w->n_loops--;
    return false;
}

/* One instruction, which may be executed by no lane. Lanes that execute an EXIT are gone. */
static void guarded(walker_t *w, const kernel_step_t *s)
{
    const inst_t *in = &w->k->code[s->inst];

    w->run_lanes = chosen_lanes(w, s->expr);
    if (w->lanes == 0)
        return;
    made_run_put(w->b, in, 1, w->run_lanes);
    if (in->cls == OP_EXIT) {
        w->alive &= ~w->run_lanes;
        w->lanes &= ~w->run_lanes;
    }
}

static void run(walker_t *w, const kernel_step_t *s)
{
    w->run_lanes = w->lanes;
    if (w->lanes != 0)
        made_run_put(w->b, &w->k->code[s->inst], s->n, w->lanes);
}

/* False: the warp executes more instructions than a trace may hold. */
static bool walk(walker_t *w)
{
    const kernel_t *k = w->k;
    uint32_t chosen;
    uint64_t steps = 0;

    for (size_t i = 0; i < k->n_step && w->alive != 0; i++) {
        const kernel_step_t *s = &k->step[i];

        steps += 1 + s->n;
        if (steps > MAX_WARP_STEPS || w->b->n_addrs > MAX_BLOCK_WORDS)
            return false;
        switch (s->kind) {
        case STEP_RUN:
            run(w, s);
            break;
        case STEP_GUARDED:
            guarded(w, s);
            break;
        case STEP_ADDRESS:
            if (w->run_lanes != 0)
                put_addresses(w, s->expr, w->run_lanes);
            break;
        case STEP_LET:
            let(w, s);
            break;
        case STEP_IF:
            if (w->lanes == 0 || expr_whole(uniform_value(w, s->expr)) == 0)
                i = s->other - 1;
            break;
        case STEP_LANES:
            chosen = chosen_lanes(w, s->expr);
            if (chosen == 0) {
                i = s->other - 1;
                break;
            }
            w->outer[w->n_outer++] = w->lanes;
            w->lanes = chosen;
            break;
        case STEP_LANES_END:
            w->lanes = w->outer[--w->n_outer] & w->alive;
            break;
        case STEP_LOOP:
            if (!begin_loop(w, s))
                i = s->other - 1;
            break;
        case STEP_LOOP_END:
            if (end_iteration(w, k->step[s->other].var))
                i = s->other;
            break;
        }
    }
    return true;
}

static void begin_warp(walker_t *w, uint32_t warp, uint32_t threads)
{
    const uint32_t *size = w->k->info.block;
    uint32_t first = warp * LANES, n = threads - first;
    lane_value_t *x = &w->vars[VAR_THREAD_X], *y = &w->vars[VAR_THREAD_Y];

    w->alive = w->lanes = n >= LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1;
    w->n_loops = w->n_outer = 0;
    lane_value_set(&w->vars[VAR_WARP], warp, 0);
    lane_value_set(&w->vars[VAR_THREAD], first, 1);
    lane_value_set(x, first % size[0], 1);
    lane_value_set(y, first / size[0] % size[1], 0);
    if (first % size[0] + LANES <= size[0])
        return;
    x->affine = y->affine = false;
    for (uint32_t k = 0; k < LANES; k++) {
        x->lane[k] = (first + k) % size[0];
        y->lane[k] = (first + k) / size[0] % size[1];
    }
}

rb_code_t kernel_walk(const kernel_t *k, uint64_t id, uint64_t index, made_block_t *b,
                      rb_err_t *err)
{
    walker_t w = {.k = k, .b = b};
    const uint32_t *size = k->info.block;

    made_block_begin(b, index, k->info.grid);
    lane_value_set(&w.vars[VAR_LANE], 0, 1);
    lane_value_set(&w.vars[VAR_BLOCK], (double)index, 0);
    lane_value_set(&w.vars[VAR_LAUNCH], (double)(id - 1), 0);
    for (unsigned d = 0; d < 3; d++)
        lane_value_set(&w.vars[VAR_BLOCK_X + d], b->block.id[d], 0);
    for (uint32_t i = 0; i < k->n_warps; i++) {
        made_warp_begin(b);
        begin_warp(&w, i, size[0] * size[1] * size[2]);
        if (!walk(&w))
            return rb_fail(err, RB_TRACE,
                           "%s: kernel %s: a block executes more than %d instructions",
                           k->info.file, k->info.name, MAX_WARP_STEPS);
        made_warp_end(b, i);
    }
    return made_block_end(b, err);
}
