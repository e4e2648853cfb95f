/* Matrix times vector, one warp per row: y = A x, four columns to a lane at a time. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { BLOCK = 128, WIDE = 4, STEP = WIDE * GEN_WARP }; /* columns of a lane, of a warp */

enum { HEAD, ENTER, LOOP, RECONVERGE, SUM, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R4, SR_CTAID.X;"
                       "S2R R3, SR_TID.X;"
                       "IMAD R4, R4, c[0x0][0x0], R3;"
                       "SHF.R.U32.HI R0, RZ, 0x5, R4;"
                       "LOP3.LUT R4, R4, 0x1f, RZ, 0xc0, !PT;"
                       "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
                       "@P0 EXIT;",
    [ENTER] = "IMAD.SHL.U32 R5, R4, 0x4, RZ;"
              "MOV R6, 0x4;"
              "IMAD R7, R0, c[0x0][0x17c], R5;"
              "MOV R20, RZ;"
              "BMOV.32.CLEAR RZ, B0;"
              "BSSY B0;"
              "ISETP.GE.AND P0, PT, R5, c[0x0][0x17c], PT;"
              "IMAD.WIDE R8, R7, R6, c[0x0][0x160];"
              "IMAD.WIDE R10, R5, R6, c[0x0][0x168];"
              "@P0 BRA;",
    [LOOP] = "LDG.E.128.CONSTANT.SYS R12, [R8];"
             "LDG.E.128.CONSTANT.SYS R16, [R10];"
             "IADD3 R5, R5, 0x80, RZ;"
             "IADD3 R8, P2, R8, 0x200, RZ;"
             "IADD3 R10, P3, R10, 0x200, RZ;"
             "ISETP.GE.AND P1, PT, R5, c[0x0][0x17c], PT;"
             "IADD3.X R9, RZ, R9, RZ, P2, !PT;"
             "IADD3.X R11, RZ, R11, RZ, P3, !PT;"
             "FFMA R20, R12, R16, R20;"
             "FFMA R20, R13, R17, R20;"
             "FFMA R20, R14, R18, R20;"
             "FFMA R20, R15, R19, R20;"
             "@!P1 BRA;",
    [RECONVERGE] = "BSYNC B0;",
    [SUM] = "SHFL.DOWN PT, R2, R20, 0x10, 0x1f;"
            "ISETP.NE.AND P0, PT, R4, RZ, PT;"
            "FADD R20, R2, R20;"
            "SHFL.DOWN PT, R2, R20, 0x8, 0x1f;"
            "FADD R20, R2, R20;"
            "SHFL.DOWN PT, R2, R20, 0x4, 0x1f;"
            "FADD R20, R2, R20;"
            "SHFL.DOWN PT, R2, R20, 0x2, 0x1f;"
            "FADD R20, R2, R20;"
            "SHFL.DOWN PT, R2, R20, 0x1, 0x1f;"
            "FADD R20, R2, R20;"
            "@P0 EXIT;",
    [STORE] = "IMAD.WIDE R2, R0, R6, c[0x0][0x170];"
              "STG.E.SYS [R2], R20;"
              "EXIT;",
};

enum { A, X, Y, ROWS, COLUMNS };

static void multiply(gen_warp_t *w, uint64_t row)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t lanes = arg[COLUMNS] / WIDE; /* that the row could use */
    uint32_t active = gen_below(0, lanes);

    gen_affine(w, 8, arg[A] + 4 * row * arg[COLUMNS], 4 * WIDE);
    gen_affine(w, 10, arg[X], 4 * WIDE);
    gen_run(w, RECONVERGE, ~active);
    for (uint64_t at = GEN_WARP; active != 0; at += GEN_WARP) {
        uint32_t next = gen_below(at, lanes);

        w->pred[1] = ~next;
        gen_run(w, LOOP, active);
        gen_run(w, RECONVERGE, active & ~next);
        gen_advance(w, 8, 4 * STEP);
        gen_advance(w, 10, 4 * STEP);
        active = next;
    }
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t row = gen_first_global(w) / GEN_WARP;

    w->pred[0] = row < arg[ROWS] ? 0 : UINT32_MAX;
    gen_run(w, HEAD, w->lanes);
    if (row >= arg[ROWS])
        return;
    w->pred[0] = ~gen_below(0, arg[COLUMNS] / WIDE);
    gen_run(w, ENTER, w->lanes);
    multiply(w, row);
    w->pred[0] = ~1u;
    gen_run(w, SUM, w->lanes);
    gen_affine(w, 2, arg[Y] + 4 * row, 0);
    gen_run(w, STORE, 1);
}

const gen_kernel_t gen_kernel_matvec = {"matvec", listing, N_SEGMENTS, 22, walk};

void gen_matvec_shape(gen_launch_t *l, uint64_t rows, uint64_t columns, uint64_t a, uint64_t x,
                      uint64_t y)
{
    gen_shape_1d(l, &gen_kernel_matvec, rows * GEN_WARP, BLOCK);
    l->arg[A] = a;
    l->arg[X] = x;
    l->arg[Y] = y;
    l->arg[ROWS] = rows;
    l->arg[COLUMNS] = columns;
}

enum { P_ROWS, P_COLUMNS };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t columns = gen_pitch(g->value[P_COLUMNS]);

    (void)err;
    g->array[A] = gen_input(g, 4 * g->value[P_ROWS] * columns);
    g->array[X] = gen_input(g, 4 * columns);
    g->array[Y] = gen_alloc(g, 4 * g->value[P_ROWS]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_matvec_shape(l, g->value[P_ROWS], gen_pitch(g->value[P_COLUMNS]), g->array[A], g->array[X],
                     g->array[Y]);
}

const gen_kind_t gen_kind_matvec = {
    .name = "matvec",
    .summary = "matrix times vector, one warp per row",
    .param = {{"size", "rows", 1, 1 << 28, 4096},
              {"columns", "columns, rounded up to a multiple of 4", 1, 1 << 22, 4096}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_matvec, NULL},
    .per_block = BLOCK / GEN_WARP,
    .prepare = prepare,
    .launch = launch,
};
