/*
 * Conjugate gradients with a random sparse matrix: eight launches per iteration, of which the two
 * that only add up the sums of blocks are far shorter than the product of matrix and vector.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_graph.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { BLOCK = 256 };

/* --- y = y + alpha * x, alpha in memory -------------------------------------------------------- */

enum { A_HEAD, A_BODY, N_AXPY };

static const char *const axpy_listing[N_AXPY] = {
    [A_HEAD] = GEN_ENTER_1D("R4", "0x178"),
    [A_BODY] = "MOV R5, 0x4;"
               "MOV R8, c[0x0][0x170];"
               "MOV R9, c[0x0][0x174];"
               "IMAD.WIDE R2, R4, R5, c[0x0][0x160];"
               "IMAD.WIDE R4, R4, R5, c[0x0][0x168];"
               "LDG.E.SYS R8, [R8];"
               "LDG.E.SYS R2, [R2];"
               "LDG.E.SYS R7, [R4];"
               "FFMA R7, R2, R8, R7;"
               "STG.E.SYS [R4], R7;"
               "EXIT;",
};

enum { FROM, TO, FACTOR, ELEMENTS };

static void axpy_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, A_HEAD, arg[ELEMENTS]);

    gen_affine(w, 8, arg[FACTOR], 0);
    gen_affine(w, 2, arg[FROM] + 4 * i, 4);
    gen_affine(w, 4, arg[TO] + 4 * i, 4);
    gen_run(w, A_BODY, active);
}

static const gen_kernel_t axpy_kernel = {"axpy", axpy_listing, N_AXPY, 12, axpy_walk};

/* --- sum of x[i] * y[i] over a block ----------------------------------------------------------- */

enum { D_HEAD, D_LOAD, D_FOLD, D_LAST, D_STORE, N_DOT };

static const char *const dot_listing[N_DOT] = {
    [D_HEAD] = GEN_ENTER "S2R R0, SR_CTAID.X;"
                         "S2R R3, SR_TID.X;"
                         "IMAD R4, R0, c[0x0][0x0], R3;"
                         "MOV R10, RZ;"
                         "MOV R5, 0x4;"
                         "ISETP.GE.AND P0, PT, R4, c[0x0][0x178], PT;",
    [D_LOAD] = "@!P0 IMAD.WIDE R6, R4, R5, c[0x0][0x160];"
               "@!P0 IMAD.WIDE R8, R4, R5, c[0x0][0x168];"
               "@!P0 LDG.E.SYS R6, [R6];"
               "@!P0 LDG.E.SYS R8, [R8];"
               "@!P0 FMUL R10, R6, R8;",
    [D_FOLD] = "SHFL.DOWN PT, R2, R10, 0x10, 0x1f;"
               "SHF.R.U32.HI R4, RZ, 0x5, R3;"
               "LOP3.LUT R11, R3, 0x1f, RZ, 0xc0, !PT;"
               "FADD R10, R2, R10;"
               "SHFL.DOWN PT, R2, R10, 0x8, 0x1f;"
               "IMAD.SHL.U32 R4, R4, 0x4, RZ;"
               "FADD R10, R2, R10;"
               "SHFL.DOWN PT, R2, R10, 0x4, 0x1f;"
               "ISETP.NE.AND P1, PT, R11, RZ, PT;"
               "FADD R10, R2, R10;"
               "SHFL.DOWN PT, R2, R10, 0x2, 0x1f;"
               "FADD R10, R2, R10;"
               "SHFL.DOWN PT, R2, R10, 0x1, 0x1f;"
               "FADD R10, R2, R10;"
               "@!P1 STS [R4], R10;"
               "70: NOP;"
               "BAR.SYNC 0x0;"
               "ISETP.GT.AND P2, PT, R3, 0x7, PT;"
               "@P2 EXIT;",
    [D_LAST] = "IMAD.SHL.U32 R4, R3, 0x4, RZ;"
               "LDS.U R10, [R4];"
               "SHFL.DOWN PT, R2, R10, 0x4, 0x1f;"
               "FADD R10, R2, R10;"
               "SHFL.DOWN PT, R2, R10, 0x2, 0x1f;"
               "FADD R10, R2, R10;"
               "SHFL.DOWN PT, R2, R10, 0x1, 0x1f;"
               "FADD R10, R2, R10;"
               "ISETP.NE.AND P1, PT, R3, RZ, PT;"
               "@P1 EXIT;",
    [D_STORE] = "IMAD.WIDE R6, R0, R5, c[0x0][0x170];"
                "STG.E.SYS [R6], R10;"
                "EXIT;",
};

enum { LEFT, RIGHT, SUMS };

static void dot_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);

    w->pred[0] = ~gen_below(i, arg[ELEMENTS]);
    gen_affine(w, 6, arg[LEFT] + 4 * i, 4);
    gen_affine(w, 8, arg[RIGHT] + 4 * i, 4);
    gen_run_to(w, D_HEAD, D_LOAD, w->lanes);
    gen_affine(w, 4, GEN_SHARED_WINDOW + 4 * (uint64_t)w->warp, 0);
    w->pred[1] = ~1u;
    w->pred[2] = w->warp == 0 ? ~gen_first_lanes(BLOCK / GEN_WARP) : UINT32_MAX;
    gen_run(w, D_FOLD, w->lanes);
    gen_affine(w, 4, GEN_SHARED_WINDOW, 4);
    gen_run(w, D_LAST, ~w->pred[2]);
    gen_affine(w, 6, arg[SUMS] + 4 * w->block, 0);
    gen_run(w, D_STORE, w->warp == 0 ? 1 : 0);
}

static const gen_kernel_t dot_kernel = {"dot", dot_listing, N_DOT, 14, dot_walk};

/* --- the iteration ----------------------------------------------------------------------------- */

enum { P_ROWS, P_DEGREE, P_SKEW, P_LOCAL, P_ITERATIONS };

enum { BEGINS, COLUMNS, VALUES, X, R, P, AP, PARTIAL, SUM };

enum { PER_ITERATION = 8 };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t rows = g->value[P_ROWS];
    gen_graph_t *graph;

    RB_TRY(gen_graph_create(&(gen_graph_spec_t){.rows = rows,
                                                .degree = g->value[P_DEGREE],
                                                .skew = (unsigned)g->value[P_SKEW],
                                                .local = (unsigned)g->value[P_LOCAL],
                                                .seed = g->seed},
                            false, &graph, err));
    g->data = graph;
    g->array[BEGINS] = gen_input(g, 4 * (rows + 1));
    g->array[COLUMNS] = gen_input(g, 4 * graph->n_edges);
    g->array[VALUES] = gen_input(g, 4 * graph->n_edges);
    for (unsigned i = X; i <= AP; i++)
        g->array[i] = gen_input(g, 4 * rows);
    g->array[PARTIAL] = gen_alloc(g, 4 * (uint64_t)gen_blocks(rows, BLOCK));
    g->array[SUM] = gen_alloc(g, 4 * (uint64_t)gen_blocks(rows, BLOCK));
    g->n_launches = PER_ITERATION * g->value[P_ITERATIONS];
    return RB_OK;
}

static void vectors(const gen_program_t *g, const gen_kernel_t *kernel, unsigned first,
                    unsigned second, unsigned third, gen_launch_t *l)
{
    gen_shape_1d(l, kernel, g->value[P_ROWS], BLOCK);
    l->arg[0] = g->array[first];
    l->arg[1] = g->array[second];
    l->arg[2] = g->array[third];
    l->arg[ELEMENTS] = g->value[P_ROWS];
    l->shared = kernel == &dot_kernel ? 4 * BLOCK / GEN_WARP : 0;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    const uint64_t *a = g->array;
    uint64_t rows = g->value[P_ROWS];

    switch ((id - 1) % PER_ITERATION) {
    case 0:
        gen_spmv_shape(l, &(gen_spmv_t){a[BEGINS], a[COLUMNS], a[VALUES], a[P], a[AP], rows});
        break;
    case 1:
        vectors(g, &dot_kernel, P, AP, PARTIAL, l);
        break;
    case 3:
        vectors(g, &axpy_kernel, P, X, SUM, l);
        break;
    case 4:
        vectors(g, &axpy_kernel, AP, R, SUM, l);
        break;
    case 5:
        vectors(g, &dot_kernel, R, R, PARTIAL, l);
        break;
    case 7:
        vectors(g, &axpy_kernel, R, P, SUM, l);
        break;
    default:
        gen_reduce_shape(l, gen_blocks(rows, BLOCK), a[PARTIAL], a[SUM]);
        break;
    }
}

const gen_kind_t gen_kind_solver = {
    .name = "solver",
    .summary = "conjugate gradients with a sparse matrix: eight launches per iteration",
    .param = {{"size", "rows and columns", 1, 1 << 28, 1 << 15},
              {"degree", "mean number of entries per row", 1, 4096, 8},
              {"skew", "0: similar rows; else power law over this many doublings", 0, GEN_MAX_SKEW,
               0},
              {"local", "% of the entries near the diagonal", 0, 100, 80},
              {"iterations", "iterations", 1, 1000000, 10}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_spmv, &dot_kernel, &axpy_kernel,
                                             &gen_kernel_reduce, NULL},
    .per_block = 128, /* of the product */
    .prepare = prepare,
    .launch = launch,
};
