/*
 * Sparse matrix times vector, compressed rows: one thread per row (scalar) or one warp per row
 * (vector, the kernel of traces/spmv_vector-* without loop unrolling).
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_graph.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { BLOCK = 128 };

enum { BEGINS, COLUMNS, VALUES, X, Y, ROWS };

/* --- scalar ---------------------------------------------------------------------------------- */

enum { S_HEAD, S_ENTER, S_SETUP, S_LOOP, S_RECONVERGE, S_STORE, N_SCALAR };

static const char *const scalar_listing[N_SCALAR] = {
    [S_HEAD] = GEN_ENTER_1D("R0", "0x160"),
    [S_ENTER] = "MOV R3, 0x4;"
                "IMAD.WIDE R6, R0, R3, c[0x0][0x168];"
                "LDG.E.SYS R4, [R6];"
                "LDG.E.SYS R2, [R6+0x4];"
                "BMOV.32.CLEAR RZ, B0;"
                "BSSY B0;"
                "SHF.R.S32.HI R5, RZ, 0x1f, R0;"
                "MOV R20, RZ;"
                "ISETP.GE.AND P0, PT, R4, R2, PT;"
                "@P0 BRA;",
    [S_SETUP] = "IMAD.WIDE R14, R4, R3, c[0x0][0x170];"
                "IMAD.WIDE R12, R4, R3, c[0x0][0x178];",
    [S_LOOP] = "LDG.E.SYS R8, [R14];"
               "LDG.E.SYS R10, [R12];"
               "IMAD.WIDE R8, R8, R3, c[0x0][0x180];"
               "LDG.E.SYS R9, [R8];"
               "IADD3 R4, R4, 0x1, RZ;"
               "ISETP.GE.AND P1, PT, R4, R2, PT;"
               "IADD3 R14, P2, R14, 0x4, RZ;"
               "IADD3 R12, P3, R12, 0x4, RZ;"
               "IADD3.X R15, RZ, R15, RZ, P2, !PT;"
               "IADD3.X R13, RZ, R13, RZ, P3, !PT;"
               "FFMA R20, R9, R10, R20;"
               "@!P1 BRA;",
    [S_RECONVERGE] = "BSYNC B0;",
    [S_STORE] = "LEA R2, P0, R0, c[0x0][0x188], 0x2;"
                "LEA.HI.X R3, R0, c[0x0][0x18c], R5, 0x2, P0;"
                "STG.E.SYS [R2], R20;"
                "EXIT;",
};

/* Sets the addresses of entry number step of every row. */
static void set_entries(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint64_t step,
                        uint32_t active)
{
    const gen_launch_t *l = w->launch;
    uint64_t column[GEN_WARP], value[GEN_WARP], x[GEN_WARP];

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t edge = rows->edge[k] + step;

        column[k] = l->arg[COLUMNS] + 4 * edge;
        value[k] = l->arg[VALUES] + 4 * edge;
        x[k] = l->arg[X];
        if (active >> k & 1)
            x[k] += 4 * gen_graph_neighbour(l->data, first + k, edge);
    }
    gen_lanes(w, 14, column);
    gen_lanes(w, 12, value);
    gen_lanes(w, 8, x);
}

static void scalar_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w);
    uint32_t rows_here = gen_enter(w, S_HEAD, arg[ROWS]);
    gen_rows_t rows;

    gen_graph_rows(w->launch->data, first, &rows);
    uint32_t active = gen_rows_above(&rows, 0);

    w->pred[0] = ~active;
    gen_affine(w, 6, arg[BEGINS] + 4 * first, 4);
    gen_run(w, S_ENTER, rows_here);
    gen_run(w, S_RECONVERGE, rows_here & ~active);
    gen_run(w, S_SETUP, active);
    gen_rows_walk(w, first, &rows, active, set_entries, 1, S_LOOP, S_RECONVERGE);
    gen_affine(w, 2, arg[Y] + 4 * first, 4);
    gen_run(w, S_STORE, rows_here);
}

const gen_kernel_t gen_kernel_spmv = {"spmv_scalar", scalar_listing, N_SCALAR, 24, scalar_walk};

void gen_spmv_shape(gen_launch_t *l, const gen_spmv_t *m)
{
    gen_shape_1d(l, &gen_kernel_spmv, m->rows, BLOCK);
    l->arg[BEGINS] = m->begins;
    l->arg[COLUMNS] = m->columns;
    l->arg[VALUES] = m->values;
    l->arg[X] = m->x;
    l->arg[Y] = m->y;
    l->arg[ROWS] = m->rows;
}

/* --- vector ---------------------------------------------------------------------------------- */

enum { V_HEAD, V_ENTER, V_SETUP, V_LOOP, V_RECONVERGE, V_SUM, V_STORE, N_VECTOR };

static const char *const vector_listing[N_VECTOR] = {
    [V_HEAD] = GEN_ENTER "S2R R4, SR_CTAID.X;"
                         "S2R R3, SR_TID.X;"
                         "IMAD R4, R4, c[0x0][0x0], R3;"
                         "SHF.R.S32.HI R3, RZ, 0x1f, R4;"
                         "LEA.HI R0, R3, R4, RZ, 0x5;"
                         "SHF.R.S32.HI R0, RZ, 0x5, R0;"
                         "ISETP.GE.AND P0, PT, R0, c[0x0][0x160], PT;"
                         "@P0 EXIT;",
    [V_ENTER] = "MOV R3, 0x4;"
                "IMAD.WIDE R6, R0, R3, c[0x0][0x168];"
                "LDG.E.CONSTANT.SYS R9, [R6];"
                "LDG.E.CONSTANT.SYS R2, [R6+0x4];"
                "LOP3.LUT R4, R4, 0x1f, RZ, 0xc0, !PT;"
                "BMOV.32.CLEAR RZ, B0;"
                "BSSY B0;"
                "SHF.R.S32.HI R5, RZ, 0x1f, R0;"
                "MOV R21, RZ;"
                "IADD3 R11, R4, R9, RZ;"
                "ISETP.GE.AND P0, PT, R11, R2, PT;"
                "@P0 BRA;",
    [V_SETUP] = "IMAD.WIDE R14, R11, R3, c[0x0][0x170];"
                "IMAD.WIDE R12, R11, R3, c[0x0][0x178];",
    [V_LOOP] = "LDG.E.CONSTANT.SYS R8, [R14];"
               "LDG.E.CONSTANT.SYS R10, [R12];"
               "IMAD.WIDE R8, R8, R3, c[0x0][0x180];"
               "LDG.E.CONSTANT.SYS R8, [R8];"
               "IADD3 R11, R11, 0x20, RZ;"
               "ISETP.GE.AND P1, PT, R11, R2, PT;"
               "IADD3 R14, P2, R14, 0x80, RZ;"
               "IADD3 R12, P3, R12, 0x80, RZ;"
               "IADD3.X R15, RZ, R15, RZ, P2, !PT;"
               "IADD3.X R13, RZ, R13, RZ, P3, !PT;"
               "FFMA R21, R8, R10, R21;"
               "@!P1 BRA;",
    [V_RECONVERGE] = "BSYNC B0;",
    [V_SUM] = "SHFL.DOWN PT, R2, R21, 0x10, 0x1f;"
              "ISETP.NE.AND P0, PT, R4, RZ, PT;"
              "FADD R2, R2, R21;"
              "SHFL.DOWN PT, R3, R2, 0x8, 0x1f;"
              "FADD R3, R2, R3;"
              "SHFL.DOWN PT, R6, R3, 0x4, 0x1f;"
              "FADD R6, R3, R6;"
              "SHFL.DOWN PT, R7, R6, 0x2, 0x1f;"
              "FADD R7, R6, R7;"
              "SHFL.DOWN PT, R8, R7, 0x1, 0x1f;"
              "@P0 EXIT;",
    [V_STORE] = "LEA R2, P0, R0, c[0x0][0x188], 0x2;"
                "FADD R7, R7, R8;"
                "LEA.HI.X R3, R0, c[0x0][0x18c], R5, 0x2, P0;"
                "STG.E.SYS [R2], R7;"
                "EXIT;",
};

static void vector_row(gen_warp_t *w, uint64_t row, uint64_t edge, uint64_t end)
{
    const gen_launch_t *l = w->launch;
    uint32_t active = gen_below(edge, end);
    uint64_t x[GEN_WARP];

    gen_run(w, V_RECONVERGE, ~active);
    gen_run(w, V_SETUP, active);
    for (; active != 0; edge += GEN_WARP) {
        uint32_t next = gen_below(edge + GEN_WARP, end);

        for (unsigned k = 0; k < GEN_WARP; k++)
            x[k] = l->arg[X] + 4 * gen_graph_neighbour(l->data, row, edge + k);
        w->pred[1] = ~next;
        gen_affine(w, 14, l->arg[COLUMNS] + 4 * edge, 4);
        gen_affine(w, 12, l->arg[VALUES] + 4 * edge, 4);
        gen_lanes(w, 8, x);
        gen_run(w, V_LOOP, active);
        gen_run(w, V_RECONVERGE, active & ~next);
        active = next;
    }
}

static void vector_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t row = gen_first_global(w) / GEN_WARP;
    gen_rows_t rows;

    w->pred[0] = row < arg[ROWS] ? 0 : UINT32_MAX;
    gen_run(w, V_HEAD, w->lanes);
    if (row >= arg[ROWS])
        return;
    gen_graph_rows(w->launch->data, row / GEN_WARP * GEN_WARP, &rows);
    uint64_t edge = rows.edge[row % GEN_WARP], end = edge + rows.degree[row % GEN_WARP];

    w->pred[0] = ~gen_below(edge, end);
    gen_affine(w, 6, arg[BEGINS] + 4 * row, 0);
    gen_run(w, V_ENTER, w->lanes);
    vector_row(w, row, edge, end);
    w->pred[0] = ~1u;
    gen_run(w, V_SUM, w->lanes);
    gen_affine(w, 2, arg[Y] + 4 * row, 0);
    gen_run(w, V_STORE, 1);
}

static const gen_kernel_t vector_kernel = {"spmv_vector", vector_listing, N_VECTOR, 24,
                                           vector_walk};

/* --- the kind -------------------------------------------------------------------------------- */

enum { P_ROWS, P_DEGREE, P_SKEW, P_LOCAL, P_VECTOR };

static uint64_t rows_per_block(const uint64_t *value)
{
    return value[P_VECTOR] ? BLOCK / GEN_WARP : BLOCK;
}

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    return blocks * rows_per_block(value);
}

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
    g->array[Y] = gen_alloc(g, 4 * rows);
    g->array[BEGINS] = gen_input(g, 4 * (rows + 1));
    g->array[COLUMNS] = gen_input(g, 4 * graph->n_edges);
    g->array[VALUES] = gen_input(g, 4 * graph->n_edges);
    g->array[X] = gen_input(g, 4 * rows);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = g->value[P_VECTOR] ? &vector_kernel : &gen_kernel_spmv;
    l->grid[0] = gen_blocks(g->value[P_ROWS], rows_per_block(g->value));
    l->block[0] = BLOCK;
    for (unsigned i = BEGINS; i <= Y; i++)
        l->arg[i] = g->array[i];
    l->arg[ROWS] = g->value[P_ROWS];
}

const gen_kind_t gen_kind_spmv = {
    .name = "spmv",
    .summary = "sparse matrix times vector, random or power-law rows",
    .param = {{"size", "rows and columns", 1, 1 << 28, 1 << 16},
              {"degree", "mean number of entries per row", 1, 4096, 16},
              {"skew", "0: similar rows; else power law over this many doublings", 0, GEN_MAX_SKEW,
               0},
              {"local", "% of the entries near the diagonal", 0, 100, 0},
              {"vector", "1: one warp per row, 0: one thread per row", 0, 1, 0}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_spmv, &vector_kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
