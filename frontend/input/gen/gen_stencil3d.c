/*
 * Seven-point stencil over a box, plane after plane, one launch per step. A cell reads the planes
 * above and below its own, so the L2 needs to hold three planes and what is written meanwhile.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE_X = 32, TILE_Y = 8 };

enum { HEAD, BODY, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_CTAID.X;"
                       "S2R R3, SR_TID.X;"
                       "S2R R2, SR_CTAID.Y;"
                       "S2R R5, SR_TID.Y;"
                       "S2R R7, SR_CTAID.Z;"
                       "IMAD R0, R0, c[0x0][0x0], R3;"
                       "IMAD R2, R2, c[0x0][0x4], R5;"
                       "IADD3 R0, R0, 0x1, RZ;"
                       "IADD3 R2, R2, 0x1, RZ;"
                       "IADD3 R7, R7, 0x1, RZ;"
                       "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
                       "ISETP.GE.OR P0, PT, R2, c[0x0][0x178], P0;"
                       "@P0 EXIT;",
    [BODY] = "IMAD R4, R7, c[0x0][0x174], R0;"
             "IMAD R4, R2, c[0x0][0x170], R4;"
             "MOV R5, 0x4;"
             "IADD3 R6, R4, -c[0x0][0x170], RZ;"
             "IADD3 R8, R4, c[0x0][0x170], RZ;"
             "IADD3 R18, R4, -c[0x0][0x174], RZ;"
             "IADD3 R20, R4, c[0x0][0x174], RZ;"
             "IMAD.WIDE R10, R4, R5, c[0x0][0x160];"
             "IMAD.WIDE R6, R6, R5, c[0x0][0x160];"
             "IMAD.WIDE R8, R8, R5, c[0x0][0x160];"
             "IMAD.WIDE R18, R18, R5, c[0x0][0x160];"
             "IMAD.WIDE R20, R20, R5, c[0x0][0x160];"
             "LDG.E.SYS R12, [R10];"
             "LDG.E.SYS R13, [R10+-0x4];"
             "LDG.E.SYS R14, [R10+0x4];"
             "LDG.E.SYS R15, [R6];"
             "LDG.E.SYS R16, [R8];"
             "LDG.E.SYS R17, [R18];"
             "LDG.E.SYS R22, [R20];"
             "IMAD.WIDE R4, R4, R5, c[0x0][0x168];"
             "FADD R13, R13, R14;"
             "FADD R15, R15, R16;"
             "FADD R17, R17, R22;"
             "FADD R13, R13, R15;"
             "FADD R13, R13, R17;"
             "FMUL R12, R12, c[0x0][0x17c];"
             "FFMA R12, R13, c[0x0][0x180], R12;"
             "STG.E.SYS [R4], R12;"
             "EXIT;",
};

enum { IN, OUT, WIDTH };

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t width = arg[WIDTH], x = (uint64_t)w->id[0] * TILE_X + 1;
    uint64_t y = (uint64_t)w->id[1] * TILE_Y + w->warp + 1, z = (uint64_t)w->id[2] + 1;
    uint64_t row = 4 * width, plane = row * width, at = z * plane + y * row + 4 * x;
    uint32_t active = y < width - 1 ? gen_below(x, width - 1) : 0;

    w->pred[0] = ~active;
    gen_run(w, HEAD, w->lanes);
    gen_affine(w, 10, arg[IN] + at, 4);
    gen_affine(w, 6, arg[IN] + at - row, 4);
    gen_affine(w, 8, arg[IN] + at + row, 4);
    gen_affine(w, 18, arg[IN] + at - plane, 4);
    gen_affine(w, 20, arg[IN] + at + plane, 4);
    gen_affine(w, 4, arg[OUT] + at, 4);
    gen_run(w, BODY, active);
}

static const gen_kernel_t kernel = {"stencil7", listing, N_SEGMENTS, 26, walk};

enum { P_WIDTH, P_PLANES, P_STEPS };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t bytes = 4 * g->value[P_WIDTH] * g->value[P_WIDTH] * g->value[P_PLANES];

    (void)err;
    g->array[IN] = gen_input(g, bytes);
    g->array[OUT] = gen_input(g, bytes);
    g->n_launches = g->value[P_STEPS];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t inner = g->value[P_WIDTH] - 2;

    l->kernel = &kernel;
    l->grid[0] = gen_blocks(inner, TILE_X);
    l->grid[1] = gen_blocks(inner, TILE_Y);
    l->grid[2] = (uint32_t)g->value[P_PLANES] - 2;
    l->block[0] = TILE_X;
    l->block[1] = TILE_Y;
    l->arg[IN] = g->array[(id + 1) % 2];
    l->arg[OUT] = g->array[id % 2];
    l->arg[WIDTH] = g->value[P_WIDTH];
}

const gen_kind_t gen_kind_stencil3d = {
    .name = "stencil3d",
    .summary =
        "seven-point stencil over a box, one launch per step: three planes in the L2, or not",
    .param = {{"size", "cells per side of a plane, including the border", 3, 1 << 14, 130},
              {"planes", "planes, including two of the border", 3, 65537, 34},
              {"steps", "launches", 1, 1000000, 1}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .prepare = prepare,
    .launch = launch,
};
