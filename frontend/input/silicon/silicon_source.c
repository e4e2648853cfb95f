#include "frontend/input/silicon/silicon_source.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_assembler.h"
#include "sim/core/alloc.h"
#include "sim/gpu/made_block.h"

enum { LANES = 32, MAX_WARP_STEPS = 1 << 26, MAX_BLOCK_WORDS = 1 << 27 };

struct silicon_source {
    trace_source_t base; /* must be first: the source's address is ours */
    kernel_t *kernel;    /* owned */
    size_t *launch;      /* owned: the kernel of each launch */
    size_t n_kernels, cap_kernels, n_launches, cap_launches;
    suite_t suite; /* owned: the texts that kernels borrow, unless somebody else keeps them */
};

struct trace_launch {
    const kernel_t *kernel;
    made_pool_t blocks;
};

/* The warp being generated. */
typedef struct {
    const kernel_t *k;
    made_block_t *b;
    uint32_t lanes; /* threads that execute */
    double vars[KERNEL_MAX_VARS];
} walker_t;

/* --- generation ------------------------------------------------------------------------------ */

static double value(walker_t *w, uint32_t expr)
{
    return expr_eval(&w->k->expr[expr - 1], &(expr_env_t){.vars = w->vars});
}

static double value_of_lane(walker_t *w, uint32_t expr, int lane)
{
    w->vars[VAR_LANE] = lane;
    w->vars[VAR_THREAD] = w->vars[VAR_WARP] * LANES + lane;
    return value(w, expr);
}

/* Those of the executing lanes for which the condition is not 0. */
static uint32_t chosen_lanes(walker_t *w, uint32_t condition)
{
    uint32_t chosen = 0;

    for (uint32_t rest = w->lanes; rest != 0; rest &= rest - 1)
        if (expr_whole(value_of_lane(w, condition, __builtin_ctz(rest))) != 0)
            chosen |= rest & -rest;
    return chosen;
}

static void put_addresses(walker_t *w, const kernel_step_t *s)
{
    made_block_t *b = w->b;
    unsigned n = 0;
    uint64_t addr[LANES];

    for (uint32_t rest = w->lanes; rest != 0; rest &= rest - 1)
        addr[n++] = (uint64_t)expr_whole(value_of_lane(w, s->expr, __builtin_ctz(rest)));
    b->n_addrs += addr_pack(addr, n, made_addrs_reserve(b, ADDR_RECORD_MAX));
}

static void start_loop(walker_t *w, const kernel_step_t *s, int64_t left[KERNEL_MAX_VARS],
                       size_t *at)
{
    left[s->var] = expr_whole(value(w, s->expr));
    w->vars[s->var] = 0;
    if (left[s->var] <= 0)
        *at = s->other - 1;
}

/* False: the warp executes more instructions than a trace may hold. */
static bool walk(walker_t *w)
{
    const kernel_t *k = w->k;
    int64_t left[KERNEL_MAX_VARS];
    uint32_t outer[ASSEMBLER_NESTING], chosen; /* lanes around the open .lanes */
    unsigned n_outer = 0;
    uint64_t steps = 0;

    for (size_t i = 0; i < k->n_step; i++) {
        const kernel_step_t *s = &k->step[i];
        const kernel_step_t *loop = &k->step[s->other];

        if (++steps > MAX_WARP_STEPS || w->b->n_addrs > MAX_BLOCK_WORDS)
            return false;
        w->vars[VAR_LANE] = 0;
        w->vars[VAR_THREAD] = w->vars[VAR_WARP] * LANES;
        switch (s->kind) {
        case STEP_INST:
            made_run_put(w->b, &k->code[s->inst], 1, w->lanes);
            if (s->expr != 0)
                put_addresses(w, s);
            break;
        case STEP_IF:
            if (expr_whole(value(w, s->expr)) == 0)
                i = s->other - 1;
            break;
        case STEP_LANES:
            chosen = chosen_lanes(w, s->expr);
            if (chosen == 0) {
                i = s->other - 1;
                break;
            }
            outer[n_outer++] = w->lanes;
            w->lanes = chosen;
            break;
        case STEP_LANES_END:
            w->lanes = outer[--n_outer];
            break;
        case STEP_LOOP:
            start_loop(w, s, left, &i);
            break;
        case STEP_LOOP_END:
            w->vars[loop->var]++;
            if (--left[loop->var] > 0)
                i = s->other;
            break;
        }
    }
    return true;
}

static uint32_t first_lanes(uint32_t n)
{
    return n >= LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

static bool generate(const kernel_t *k, made_block_t *b, uint64_t index)
{
    const uint32_t *size = k->info.block;
    uint32_t threads = size[0] * size[1] * size[2];

    made_block_begin(b, index, k->info.grid);
    for (uint32_t i = 0; i < k->n_warps; i++) {
        walker_t w = {.k = k, .b = b};

        made_warp_begin(b);
        w.lanes = first_lanes(threads - i * LANES);
        w.vars[VAR_WARP] = i;
        w.vars[VAR_BLOCK] = (double)index;
        if (!walk(&w))
            return false;
        made_warp_end(b, i);
    }
    return made_block_end(b, NULL) == RB_OK;
}

/* --- the interface --------------------------------------------------------------------------- */

static silicon_source_t *source_of(trace_source_t *s)
{
    return (silicon_source_t *)(void *)s;
}

static const silicon_source_t *source_of_const(const trace_source_t *s)
{
    return (const silicon_source_t *)(const void *)s;
}

static uint64_t op_n_launches(const trace_source_t *s)
{
    return source_of_const(s)->n_launches;
}

static rb_code_t op_launch_info(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    silicon_source_t *y = source_of(s);

    if (id == 0 || id > y->n_launches)
        return rb_fail(err, RB_TRACE, "there is no launch %llu", (unsigned long long)id);
    *info = y->kernel[y->launch[id - 1]].info;
    info->id = id;
    info->trace_id = id;
    return RB_OK;
}

static size_t op_copies(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops)
{
    const silicon_source_t *y = source_of_const(s);

    *ops = NULL;
    if (id == 0 || id > y->n_launches)
        return 0;
    *ops = y->kernel[y->launch[id - 1]].copy;
    return y->kernel[y->launch[id - 1]].n_copy;
}

static rb_code_t op_open(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    launch_info_t info;

    RB_TRY(op_launch_info(s, id, &info, err));
    trace_launch_t *l = rb_calloc(1, sizeof(*l));

    l->kernel = &source_of(s)->kernel[source_of(s)->launch[id - 1]];
    made_pool_init(&l->blocks);
    *out = l;
    return RB_OK;
}

static rb_code_t op_get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    const kernel_t *k = l->kernel;

    *out = NULL;
    if (index >= k->info.n_blocks)
        return RB_OK;
    made_block_t *b = made_pool_take(&l->blocks, k->n_warps);

    if (!generate(k, b, index))
        return rb_fail(err, RB_TRACE, "%s: kernel %s: a block executes more than %d instructions",
                       k->info.file, k->info.name, MAX_WARP_STEPS);
    *out = &b->block;
    return RB_OK;
}

static void op_free_block(trace_launch_t *l, trace_block_t *block)
{
    made_pool_give_back(&l->blocks, block);
}

static void op_close(trace_launch_t *l)
{
    made_pool_free(&l->blocks);
    free(l);
}

static const char *op_inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    const kernel_t *k = l->kernel;

    if (inst < k->code || inst >= k->code + k->n_code)
        return NULL;
    *len = (uint32_t)strlen(k->text[inst - k->code]);
    return k->text[inst - k->code];
}

static void op_progress(const trace_source_t *s, uint64_t *done, uint64_t *total)
{
    (void)s;
    *done = *total = 0;
}

static void op_destroy(trace_source_t *s)
{
    silicon_source_t *y = source_of(s);

    for (size_t i = 0; i < y->n_kernels; i++)
        kernel_free(&y->kernel[i]);
    free(y->kernel);
    free(y->launch);
    suite_free(&y->suite);
    free(y);
}

static const trace_source_ops_t silicon_ops = {
    .name = "listing",
    .n_launches = op_n_launches,
    .launch_info = op_launch_info,
    .copies = op_copies,
    .open = op_open,
    .get_block = op_get_block,
    .free_block = op_free_block,
    .close = op_close,
    .inst_text = op_inst_text,
    .progress = op_progress,
    .destroy = op_destroy,
};

silicon_source_t *silicon_source_create(void)
{
    silicon_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &silicon_ops;
    return s;
}

void silicon_source_add(silicon_source_t *s, const kernel_t *k)
{
    rb_grow(&s->kernel, &s->cap_kernels, s->n_kernels + 1, sizeof(s->kernel[0]));
    s->kernel[s->n_kernels++] = *k;
    silicon_source_again(s, s->n_kernels - 1);
}

void silicon_source_again(silicon_source_t *s, size_t kernel)
{
    rb_grow(&s->launch, &s->cap_launches, s->n_launches + 1, sizeof(s->launch[0]));
    s->launch[s->n_launches++] = kernel;
}

void silicon_source_keep(silicon_source_t *s, const suite_t *suite)
{
    s->suite = *suite;
}

trace_source_t *silicon_source_trace(silicon_source_t *s)
{
    return &s->base;
}
