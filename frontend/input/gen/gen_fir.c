/* Finite impulse response filter: y[i] = sum of h[k] * x[i + k], coefficients in constant memory.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, UNROLL = 4 };

enum { HEAD, ENTER, TAPS, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x170"),
    [ENTER] = "MOV R5, 0x4;"
              "MOV R6, RZ;"
              "MOV R7, RZ;"
              "IMAD.WIDE R2, R0, R5, c[0x0][0x160];",
    [TAPS] = "LDG.E.SYS R8, [R2];"
             "LDG.E.SYS R9, [R2+0x4];"
             "LDG.E.SYS R10, [R2+0x8];"
             "LDG.E.SYS R11, [R2+0xc];"
             "IMAD.SHL.U32 R12, R7, 0x4, RZ;"
             "LDC R13, c[0x3][R12];"
             "LDC R14, c[0x3][R12+0x4];"
             "LDC R15, c[0x3][R12+0x8];"
             "LDC R16, c[0x3][R12+0xc];"
             "IADD3 R7, R7, 0x4, RZ;"
             "IADD3 R2, P1, R2, 0x10, RZ;"
             "ISETP.GE.AND P0, PT, R7, c[0x0][0x174], PT;"
             "IADD3.X R3, RZ, R3, RZ, P1, !PT;"
             "FFMA R6, R8, R13, R6;"
             "FFMA R6, R9, R14, R6;"
             "FFMA R6, R10, R15, R6;"
             "FFMA R6, R11, R16, R6;"
             "@!P0 BRA;",
    [TAIL] = "IMAD.WIDE R4, R0, R5, c[0x0][0x168];"
             "STG.E.SYS [R4], R6;"
             "EXIT;",
};

enum { X, Y, N, N_TAPS };

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, HEAD, arg[N]);

    gen_affine(w, 2, arg[X] + 4 * i, 4);
    gen_run(w, ENTER, active);
    for (uint64_t k = 0; k < arg[N_TAPS]; k += UNROLL) {
        w->pred[0] = k + UNROLL >= arg[N_TAPS] ? UINT32_MAX : 0;
        gen_run(w, TAPS, active);
        gen_advance(w, 2, 4 * UNROLL);
    }
    gen_affine(w, 4, arg[Y] + 4 * i, 4);
    gen_run(w, TAIL, active);
}

static const gen_kernel_t kernel = {"fir", listing, N_SEGMENTS, 18, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    if (g->value[1] % UNROLL != 0)
        return rb_fail(err, RB_USAGE, "fir: taps = %llu is not a multiple of %d",
                       (unsigned long long)g->value[1], UNROLL);
    g->array[X] = gen_input(g, 4 * (g->value[0] + g->value[1]));
    g->array[Y] = gen_alloc(g, 4 * g->value[0]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, g->value[0], BLOCK);
    l->arg[X] = g->array[X];
    l->arg[Y] = g->array[Y];
    l->arg[N] = g->value[0];
    l->arg[N_TAPS] = g->value[1];
}

const gen_kind_t gen_kind_fir = {
    .name = "fir",
    .summary = "finite impulse response filter, coefficients in constant memory",
    .param = {{"size", "samples", 1, UINT64_C(1) << 34, 1 << 20},
              {"taps", "coefficients, a multiple of 4", 4, 16384, 16}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
