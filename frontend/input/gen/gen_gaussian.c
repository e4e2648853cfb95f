/*
 * Gaussian elimination as in Rodinia: per column, one launch that computes multipliers and one that
 * subtracts rows. Grids stay as large as the matrix while fewer and fewer threads have work, so
 * launches get shorter.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK_1 = 512, TILE = 16 };

enum { M, A, B, SIZE, COLUMN };

/* --- multipliers ------------------------------------------------------------------------------ */

enum { F1_HEAD, F1_BODY, N_FAN1 };

static const char *const fan1_listing[N_FAN1] = {
    [F1_HEAD] = GEN_INDEX_1D("R0") "MOV R2, c[0x0][0x174];"
                                   "LOP3.LUT R2, RZ, R2, RZ, 0x33, !PT;"
                                   "IADD3 R2, R2, c[0x0][0x170], RZ;"
                                   "ISETP.GE.U32.AND P0, PT, R0, R2, PT;"
                                   "@P0 EXIT;",
    [F1_BODY] = "MOV R4, c[0x0][0x174];"
                "MOV R5, 0x4;"
                "IADD3 R6, R0, R4, RZ;"
                "IADD3 R6, R6, 0x1, RZ;"
                "IMAD R6, R6, c[0x0][0x170], R4;"
                "IMAD R4, R4, c[0x0][0x170], R4;"
                "IMAD.WIDE R8, R6, R5, c[0x0][0x168];"
                "IMAD.WIDE R10, R4, R5, c[0x0][0x168];"
                "LDG.E.SYS R12, [R8];"
                "LDG.E.SYS R13, [R10];"
                "MUFU.RCP R14, R13;"
                "IMAD.WIDE R16, R6, R5, c[0x0][0x160];"
                "FFMA R15, -R13, R14, 1;"
                "FFMA R15, R14, R15, R14;"
                "FCHK P0, R12, R13;"
                "FFMA R14, R12, R15, RZ;"
                "FFMA R18, -R13, R14, R12;"
                "FFMA R14, R15, R18, R14;"
                "STG.E.SYS [R16], R14;"
                "EXIT;",
};

static void fan1_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t n = arg[SIZE], t = arg[COLUMN], i = gen_first_global(w), pitch = 4 * n;
    uint64_t at = (i + t + 1) * pitch + 4 * t;
    uint32_t active = w->lanes & gen_below(i, n - 1 - t);

    w->pred[0] = ~active;
    gen_run(w, F1_HEAD, w->lanes);
    gen_affine(w, 8, arg[A] + at, (int64_t)pitch);
    gen_affine(w, 10, arg[A] + t * pitch + 4 * t, 0);
    gen_affine(w, 16, arg[M] + at, (int64_t)pitch);
    gen_run(w, F1_BODY, active);
}

static const gen_kernel_t fan1_kernel = {"_Z4Fan1PfS_ii", fan1_listing, N_FAN1, 20, fan1_walk};

/* --- subtraction ----------------------------------------------------------------------------- */

enum { F2_HEAD, F2_BODY, F2_VECTOR, N_FAN2 };

static const char *const fan2_listing[N_FAN2] = {
    [F2_HEAD] = GEN_INDEX_2D "MOV R4, c[0x0][0x17c];"
                             "IADD3 R6, -R4, c[0x0][0x178], RZ;"
                             "IADD3 R7, R6, -0x1, RZ;"
                             "ISETP.GE.U32.AND P0, PT, R0, R7, PT;"
                             "ISETP.GE.U32.OR P0, PT, R2, R6, P0;"
                             "@P0 EXIT;",
    [F2_BODY] = "IADD3 R8, R0, c[0x0][0x17c], RZ;"
                "IADD3 R9, R2, c[0x0][0x17c], RZ;"
                "MOV R10, 0x4;"
                "IADD3 R8, R8, 0x1, RZ;"
                "IMAD R11, R8, c[0x0][0x178], R4;"
                "IMAD R12, R4, c[0x0][0x178], R9;"
                "IMAD R13, R8, c[0x0][0x178], R9;"
                "IMAD.WIDE R14, R11, R10, c[0x0][0x160];"
                "IMAD.WIDE R16, R12, R10, c[0x0][0x168];"
                "IMAD.WIDE R18, R13, R10, c[0x0][0x168];"
                "LDG.E.SYS R20, [R14];"
                "LDG.E.SYS R21, [R16];"
                "LDG.E.SYS R22, [R18];"
                "ISETP.NE.AND P1, PT, R2, RZ, PT;"
                "FFMA R22, -R20, R21, R22;"
                "STG.E.SYS [R18], R22;"
                "@P1 EXIT;",
    [F2_VECTOR] = "IMAD.WIDE R24, R8, R10, c[0x0][0x170];"
                  "IMAD.WIDE R26, R4, R10, c[0x0][0x170];"
                  "LDG.E.SYS R28, [R26];"
                  "LDG.E.SYS R29, [R24];"
                  "FFMA R29, -R20, R28, R29;"
                  "STG.E.SYS [R24], R29;"
                  "EXIT;",
};

static void fan2_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t n = arg[SIZE], t = arg[COLUMN], pitch = 4 * n;
    uint64_t x = (uint64_t)w->id[0] * TILE, y = (uint64_t)w->id[1] * TILE + 2 * (uint64_t)w->warp;
    uint32_t rows = gen_below(x, n - 1 - t) & 0xffffu;
    uint32_t active = (y < n - t ? rows : 0) | (y + 1 < n - t ? rows << TILE : 0);

    w->pred[0] = ~active;
    gen_run(w, F2_HEAD, w->lanes);
    gen_tile(w, 14, arg[M] + (x + t + 1) * pitch + 4 * t, TILE, (int64_t)pitch, 0);
    gen_tile(w, 16, arg[A] + t * pitch + 4 * (y + t), TILE, 0, 4);
    gen_tile(w, 18, arg[A] + (x + t + 1) * pitch + 4 * (y + t), TILE, (int64_t)pitch, 4);
    w->pred[1] = y == 0 ? 0xffff0000u : UINT32_MAX;
    gen_run(w, F2_BODY, active);
    gen_affine(w, 24, arg[B] + 4 * (x + t + 1), 4);
    gen_affine(w, 26, arg[B] + 4 * t, 0);
    gen_run(w, F2_VECTOR, active & ~w->pred[1]);
}

static const gen_kernel_t fan2_kernel = {"_Z4Fan2PfS_S_iii", fan2_listing, N_FAN2, 30, fan2_walk};

/* --- the kind -------------------------------------------------------------------------------- */

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    uint64_t side = TILE * gen_square_side(blocks);

    (void)value;
    return side > 2 ? side : 2;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t n = g->value[0];

    (void)err;
    g->array[M] = gen_input(g, 4 * n * n);
    g->array[A] = gen_input(g, 4 * n * n);
    g->array[B] = gen_input(g, 4 * n);
    g->n_launches = 2 * (n - 1);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t n = g->value[0];

    if (id % 2 == 1) {
        gen_shape_1d(l, &fan1_kernel, n, BLOCK_1);
    } else {
        l->kernel = &fan2_kernel;
        l->grid[0] = l->grid[1] = gen_blocks(n, TILE);
        l->block[0] = l->block[1] = TILE;
    }
    for (unsigned i = M; i <= B; i++)
        l->arg[i] = g->array[i];
    l->arg[SIZE] = n;
    l->arg[COLUMN] = (id - 1) / 2;
}

const gen_kind_t gen_kind_gaussian = {
    .name = "gaussian",
    .summary = "Gaussian elimination: two launches per column, with less and less work",
    .param = {{"size", "rows and columns", 2, 1 << 16, 256}},
    .kernels = (const gen_kernel_t *const[]){&fan1_kernel, &fan2_kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
