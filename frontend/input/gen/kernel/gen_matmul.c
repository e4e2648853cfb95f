/*
 * Matrix product with one thread per element and 16 x 16 tiles in shared memory, as in CUDA
 * tutorials: the code of traces/matmul-*.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE = 16 };

enum { HEAD, ENTER, LOAD, MULTIPLY, LEAVE, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R9, SR_CTAID.X;"
                       "MOV R6, c[0x0][0x178];"
                       "MOV R21, RZ;"
                       "S2R R12, SR_TID.X;"
                       "ISETP.GE.AND P1, PT, R6, 0x1, PT;"
                       "S2R R3, SR_CTAID.Y;"
                       "S2R R2, SR_TID.Y;"
                       "IMAD R0, R9, 0x10, R12;"
                       "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
                       "IMAD R3, R3, 0x10, R2;"
                       "ISETP.GE.OR P0, PT, R3, c[0x0][0x178], P0;"
                       "@!P1 BRA;",
    [ENTER] = "IADD3 R6, R6, 0xf, RZ;"
              "IMAD.MOV.U32 R5, RZ, RZ, 0x4;"
              "MOV R20, RZ;"
              "IMAD R4, R3, c[0x0][0x178], R12;"
              "SHF.R.S32.HI R7, RZ, 0x1f, R6;"
              "IMAD R16, R2, c[0x0][0x178], R12;"
              "LEA R18, R12, 0x400, 0x2;"
              "IMAD.WIDE R4, R4, R5, c[0x0][0x160];"
              "LEA.HI R7, R7, R6, RZ, 0x4;"
              "LEA R16, R9, R16, 0x4;"
              "IMAD.SHL.U32 R15, R2, 0x40, RZ;"
              "MOV R14, R4;"
              "IMAD.MOV.U32 R13, RZ, RZ, R5;"
              "SHF.R.S32.HI R17, RZ, 0x4, R7;"
              "LEA R19, R12, R15, 0x2;",
    [LOAD] = "ISETP.GE.AND P1, PT, R2, c[0x0][0x178], PT;"
             "ISETP.GE.AND P2, PT, R12, c[0x0][0x178], PT;"
             "ISETP.GE.OR P1, PT, R0, c[0x0][0x178], P1;"
             "ISETP.GE.OR P2, PT, R3, c[0x0][0x178], P2;"
             "MOV R24, RZ;"
             "MOV R26, RZ;"
             "@!P1 IMAD.MOV.U32 R23, RZ, RZ, 0x4;"
             "@!P2 IMAD.MOV.U32 R4, RZ, RZ, R14;"
             "@!P2 MOV R5, R13;"
             "@!P1 IMAD.WIDE R22, R16, R23, c[0x0][0x168];"
             "@!P2 LDG.E.SYS R24, [R4];"
             "@!P1 LDG.E.SYS R26, [R22];",
    [MULTIPLY] = "IADD3 R20, R20, 0x1, RZ;"
                 "IADD3 R14, P2, R14, 0x40, RZ;"
                 "ISETP.GE.AND P1, PT, R20, R17, PT;"
                 "IADD3 R2, R2, 0x10, RZ;"
                 "IADD3 R12, R12, 0x10, RZ;"
                 "IADD3.X R13, RZ, R13, RZ, P2, !PT;"
                 "STS [R19], R24;"
                 "STS [R19+0x400], R26;"
                 "70: NOP;"
                 "BAR.SYNC 0x0;"
                 "LDS.U R29, [R18];"
                 "LDS.U.128 R8, [R15];"
                 "LDS.U R22, [R18+0x40];"
                 "LDS.U R27, [R18+0x80];"
                 "LDS.U R28, [R18+0xc0];"
                 "LDS.U R25, [R18+0x100];"
                 "LDS.U.128 R4, [R15+0x10];"
                 "LDS.U R24, [R18+0x140];"
                 "LDS.U R23, [R18+0x180];"
                 "LDS.U R26, [R18+0x1c0];"
                 "FFMA R8, R29, R8, R21;"
                 "LDS.U R21, [R18+0x200];"
                 "FFMA R8, R22, R9, R8;"
                 "LDS.U R22, [R18+0x240];"
                 "FFMA R8, R27, R10, R8;"
                 "FFMA R28, R28, R11, R8;"
                 "LDS.U.128 R8, [R15+0x20];"
                 "FFMA R4, R25, R4, R28;"
                 "LDS.U R25, [R18+0x280];"
                 "FFMA R4, R24, R5, R4;"
                 "LDS.U R24, [R18+0x2c0];"
                 "FFMA R4, R23, R6, R4;"
                 "LDS.U R23, [R18+0x300];"
                 "FFMA R26, R26, R7, R4;"
                 "LDS.U.128 R4, [R15+0x30];"
                 "FFMA R21, R21, R8, R26;"
                 "LDS.U R8, [R18+0x340];"
                 "FFMA R21, R22, R9, R21;"
                 "LDS.U R9, [R18+0x380];"
                 "FFMA R10, R25, R10, R21;"
                 "LDS.U R22, [R18+0x3c0];"
                 "FFMA R10, R24, R11, R10;"
                 "FFMA R4, R23, R4, R10;"
                 "FFMA R4, R8, R5, R4;"
                 "MOV R5, c[0x0][0x178];"
                 "FFMA R4, R9, R6, R4;"
                 "IMAD R16, R5, 0x10, R16;"
                 "FFMA R21, R22, R7, R4;"
                 "70: NOP;"
                 "BAR.SYNC 0x0;"
                 "@!P1 BRA;",
    [LEAVE] = "@P0 EXIT;",
    [STORE] = "MOV R2, 0x4;"
              "IMAD R3, R3, c[0x0][0x178], R0;"
              "IMAD.WIDE R2, R3, R2, c[0x0][0x170];"
              "STG.E.SYS [R2], R21;"
              "EXIT;",
};

enum { A, B, C, N };

/* Lanes whose element is inside the matrix; lane k is at row + k / 16, column + k % 16. */
static uint32_t inside(uint64_t row, uint64_t column, uint64_t n)
{
    uint32_t columns = gen_below(column, n) & 0xffffu;

    return (row < n ? columns : 0) | (row + 1 < n ? columns << TILE : 0);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t n = arg[N], ty = 2 * (uint64_t)w->warp, pitch = 4 * n;
    uint64_t row = (uint64_t)w->id[1] * TILE + ty, column = (uint64_t)w->id[0] * TILE;
    uint64_t tiles = (n + TILE - 1) / TILE;

    w->pred[1] = UINT32_MAX; /* always taken: N > 0 */
    gen_run_to(w, HEAD, ENTER, w->lanes);
    gen_tile(w, 4, arg[A] + row * pitch, TILE, 4, (int64_t)pitch);
    gen_tile(w, 22, arg[B] + ty * pitch + 4 * column, TILE, 4, (int64_t)pitch);
    gen_tile(w, 19, GEN_SHARED_WINDOW + ty * 4 * TILE, TILE, 4, 4 * TILE);
    gen_tile(w, 18, GEN_SHARED_WINDOW + 0x400, TILE, 4, 0);
    gen_tile(w, 15, GEN_SHARED_WINDOW + ty * 4 * TILE, TILE, 0, 4 * TILE);
    for (uint64_t m = 0; m < tiles; m++) {
        w->pred[2] = ~inside(row, m * TILE, n);
        w->pred[1] = ~inside(m * TILE + ty, column, n);
        gen_run(w, LOAD, w->lanes);
        w->pred[1] = m + 1 == tiles ? UINT32_MAX : 0;
        gen_run(w, MULTIPLY, w->lanes);
        gen_advance(w, 4, 4 * TILE);
        gen_advance(w, 22, (int64_t)(TILE * pitch));
    }
    uint32_t stays = inside(row, column, n);

    w->pred[0] = ~stays;
    gen_run(w, LEAVE, w->lanes);
    gen_tile(w, 2, arg[C] + row * pitch + 4 * column, TILE, 4, (int64_t)pitch);
    gen_run(w, STORE, w->lanes & stays);
}

static const gen_kernel_t kernel = {"matmul", listing, N_SEGMENTS, 32, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t bytes = 4 * g->value[0] * g->value[0];

    (void)err;
    g->array[A] = gen_input(g, bytes);
    g->array[B] = gen_input(g, bytes);
    g->array[C] = gen_alloc(g, bytes);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = &kernel;
    l->grid[0] = l->grid[1] = gen_blocks(g->value[0], TILE);
    l->block[0] = l->block[1] = TILE;
    l->shared = 2 * 4 * TILE * TILE;
    for (unsigned i = A; i <= C; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = g->value[0];
}

const gen_kind_t gen_kind_matmul = {
    .name = "matmul",
    .summary = "square matrix product, one thread per element, 16 x 16 tiles in shared memory",
    .param = {{"size", "rows and columns", 1, 1 << 14, 512}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .block_side = TILE,
    .prepare = prepare,
    .launch = launch,
};
