/* Kernels with one thread per element: vecadd (the code of traces/vecadd-*) and ReLU. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { VECTOR_BLOCK = 256 };

/* Both segments of each kernel; lanes past the end exit after the first. */
enum { HEAD, BODY, N_SEGMENTS };

/* --- c[i] = a[i] + b[i] ---------------------------------------------------------------------- */

static const char *const vecadd_listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R6", "0x178"),
    [BODY] = "MOV R7, 0x4;"
             "IMAD.WIDE R4, R6, R7, c[0x0][0x168];"
             "IMAD.WIDE R2, R6, R7, c[0x0][0x160];"
             "LDG.E.SYS R4, [R4];"
             "LDG.E.SYS R3, [R2];"
             "IMAD.WIDE R6, R6, R7, c[0x0][0x170];"
             "FADD R9, R4, R3;"
             "STG.E.SYS [R6], R9;"
             "EXIT;",
};

enum { VECADD_A, VECADD_B, VECADD_C, VECADD_N };

static void vecadd_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, HEAD, arg[VECADD_N]);

    gen_affine(w, 4, arg[VECADD_B] + 4 * i, 4);
    gen_affine(w, 2, arg[VECADD_A] + 4 * i, 4);
    gen_affine(w, 6, arg[VECADD_C] + 4 * i, 4);
    gen_run(w, BODY, active);
}

const gen_kernel_t gen_kernel_vecadd = {"vecadd", vecadd_listing, N_SEGMENTS, 12, vecadd_walk};

void gen_vecadd_shape(gen_launch_t *l, uint64_t n, uint64_t a, uint64_t b, uint64_t c)
{
    gen_shape_1d(l, &gen_kernel_vecadd, n, VECTOR_BLOCK);
    l->arg[VECADD_A] = a;
    l->arg[VECADD_B] = b;
    l->arg[VECADD_C] = c;
    l->arg[VECADD_N] = n;
}

static rb_code_t vecadd_prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[0] = gen_input(g, 4 * g->value[0]);
    g->array[1] = gen_input(g, 4 * g->value[0]);
    g->array[2] = gen_alloc(g, 4 * g->value[0]);
    return RB_OK;
}

static void vecadd_launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_vecadd_shape(l, g->value[0], g->array[0], g->array[1], g->array[2]);
}

const gen_kind_t gen_kind_vecadd = {
    .name = "vecadd",
    .summary = "c[i] = a[i] + b[i], one thread per element",
    .param = {{"size", "elements", 1, UINT64_C(1) << 36, 1 << 20}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_vecadd, NULL},
    .per_block = VECTOR_BLOCK,
    .prepare = vecadd_prepare,
    .launch = vecadd_launch,
};

/* --- y[i] = max(x[i], 0) --------------------------------------------------------------------- */

static const char *const relu_listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R4", "0x170"),
    [BODY] = "MOV R5, 0x4;"
             "IMAD.WIDE R2, R4, R5, c[0x0][0x160];"
             "LDG.E.SYS R2, [R2];"
             "IMAD.WIDE R4, R4, R5, c[0x0][0x168];"
             "FMNMX R7, RZ, R2, !PT;"
             "STG.E.SYS [R4], R7;"
             "EXIT;",
};

enum { RELU_X, RELU_Y, RELU_N };

static void relu_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, HEAD, arg[RELU_N]);

    gen_affine(w, 2, arg[RELU_X] + 4 * i, 4);
    gen_affine(w, 4, arg[RELU_Y] + 4 * i, 4);
    gen_run(w, BODY, active);
}

const gen_kernel_t gen_kernel_relu = {"relu", relu_listing, N_SEGMENTS, 10, relu_walk};

void gen_relu_shape(gen_launch_t *l, uint64_t n, uint64_t x, uint64_t y)
{
    gen_shape_1d(l, &gen_kernel_relu, n, VECTOR_BLOCK);
    l->arg[RELU_X] = x;
    l->arg[RELU_Y] = y;
    l->arg[RELU_N] = n;
}

static rb_code_t relu_prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[0] = gen_input(g, 4 * g->value[0]);
    g->array[1] = gen_alloc(g, 4 * g->value[0]);
    return RB_OK;
}

static void relu_launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_relu_shape(l, g->value[0], g->array[0], g->array[1]);
}

const gen_kind_t gen_kind_relu = {
    .name = "relu",
    .summary = "y[i] = max(x[i], 0)",
    .param = {{"size", "elements", 1, UINT64_C(1) << 36, 1 << 20}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_relu, NULL},
    .per_block = VECTOR_BLOCK,
    .prepare = relu_prepare,
    .launch = relu_launch,
};
