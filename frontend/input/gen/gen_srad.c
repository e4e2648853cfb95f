/*
 * Speckle reducing anisotropic diffusion like Rodinia's: two stencil launches per iteration, with
 * separate arrays for derivatives and coefficients. Produces long sequences of similar launches.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE = 16 };

enum { IMAGE, COEFFICIENT, NORTH, SOUTH, WEST, EAST, SIDE };

#define ENTER                                                                                      \
    GEN_ENTER                                                                                      \
    "S2R R0, SR_CTAID.X;"                                                                          \
    "S2R R3, SR_TID.X;"                                                                            \
    "S2R R2, SR_CTAID.Y;"                                                                          \
    "S2R R5, SR_TID.Y;"                                                                            \
    "IMAD R0, R0, 0x10, R3;"                                                                       \
    "IMAD R2, R2, 0x10, R5;"                                                                       \
    "ISETP.GE.AND P0, PT, R0, c[0x0][0x190], PT;"                                                  \
    "ISETP.GE.OR P0, PT, R2, c[0x0][0x190], P0;"                                                   \
    "@P0 EXIT;"

enum { HEAD, BODY, N_SEGMENTS };

static const char *const first_listing[N_SEGMENTS] = {
    [HEAD] = ENTER,
    [BODY] = "IMAD R4, R2, c[0x0][0x194], R0;"
             "MOV R5, 0x4;"
             "IMAD.WIDE R6, R4, R5, c[0x0][0x160];"
             "MOV R8, c[0x0][0x194];"
             "IMAD.WIDE R10, R8, -0x4, R6;"
             "IMAD.WIDE R12, R8, 0x4, R6;"
             "LDG.E.SYS R14, [R6];"
             "LDG.E.SYS R15, [R10];"
             "LDG.E.SYS R16, [R12];"
             "LDG.E.SYS R17, [R6+-0x4];"
             "LDG.E.SYS R18, [R6+0x4];"
             "MUFU.RCP R19, R14;"
             "FADD R15, R15, -R14;"
             "FADD R16, R16, -R14;"
             "FADD R17, R17, -R14;"
             "FADD R18, R18, -R14;"
             "FMUL R20, R15, R15;"
             "FFMA R20, R16, R16, R20;"
             "FFMA R20, R17, R17, R20;"
             "FFMA R20, R18, R18, R20;"
             "FADD R21, R15, R16;"
             "FADD R21, R21, R17;"
             "FADD R21, R21, R18;"
             "FMUL R22, R19, R19;"
             "FMUL R20, R20, R22;"
             "FMUL R21, R21, R19;"
             "FMUL R23, R21, R21;"
             "FMUL R23, R23, 0.0625;"
             "FFMA R23, R20, 0.5, -R23;"
             "FFMA R24, R21, 0.25, 1;"
             "FMUL R24, R24, R24;"
             "MUFU.RCP R24, R24;"
             "FFMA R25, R23, R24, -c[0x0][0x198];"
             "MOV R26, c[0x0][0x198];"
             "FFMA R26, R26, R26, R26;"
             "MUFU.RCP R26, R26;"
             "FFMA R25, R25, R26, 1;"
             "MUFU.RCP R25, R25;"
             "FADD.SAT R25, R25, RZ;"
             "IMAD.WIDE R28, R4, R5, c[0x0][0x168];"
             "IMAD.WIDE R30, R4, R5, c[0x0][0x170];"
             "IMAD.WIDE R32, R4, R5, c[0x0][0x178];"
             "IMAD.WIDE R34, R4, R5, c[0x0][0x180];"
             "IMAD.WIDE R36, R4, R5, c[0x0][0x188];"
             "STG.E.SYS [R28], R25;"
             "STG.E.SYS [R30], R15;"
             "STG.E.SYS [R32], R16;"
             "STG.E.SYS [R34], R17;"
             "STG.E.SYS [R36], R18;"
             "EXIT;",
};

static const char *const second_listing[N_SEGMENTS] = {
    [HEAD] = ENTER,
    [BODY] = "IMAD R4, R2, c[0x0][0x194], R0;"
             "MOV R5, 0x4;"
             "MOV R8, c[0x0][0x194];"
             "IMAD.WIDE R28, R4, R5, c[0x0][0x168];"
             "IMAD.WIDE R12, R8, 0x4, R28;"
             "IMAD.WIDE R30, R4, R5, c[0x0][0x170];"
             "IMAD.WIDE R32, R4, R5, c[0x0][0x178];"
             "IMAD.WIDE R34, R4, R5, c[0x0][0x180];"
             "IMAD.WIDE R36, R4, R5, c[0x0][0x188];"
             "IMAD.WIDE R6, R4, R5, c[0x0][0x160];"
             "LDG.E.SYS R14, [R28];"
             "LDG.E.SYS R15, [R12];"
             "LDG.E.SYS R16, [R28+0x4];"
             "LDG.E.SYS R17, [R30];"
             "LDG.E.SYS R18, [R32];"
             "LDG.E.SYS R19, [R34];"
             "LDG.E.SYS R20, [R36];"
             "LDG.E.SYS R21, [R6];"
             "FMUL R22, R14, R17;"
             "FFMA R22, R15, R18, R22;"
             "FFMA R22, R14, R19, R22;"
             "FFMA R22, R16, R20, R22;"
             "MOV R23, c[0x0][0x19c];"
             "FMUL R23, R23, 0.25;"
             "FFMA R21, R22, R23, R21;"
             "STG.E.SYS [R6], R21;"
             "EXIT;",
};

/* The image has a border of one pixel, so that all neighbours exist. */
static void walk(gen_warp_t *w)
{
    static const unsigned reg[] = {6, 28, 30, 32, 34, 36};
    const uint64_t *arg = w->launch->arg;
    uint64_t side = arg[SIDE], pitch = 4 * (side + 2);
    uint64_t x = (uint64_t)w->id[0] * TILE, y = (uint64_t)w->id[1] * TILE + 2 * (uint64_t)w->warp;
    uint64_t at = (y + 1) * pitch + 4 * (x + 1);
    uint32_t columns = gen_below(x, side) & 0xffffu;
    uint32_t active = (y < side ? columns : 0) | (y + 1 < side ? columns << TILE : 0);

    w->pred[0] = ~active;
    gen_run(w, HEAD, w->lanes);
    for (unsigned i = IMAGE; i <= EAST; i++)
        gen_tile(w, reg[i], arg[i] + at, TILE, 4, (int64_t)pitch);
    gen_tile(w, 10, arg[IMAGE] + at - pitch, TILE, 4, (int64_t)pitch);
    gen_tile(w, 12, arg[w->launch->id % 2 ? IMAGE : COEFFICIENT] + at + pitch, TILE, 4,
             (int64_t)pitch);
    gen_run(w, BODY, active);
}

static const gen_kernel_t first_kernel = {"_Z11srad_cuda_1PfS_S_S_S_S_iif", first_listing,
                                          N_SEGMENTS, 40, walk};
static const gen_kernel_t second_kernel = {"_Z11srad_cuda_2PfS_S_S_S_S_iiff", second_listing,
                                           N_SEGMENTS, 40, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t bytes = 4 * (g->value[0] + 2) * (g->value[0] + 2);

    (void)err;
    for (unsigned i = IMAGE; i <= EAST; i++)
        g->array[i] = i == IMAGE ? gen_input(g, bytes) : gen_alloc(g, bytes);
    g->n_launches = 2 * g->value[1];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    l->kernel = id % 2 ? &first_kernel : &second_kernel;
    l->grid[0] = l->grid[1] = gen_blocks(g->value[0], TILE);
    l->block[0] = l->block[1] = TILE;
    for (unsigned i = IMAGE; i <= EAST; i++)
        l->arg[i] = g->array[i];
    l->arg[SIDE] = g->value[0];
}

const gen_kind_t gen_kind_srad = {
    .name = "srad",
    .summary = "anisotropic diffusion: two stencil launches per iteration",
    .param = {{"size", "pixels per side", 1, 1 << 17, 512},
              {"iterations", "pairs of launches", 1, 1000000, 10}},
    .kernels = (const gen_kernel_t *const[]){&first_kernel, &second_kernel, NULL},
    .block_side = TILE,
    .prepare = prepare,
    .launch = launch,
};
