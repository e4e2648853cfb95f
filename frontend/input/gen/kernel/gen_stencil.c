/* Five-point stencil over a square grid (Jacobi iteration), one launch per step. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { TILE_X = 32, TILE_Y = 8 };

enum { HEAD, BODY, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_INDEX_2D "IADD3 R0, R0, 0x1, RZ;"
                          "IADD3 R2, R2, 0x1, RZ;"
                          "ISETP.GE.AND P0, PT, R0, c[0x0][0x174], PT;"
                          "ISETP.GE.OR P0, PT, R2, c[0x0][0x174], P0;"
                          "@P0 EXIT;",
    [BODY] = "IMAD R4, R2, c[0x0][0x170], R0;"
             "MOV R5, 0x4;"
             "IADD3 R6, R4, -c[0x0][0x170], RZ;"
             "IADD3 R8, R4, c[0x0][0x170], RZ;"
             "IMAD.WIDE R10, R4, R5, c[0x0][0x160];"
             "IMAD.WIDE R6, R6, R5, c[0x0][0x160];"
             "IMAD.WIDE R8, R8, R5, c[0x0][0x160];"
             "LDG.E.SYS R12, [R10];"
             "LDG.E.SYS R13, [R10+-0x4];"
             "LDG.E.SYS R14, [R10+0x4];"
             "LDG.E.SYS R15, [R6];"
             "LDG.E.SYS R16, [R8];"
             "IMAD.WIDE R4, R4, R5, c[0x0][0x168];"
             "FADD R13, R13, R14;"
             "FADD R15, R15, R16;"
             "FADD R13, R13, R15;"
             "FMUL R12, R12, 0.5;"
             "FFMA R12, R13, 0.125, R12;"
             "STG.E.SYS [R4], R12;"
             "EXIT;",
};

enum { IN, OUT, WIDTH };

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t width = arg[WIDTH], x = (uint64_t)w->id[0] * TILE_X + 1;
    uint64_t y = (uint64_t)w->id[1] * TILE_Y + w->warp + 1, at = 4 * (y * width + x);
    uint32_t active = y < width - 1 ? gen_below(x, width - 1) : 0;

    w->pred[0] = ~active;
    gen_run(w, HEAD, w->lanes);
    gen_affine(w, 10, arg[IN] + at, 4);
    gen_affine(w, 6, arg[IN] + at - 4 * width, 4);
    gen_affine(w, 8, arg[IN] + at + 4 * width, 4);
    gen_affine(w, 4, arg[OUT] + at, 4);
    gen_run(w, BODY, active);
}

const gen_kernel_t gen_kernel_stencil = {"stencil5", listing, N_SEGMENTS, 20, walk};

void gen_stencil_shape(gen_launch_t *l, uint64_t width, uint64_t in, uint64_t out)
{
    l->kernel = &gen_kernel_stencil;
    l->grid[0] = gen_blocks(width - 2, TILE_X);
    l->grid[1] = gen_blocks(width - 2, TILE_Y);
    l->block[0] = TILE_X;
    l->block[1] = TILE_Y;
    l->arg[IN] = in;
    l->arg[OUT] = out;
    l->arg[WIDTH] = width;
}

/* The border of one cell on each side is not computed. */
static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    uint64_t side = TILE_Y;

    (void)value;
    while ((side + TILE_X - 1) / TILE_X * (side / TILE_Y) < blocks)
        side += TILE_Y;
    return side + 2;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t bytes = 4 * g->value[0] * g->value[0];

    (void)err;
    g->array[IN] = gen_input(g, bytes);
    g->array[OUT] = gen_input(g, bytes);
    g->n_launches = g->value[1];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_stencil_shape(l, g->value[0], g->array[(id + 1) % 2], g->array[id % 2]);
}

const gen_kind_t gen_kind_stencil = {
    .name = "stencil",
    .summary = "five-point stencil over a square, one launch per step",
    .param = {{"size", "cells per side, including the border", 3, 1 << 17, 1026},
              {"steps", "launches", 1, 1000000, 1}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_stencil, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
