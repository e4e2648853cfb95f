/* Matrix transpose through a padded tile in shared memory: the code of traces/transpose_tiled-*. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE = 32, ROWS = 8, PITCH = TILE + 1 };

enum { LOAD, SAVE, STORE, LAST, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [LOAD] = GEN_ENTER "S2R R2, SR_CTAID.X;"
                       "S2R R3, SR_TID.X;"
                       "S2R R0, SR_TID.Y;"
                       "S2R R6, SR_CTAID.Y;"
                       "IMAD R7, R2, 0x20, R3;"
                       "ISETP.GE.AND P0, PT, R7, c[0x0][0x170], PT;"
                       "LEA R4, R6, R0, 0x5;"
                       "ISETP.GE.OR P4, PT, R4.reuse, c[0x0][0x174], P0;"
                       "IADD3 R8, R4.reuse, 0x8, RZ;"
                       "IADD3 R10, R4.reuse, 0x10, RZ;"
                       "IADD3 R12, R4, 0x18, RZ;"
                       "ISETP.GE.OR P2, PT, R8, c[0x0][0x174], P0;"
                       "ISETP.GE.OR P3, PT, R10, c[0x0][0x174], P0;"
                       "ISETP.GE.OR P0, PT, R12, c[0x0][0x174], P0;"
                       "@!P4 IMAD.MOV.U32 R5, RZ, RZ, 0x4;"
                       "@!P4 IMAD R4, R4, c[0x0][0x170], R7;"
                       "@!P4 IMAD.WIDE R4, R4, R5, c[0x0][0x160];"
                       "@!P2 MOV R9, 0x4;"
                       "@!P2 IMAD R8, R8, c[0x0][0x170], R7.reuse;"
                       "@!P0 MOV R13, 0x4;"
                       "@!P3 IMAD R10, R10, c[0x0][0x170], R7.reuse;"
                       "@!P3 IMAD.MOV.U32 R11, RZ, RZ, 0x4;"
                       "@!P4 LDG.E.SYS R4, [R4];"
                       "@!P0 IMAD R12, R12, c[0x0][0x170], R7;"
                       "@!P2 IMAD.WIDE R8, R8, R9, c[0x0][0x160];"
                       "@!P3 IMAD.WIDE R10, R10, R11, c[0x0][0x160];"
                       "@!P0 IMAD.WIDE R12, R12, R13, c[0x0][0x160];"
                       "@!P2 LDG.E.SYS R8, [R8];"
                       "@!P3 LDG.E.SYS R10, [R10];"
                       "@!P0 LDG.E.SYS R12, [R12];"
                       "IMAD R7, R0, 0x21, R3;"
                       "LEA R6, R6, R3, 0x5;"
                       "IMAD R15, R2, 0x20, R0;"
                       "IMAD.SHL.U32 R7, R7, 0x4, RZ;"
                       "ISETP.GE.AND P1, PT, R6, c[0x0][0x174], PT;"
                       "IMAD R0, R3, 0x21, R0;"
                       "IADD3 R3, R15.reuse, 0x8, RZ;"
                       "IADD3 R5, R15.reuse, 0x10, RZ;",
    [SAVE] = "ISETP.GE.OR P6, PT, R15, c[0x0][0x170], P1;"
             "ISETP.GE.OR P5, PT, R3, c[0x0][0x170], P1;"
             "SHF.L.U32 R0, R0, 0x2, RZ;"
             "@!P6 IMAD R2, R15.reuse, c[0x0][0x174], R6;"
             "IADD3 R15, R15, 0x18, RZ;"
             "@!P5 IMAD.MOV.U32 R9, RZ, RZ, 0x4;"
             "@!P4 STS [R7], R4;",
    [STORE] = "ISETP.GE.OR P4, PT, R5, c[0x0][0x170], P1;"
              "@!P2 STS [R7+0x420], R8;"
              "@!P3 STS [R7+0x840], R10;"
              "@!P0 STS [R7+0xc60], R12;"
              "70: NOP;"
              "BAR.SYNC 0x0;"
              "@!P6 LDS.U R11, [R0];"
              "@!P5 LDS.U R13, [R0+0x20];"
              "@!P4 LDS.U R17, [R0+0x40];"
              "@!P5 IMAD R4, R3, c[0x0][0x174], R6.reuse;"
              "@!P6 MOV R3, 0x4;"
              "@!P4 IMAD R8, R5, c[0x0][0x174], R6;"
              "@!P4 MOV R19, 0x4;"
              "ISETP.GE.OR P1, PT, R15, c[0x0][0x170], P1;"
              "@!P6 IMAD.WIDE R2, R2, R3, c[0x0][0x168];"
              "@!P5 IMAD.WIDE R4, R4, R9, c[0x0][0x168];"
              "@!P4 IMAD.WIDE R8, R8, R19, c[0x0][0x168];"
              "@!P6 STG.E.SYS [R2], R11;"
              "@!P5 STG.E.SYS [R4], R13;"
              "@!P4 STG.E.SYS [R8], R17;"
              "@P1 EXIT;",
    [LAST] = "LDS.U R5, [R0+0x60];"
             "MOV R3, 0x4;"
             "IMAD R2, R15, c[0x0][0x174], R6;"
             "IMAD.WIDE R2, R2, R3, c[0x0][0x168];"
             "STG.E.SYS [R2], R5;"
             "EXIT;",
};

enum { IN, OUT, WIDTH, HEIGHT };

/* Lanes outside the matrix; lane k is at column x + k of row y. */
static uint32_t outside(uint64_t x, uint64_t y, uint64_t width, uint64_t height)
{
    return y < height ? ~gen_below(x, width) : UINT32_MAX;
}

static void walk(gen_warp_t *w)
{
    static const unsigned load_pred[] = {4, 2, 3, 0}, load_reg[] = {4, 8, 10, 12};
    static const unsigned store_pred[] = {6, 5, 4, 1}, store_reg[] = {2, 4, 8, 2};
    const uint64_t *arg = w->launch->arg;
    uint64_t width = arg[WIDTH], height = arg[HEIGHT], ty = w->warp;
    uint64_t x = (uint64_t)w->id[0] * TILE, y = (uint64_t)w->id[1] * TILE + ty;
    uint32_t out[4];

    for (unsigned j = 0; j < 4; j++) {
        w->pred[load_pred[j]] = outside(x, y + ROWS * j, width, height);
        gen_affine(w, load_reg[j], arg[IN] + 4 * ((y + ROWS * j) * width + x), 4);
    }
    gen_run(w, LOAD, w->lanes);
    x = (uint64_t)w->id[1] * TILE;
    y = (uint64_t)w->id[0] * TILE + ty;
    for (unsigned j = 0; j < 4; j++)
        out[j] = outside(x, y + ROWS * j, height, width);
    w->pred[6] = out[0];
    w->pred[5] = out[1];
    gen_affine(w, 7, GEN_SHARED_WINDOW + 4 * ty * PITCH, 4);
    gen_affine(w, 0, GEN_SHARED_WINDOW + 4 * ty, 4 * PITCH);
    gen_run(w, SAVE, w->lanes);
    for (unsigned j = 0; j < 4; j++)
        w->pred[store_pred[j]] = out[j];
    for (unsigned j = 0; j < 3; j++)
        gen_affine(w, store_reg[j], arg[OUT] + 4 * ((y + ROWS * j) * height + x), 4);
    gen_run(w, STORE, w->lanes);
    gen_affine(w, store_reg[3], arg[OUT] + 4 * ((y + 3 * ROWS) * height + x), 4);
    gen_run(w, LAST, w->lanes & ~out[3]);
}

static const gen_kernel_t kernel = {"transpose_tiled", listing, N_SEGMENTS, 22, walk};

enum { SIZE, ROW_COUNT };

static uint64_t height_of(const gen_program_t *g)
{
    return g->value[ROW_COUNT] != 0 ? g->value[ROW_COUNT] : g->value[SIZE];
}

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    if (value[ROW_COUNT] == 0)
        return TILE * gen_square_side(blocks);
    uint64_t tiles = gen_blocks(value[ROW_COUNT], TILE);

    return TILE * ((blocks + tiles - 1) / tiles);
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t bytes = 4 * g->value[SIZE] * height_of(g);

    (void)err;
    g->array[IN] = gen_input(g, bytes);
    g->array[OUT] = gen_alloc(g, bytes);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = &kernel;
    l->grid[0] = gen_blocks(g->value[SIZE], TILE);
    l->grid[1] = gen_blocks(height_of(g), TILE);
    l->block[0] = TILE;
    l->block[1] = ROWS;
    l->shared = 4 * TILE * PITCH;
    l->arg[IN] = g->array[IN];
    l->arg[OUT] = g->array[OUT];
    l->arg[WIDTH] = g->value[SIZE];
    l->arg[HEIGHT] = height_of(g);
}

const gen_kind_t gen_kind_transpose = {
    .name = "transpose",
    .summary = "matrix transpose through tiles in shared memory",
    .param = {{"size", "columns", 1, 1 << 20, 1024},
              {"rows", "rows; 0: equal to the columns", 0, 1 << 20, 0}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
