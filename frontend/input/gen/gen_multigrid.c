/*
 * Multigrid: V-cycles over grids of which each has half the side of the one before. The same kernels
 * run on grids of all sizes, and on the smaller ones from the caches.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_kernels.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE_X = 32, TILE_Y = 8, MAX_LEVELS = 10, COARSEST = 4 };

/* --- from a grid to the next, and back --------------------------------------------------------- */

enum { HEAD, BODY, N_SEGMENTS };

/* A coarse cell is the mean of four fine ones. */
static const char *const restrict_listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_SQUARE("0x170"),
    [BODY] = "MOV R5, 0x4;"
             "IMAD.SHL.U32 R6, R0, 0x2, RZ;"
             "IMAD.SHL.U32 R7, R2, 0x2, RZ;"
             "IMAD R6, R7, c[0x0][0x174], R6;"
             "IADD3 R10, R6, c[0x0][0x174], RZ;"
             "IMAD.WIDE R8, R6, R5, c[0x0][0x160];"
             "IMAD.WIDE R10, R10, R5, c[0x0][0x160];"
             "LDG.E.64.SYS R12, [R8];"
             "LDG.E.64.SYS R14, [R10];"
             "IMAD R4, R2, c[0x0][0x178], R0;"
             "IMAD.WIDE R4, R4, R5, c[0x0][0x168];"
             "FADD R12, R12, R13;"
             "FADD R14, R14, R15;"
             "FADD R12, R12, R14;"
             "FMUL R12, R12, 0.25;"
             "STG.E.SYS [R4+0x4], R12;"
             "EXIT;",
};

/* A coarse cell is added to four fine ones. */
static const char *const prolong_listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_SQUARE("0x170"),
    [BODY] = "MOV R5, 0x4;"
             "IMAD.SHL.U32 R6, R0, 0x2, RZ;"
             "IMAD.SHL.U32 R7, R2, 0x2, RZ;"
             "IMAD R6, R7, c[0x0][0x174], R6;"
             "IADD3 R10, R6, c[0x0][0x174], RZ;"
             "IMAD.WIDE R8, R6, R5, c[0x0][0x160];"
             "IMAD.WIDE R10, R10, R5, c[0x0][0x160];"
             "IMAD R4, R2, c[0x0][0x178], R0;"
             "IMAD.WIDE R4, R4, R5, c[0x0][0x168];"
             "LDG.E.SYS R16, [R4+0x4];"
             "LDG.E.64.SYS R12, [R8];"
             "LDG.E.64.SYS R14, [R10];"
             "FADD R12, R12, R16;"
             "FADD R13, R13, R16;"
             "FADD R14, R14, R16;"
             "FADD R15, R15, R16;"
             "STG.E.64.SYS [R8], R12;"
             "STG.E.64.SYS [R10], R14;"
             "EXIT;",
};

/* Rows of fine grids begin at even cells, so that a pair is one access. */
enum { FINE, COARSE, SIDE, FINE_PITCH, COARSE_PITCH };

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t x = (uint64_t)w->id[0] * TILE_X, y = (uint64_t)w->id[1] * TILE_Y + w->warp;
    uint64_t row = arg[FINE] + 4 * ((2 * y + 1) * arg[FINE_PITCH] + 2 * x);
    uint32_t active = y < arg[SIDE] ? gen_below(x, arg[SIDE]) : 0;

    w->pred[0] = ~active;
    gen_run(w, HEAD, w->lanes);
    gen_affine(w, 8, row, 8);
    gen_affine(w, 10, row + 4 * arg[FINE_PITCH], 8);
    gen_affine(w, 4, arg[COARSE] + 4 * ((y + 1) * arg[COARSE_PITCH] + x), 4);
    gen_run(w, BODY, active);
}

static const gen_kernel_t restrict_kernel = {"restrict_grid", restrict_listing, N_SEGMENTS, 18,
                                             walk};
static const gen_kernel_t prolong_kernel = {"prolong_grid", prolong_listing, N_SEGMENTS, 20, walk};

/* --- the cycle --------------------------------------------------------------------------------- */

enum { P_SIDE, P_LEVELS, P_SMOOTHING, P_CYCLES };

/* Cells per side with the border; even. */
static uint64_t width_of(const gen_program_t *g, uint64_t level)
{
    return (g->value[P_SIDE] >> level) + 2;
}

/* Down: smooth, then to the next level; at the bottom smooth four times as long; up the same. */
static uint64_t per_cycle(const gen_program_t *g)
{
    uint64_t smoothing = g->value[P_SMOOTHING];

    return 2 * (g->value[P_LEVELS] - 1) * (smoothing + 1) + COARSEST * smoothing;
}

static uint64_t grid_of(const gen_program_t *g, uint64_t level, uint64_t which)
{
    uint64_t addr = g->array[0];

    for (uint64_t i = 0; i < level; i++)
        addr += 2 * 4 * width_of(g, i) * width_of(g, i);
    return addr + which * 4 * width_of(g, level) * width_of(g, level);
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t side = g->value[P_SIDE], levels = g->value[P_LEVELS];

    if (side % (UINT64_C(2) << (levels - 1)) != 0)
        return rb_fail(err, RB_USAGE, "multigrid: size = %llu is not a multiple of 2 ^ %llu levels",
                       (unsigned long long)side, (unsigned long long)levels);
    g->array[0] = g->top;
    (void)gen_input(g, grid_of(g, levels, 0) - g->array[0]);
    g->n_launches = per_cycle(g) * g->value[P_CYCLES];
    return RB_OK;
}

static void smooth(const gen_program_t *g, uint64_t level, uint64_t step, gen_launch_t *l)
{
    gen_stencil_shape(l, width_of(g, level), grid_of(g, level, step % 2),
                      grid_of(g, level, (step + 1) % 2));
}

static void transfer(const gen_program_t *g, const gen_kernel_t *kernel, uint64_t fine,
                     gen_launch_t *l)
{
    uint64_t side = width_of(g, fine + 1) - 2;

    l->kernel = kernel;
    l->grid[0] = gen_blocks(side, TILE_X);
    l->grid[1] = gen_blocks(side, TILE_Y);
    l->block[0] = TILE_X;
    l->block[1] = TILE_Y;
    l->arg[FINE] = grid_of(g, fine, 0);
    l->arg[COARSE] = grid_of(g, fine + 1, 0);
    l->arg[SIDE] = side;
    l->arg[FINE_PITCH] = width_of(g, fine);
    l->arg[COARSE_PITCH] = width_of(g, fine + 1);
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t at = (id - 1) % per_cycle(g), smoothing = g->value[P_SMOOTHING];
    uint64_t bottom = g->value[P_LEVELS] - 1, down = bottom * (smoothing + 1);
    uint64_t up = down + COARSEST * smoothing, level = at / (smoothing + 1);

    if (at < down && at % (smoothing + 1) < smoothing) {
        smooth(g, level, at % (smoothing + 1), l);
    } else if (at < down) {
        transfer(g, &restrict_kernel, level, l);
    } else if (at < up) {
        smooth(g, bottom, at - down, l);
    } else {
        at -= up;
        level = bottom - 1 - at / (smoothing + 1);
        if (at % (smoothing + 1) == 0)
            transfer(g, &prolong_kernel, level, l);
        else
            smooth(g, level, at % (smoothing + 1) - 1, l);
    }
}

const gen_kind_t gen_kind_multigrid = {
    .name = "multigrid",
    .summary = "multigrid solver: V-cycles over grids of all sizes",
    .param = {{"size", "cells per side, a multiple of 2 ^ levels", 4, 1 << 14, 512},
              {"levels", "grids", 2, MAX_LEVELS, 5},
              {"smoothing", "steps on each grid before and after", 1, 100, 2},
              {"cycles", "V-cycles", 1, 100000, 4}},
    .kernels =
        (const gen_kernel_t *const[]){&gen_kernel_stencil, &restrict_kernel, &prolong_kernel, NULL},
    .prepare = prepare,
    .launch = launch,
};
