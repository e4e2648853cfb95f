/*
 * Direct convolution with 3 x 3 filters: a thread computes one output pixel of one filter in a loop
 * over the input channels. Images have a border of one pixel, so that edges need no special
 * case.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE = 16, TAPS = 9 };

enum { HEAD, ENTER, CHANNEL, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_CTAID.X;"
                       "S2R R3, SR_TID.X;"
                       "S2R R2, SR_CTAID.Y;"
                       "S2R R5, SR_TID.Y;"
                       "S2R R4, SR_CTAID.Z;"
                       "IMAD R0, R0, 0x10, R3;"
                       "IMAD R2, R2, 0x10, R5;"
                       "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
                       "ISETP.GE.OR P0, PT, R2, c[0x0][0x178], P0;"
                       "@P0 EXIT;",
    [ENTER] = "IMAD R6, R2, c[0x0][0x17c], R0;"
              "MOV R7, 0x4;"
              "IMAD.WIDE R8, R6, R7, c[0x0][0x160];"
              "MOV R12, c[0x0][0x17c];"
              "IMAD.WIDE R10, R12, 0x4, R8;"
              "IMAD.WIDE R12, R12, 0x4, R10;"
              "IMAD R6, R4, c[0x0][0x184], RZ;"
              "IMAD.WIDE R14, R6, R7, c[0x0][0x168];"
              "MOV R16, RZ;"
              "MOV R17, RZ;",
    [CHANNEL] = "LDG.E.SYS R18, [R8];"
                "LDG.E.SYS R19, [R8+0x4];"
                "LDG.E.SYS R20, [R8+0x8];"
                "LDG.E.SYS R21, [R10];"
                "LDG.E.SYS R22, [R10+0x4];"
                "LDG.E.SYS R23, [R10+0x8];"
                "LDG.E.SYS R24, [R12];"
                "LDG.E.SYS R25, [R12+0x4];"
                "LDG.E.SYS R26, [R12+0x8];"
                "LDG.E.CONSTANT.SYS R27, [R14];"
                "LDG.E.CONSTANT.SYS R28, [R14+0x4];"
                "LDG.E.CONSTANT.SYS R29, [R14+0x8];"
                "LDG.E.CONSTANT.SYS R30, [R14+0xc];"
                "LDG.E.CONSTANT.SYS R31, [R14+0x10];"
                "LDG.E.CONSTANT.SYS R32, [R14+0x14];"
                "LDG.E.CONSTANT.SYS R33, [R14+0x18];"
                "LDG.E.CONSTANT.SYS R34, [R14+0x1c];"
                "LDG.E.CONSTANT.SYS R35, [R14+0x20];"
                "IADD3 R17, R17, 0x1, RZ;"
                "MOV R36, c[0x0][0x180];"
                "IADD3 R14, P1, R14, 0x24, RZ;"
                "IMAD.WIDE R8, R36, 0x4, R8;"
                "IMAD.WIDE R10, R36, 0x4, R10;"
                "IMAD.WIDE R12, R36, 0x4, R12;"
                "IADD3.X R15, RZ, R15, RZ, P1, !PT;"
                "ISETP.GE.AND P0, PT, R17, c[0x0][0x188], PT;"
                "FFMA R16, R18, R27, R16;"
                "FFMA R16, R19, R28, R16;"
                "FFMA R16, R20, R29, R16;"
                "FFMA R16, R21, R30, R16;"
                "FFMA R16, R22, R31, R16;"
                "FFMA R16, R23, R32, R16;"
                "FFMA R16, R24, R33, R16;"
                "FFMA R16, R25, R34, R16;"
                "FFMA R16, R26, R35, R16;"
                "@!P0 BRA;",
    [TAIL] = "IMAD R4, R4, c[0x0][0x18c], R0;"
             "IMAD R4, R2, c[0x0][0x178], R4;"
             "IMAD.WIDE R6, R4, R7, c[0x0][0x170];"
             "STG.E.SYS [R6], R16;"
             "EXIT;",
};

enum { IN, FILTERS, OUT, SIDE, CHANNELS };

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t side = arg[SIDE], pitch = side + 2, filter = w->id[2], channels = arg[CHANNELS];
    uint64_t x = (uint64_t)w->id[0] * TILE, y = (uint64_t)w->id[1] * TILE + 2 * (uint64_t)w->warp;
    uint32_t columns = gen_below(x, side) & 0xffffu;
    uint32_t active = (y < side ? columns : 0) | (y + 1 < side ? columns << TILE : 0);

    w->pred[0] = ~active;
    gen_run(w, HEAD, w->lanes);
    for (unsigned row = 0; row < 3; row++)
        gen_tile(w, 8 + 2 * row, arg[IN] + 4 * ((y + row) * pitch + x), TILE, 4,
                 (int64_t)(4 * pitch));
    gen_affine(w, 14, arg[FILTERS] + 4 * TAPS * filter * channels, 0);
    gen_run(w, ENTER, active);
    for (uint64_t c = 0; c < channels; c++) {
        w->pred[0] = c + 1 == channels ? UINT32_MAX : 0;
        gen_run(w, CHANNEL, active);
        for (unsigned row = 0; row < 3; row++)
            gen_advance(w, 8 + 2 * row, (int64_t)(4 * pitch * pitch));
        gen_advance(w, 14, 4 * TAPS);
    }
    gen_tile(w, 6, arg[OUT] + 4 * ((filter * side + y) * side + x), TILE, 4, (int64_t)(4 * side));
    gen_run(w, TAIL, active);
}

static const gen_kernel_t kernel = {"conv3x3_direct", listing, N_SEGMENTS, 40, walk};

enum { P_SIDE, P_CHANNELS, P_FILTERS };

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    return TILE * gen_square_side((blocks + value[P_FILTERS] - 1) / value[P_FILTERS]);
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t side = g->value[P_SIDE];

    (void)err;
    g->array[IN] = gen_input(g, 4 * (side + 2) * (side + 2) * g->value[P_CHANNELS]);
    g->array[FILTERS] = gen_input(g, 4 * TAPS * g->value[P_CHANNELS] * g->value[P_FILTERS]);
    g->array[OUT] = gen_alloc(g, 4 * side * side * g->value[P_FILTERS]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = &kernel;
    l->grid[0] = l->grid[1] = gen_blocks(g->value[P_SIDE], TILE);
    l->grid[2] = (uint32_t)g->value[P_FILTERS];
    l->block[0] = l->block[1] = TILE;
    l->arg[IN] = g->array[IN];
    l->arg[FILTERS] = g->array[FILTERS];
    l->arg[OUT] = g->array[OUT];
    l->arg[SIDE] = g->value[P_SIDE];
    l->arg[CHANNELS] = g->value[P_CHANNELS];
}

const gen_kind_t gen_kind_conv = {
    .name = "conv",
    .summary = "direct convolution with 3 x 3 filters",
    .param = {{"size", "pixels per side of the image", 1, 1 << 16, 112},
              {"channels", "channels of the input", 1, 4096, 32},
              {"filters", "channels of the output", 1, 65535, 32}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
