/*
 * Lattice-Boltzmann method, D3Q19: each cell pulls 19 distributions from its neighbours, relaxes
 * them and writes 19. Memory-bound; a few cells are obstacles and only copy.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 128, DIRECTIONS = 19 };

enum { HEAD, PULL, FLAG, RELAX_SUMS, RELAX, JOIN, PUSH, N_SEGMENTS };

/* Loads distribution d of the neighbour at offset o into register f; its address goes to a. */
#define PULL_ONE(f, a, o)                                                                          \
    "IADD3 R2, R0, " o ", RZ;"                                                                     \
    "IMAD.WIDE " a ", R2, R4, c[0x0][0x160];"                                                      \
    "LDG.E.SYS " f ", [" a "];"

#define RELAX_ONE(f, ux)                                                                           \
    "FFMA R31, " ux ", 3, R32;"                                                                    \
    "FFMA R33, R31, R31, -R34;"                                                                    \
    "FFMA R33, R33, 0.5, R31;"                                                                     \
    "FMUL R33, R33, R35;"                                                                          \
    "FFMA " f ", " f ", R36, R33;"

#define PUSH_ONE(f, a, o)                                                                          \
    "IADD3 R2, R0, " o ", RZ;"                                                                     \
    "IMAD.WIDE " a ", R2, R4, c[0x0][0x168];"                                                      \
    "STG.E.SYS [" a "], " f ";"

/* All directions in order: registers of the distributions and of their addresses. */
#define FOR_ALL(ONE)                                                                               \
    ONE("R10", "R40", "c[0x3][0x0]")                                                               \
    ONE("R11", "R42", "c[0x3][0x4]")                                                               \
    ONE("R12", "R44", "c[0x3][0x8]")                                                               \
    ONE("R13", "R46", "c[0x3][0xc]")                                                               \
    ONE("R14", "R48", "c[0x3][0x10]")                                                              \
    ONE("R15", "R50", "c[0x3][0x14]")                                                              \
    ONE("R16", "R52", "c[0x3][0x18]")                                                              \
    ONE("R17", "R54", "c[0x3][0x1c]")                                                              \
    ONE("R18", "R56", "c[0x3][0x20]")                                                              \
    ONE("R19", "R58", "c[0x3][0x24]")                                                              \
    ONE("R20", "R60", "c[0x3][0x28]")                                                              \
    ONE("R21", "R62", "c[0x3][0x2c]")                                                              \
    ONE("R22", "R64", "c[0x3][0x30]")                                                              \
    ONE("R23", "R66", "c[0x3][0x34]")                                                              \
    ONE("R24", "R68", "c[0x3][0x38]")                                                              \
    ONE("R25", "R70", "c[0x3][0x3c]")                                                              \
    ONE("R26", "R72", "c[0x3][0x40]")                                                              \
    ONE("R27", "R74", "c[0x3][0x44]")                                                              \
    ONE("R28", "R76", "c[0x3][0x48]")

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x178"),
    [PULL] = "MOV R4, 0x4;" FOR_ALL(PULL_ONE),
    [FLAG] = "IMAD.WIDE R6, R0, R4, c[0x0][0x170];"
             "LDG.E.SYS R5, [R6];"
             "BMOV.32.CLEAR RZ, B0;"
             "BSSY B0;"
             "LOP3.LUT P0, RZ, R5, 0x1, RZ, 0xc0, !PT;"
             "@P0 BRA;",
    [RELAX_SUMS] = "FADD R30, R10, R11;"
                   "FADD R31, R12, R13;"
                   "FADD R32, R14, R15;"
                   "FADD R33, R16, R17;"
                   "FADD R30, R30, R31;"
                   "FADD R32, R32, R33;"
                   "FADD R31, R18, R19;"
                   "FADD R33, R20, R21;"
                   "FADD R30, R30, R32;"
                   "FADD R31, R31, R33;"
                   "FADD R32, R22, R23;"
                   "FADD R33, R24, R25;"
                   "FADD R30, R30, R31;"
                   "FADD R32, R32, R33;"
                   "FADD R31, R26, R27;"
                   "FADD R30, R30, R32;"
                   "FADD R31, R31, R28;"
                   "FADD R30, R30, R31;"
                   "MUFU.RCP R29, R30;"
                   "FADD R37, R11, -R12;"
                   "FADD R38, R13, -R14;"
                   "FADD R39, R15, -R16;"
                   "FADD R37, R37, R17;"
                   "FADD R38, R38, R18;"
                   "FADD R39, R39, R19;"
                   "FADD R37, R37, -R20;"
                   "FADD R38, R38, -R21;"
                   "FADD R39, R39, -R22;"
                   "FMUL R37, R37, R29;"
                   "FMUL R38, R38, R29;"
                   "FMUL R39, R39, R29;"
                   "FMUL R34, R37, R37;"
                   "FFMA R34, R38, R38, R34;"
                   "FFMA R34, R39, R39, R34;"
                   "FMUL R35, R30, 0.027777778;"
                   "MOV R36, 0x3f000000;"
                   "MOV R32, 0x3f800000;",
    [RELAX] = RELAX_ONE("R10", "R32") RELAX_ONE("R11", "R37") RELAX_ONE("R12", "R37")
        RELAX_ONE("R13", "R38") RELAX_ONE("R14", "R38") RELAX_ONE("R15", "R39")
            RELAX_ONE("R16", "R39") RELAX_ONE("R17", "R37") RELAX_ONE("R18", "R38")
                RELAX_ONE("R19", "R39") RELAX_ONE("R20", "R37") RELAX_ONE("R21", "R38")
                    RELAX_ONE("R22", "R39") RELAX_ONE("R23", "R37") RELAX_ONE("R24", "R38")
                        RELAX_ONE("R25", "R39") RELAX_ONE("R26", "R37") RELAX_ONE("R27", "R38")
                            RELAX_ONE("R28", "R39"),
    [JOIN] = "BSYNC B0;",
    [PUSH] = FOR_ALL(PUSH_ONE) "EXIT;",
};

enum { IN, OUT, FLAGS, CELLS, SIDE, OBSTACLES };

/* Cells around a cell, in x, y, z. */
static const int8_t direction[DIRECTIONS][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

/* The distributions of one direction are contiguous, with a margin for the neighbours of cells at
 * the boundary. */
static uint64_t plane_bytes(uint64_t side)
{
    return 4 * (side * side * side + 2 * (side * side + side + 1));
}

static uint64_t place(const gen_launch_t *l, unsigned d, uint64_t cell, int sign)
{
    uint64_t side = l->arg[SIDE];
    int64_t step = direction[d][0] + direction[d][1] * (int64_t)side +
                   direction[d][2] * (int64_t)(side * side);

    return d * plane_bytes(side) + 4 * (cell + side * side + side + 1 + (uint64_t)(sign * step));
}

static void walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, HEAD, l->arg[CELLS]), fluid = 0;

    for (unsigned d = 0; d < DIRECTIONS; d++)
        gen_affine(w, 40 + 2 * d, l->arg[IN] + place(l, d, i, -1), 4);
    gen_run(w, PULL, active);
    for (unsigned k = 0; k < GEN_WARP; k++)
        fluid |= (uint32_t)(gen_reduce(gen_hash(l->seed, i + k, 0), 100) >= l->arg[OBSTACLES]) << k;
    w->pred[0] = ~fluid;
    gen_affine(w, 6, l->arg[FLAGS] + 4 * i, 4);
    gen_run(w, FLAG, active);
    gen_run_to(w, RELAX_SUMS, RELAX, active & fluid);
    gen_run(w, JOIN, active);
    for (unsigned d = 0; d < DIRECTIONS; d++)
        gen_affine(w, 40 + 2 * d, l->arg[OUT] + place(l, d, i, 0), 4);
    gen_run(w, PUSH, active);
}

static const gen_kernel_t kernel = {"lbm_stream_collide", listing, N_SEGMENTS, 80, walk};

enum { P_SIDE, P_STEPS, P_OBSTACLES };

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    uint64_t side = 2;

    (void)value;
    while ((side * side * side + BLOCK - 1) / BLOCK < blocks)
        side++;
    return side;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t side = g->value[P_SIDE], bytes = DIRECTIONS * plane_bytes(side);

    (void)err;
    g->array[IN] = gen_input(g, bytes);
    g->array[OUT] = gen_alloc(g, bytes);
    g->array[FLAGS] = gen_input(g, 4 * side * side * side);
    g->n_launches = g->value[P_STEPS];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t side = g->value[P_SIDE];

    gen_shape_1d(l, &kernel, side * side * side, BLOCK);
    l->arg[IN] = g->array[id % 2 ? IN : OUT];
    l->arg[OUT] = g->array[id % 2 ? OUT : IN];
    l->arg[FLAGS] = g->array[FLAGS];
    l->arg[CELLS] = side * side * side;
    l->arg[SIDE] = side;
    l->arg[OBSTACLES] = g->value[P_OBSTACLES];
}

const gen_kind_t gen_kind_lbm = {
    .name = "lbm",
    .summary = "lattice-Boltzmann method, 19 neighbours per cell, one launch per step",
    .param = {{"size", "cells per side of the cube", 2, 1200, 64},
              {"steps", "launches", 1, 1000000, 1},
              {"obstacles", "% of the cells", 0, 100, 5}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
