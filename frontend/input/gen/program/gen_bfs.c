/*
 * Breadth-first search as in Rodinia: per level, one launch in which the nodes of the frontier
 * visit their neighbours, and one that builds the next frontier.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_graph.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256 };

enum { GRAPH, FRONTIER, UPDATING, VISITED, EDGES, COST, OVER, NODES, LEVEL };

/* --- the frontier visits its neighbours ------------------------------------------------------- */

enum { E_HEAD, E_TEST, E_NODE, E_EDGE, E_VISIT, E_NEXT, E_END, N_EXPAND };

static const char *const expand_listing[N_EXPAND] = {
    [E_HEAD] = GEN_ENTER_1D("R0", "0x190"),
    [E_TEST] = "IADD3 R2, P0, R0, c[0x0][0x168], RZ;"
               "SHF.R.S32.HI R5, RZ, 0x1f, R0;"
               "IADD3.X R3, R5, c[0x0][0x16c], RZ, P0, !PT;"
               "LDG.E.U8.SYS R4, [R2];"
               "ISETP.NE.AND P0, PT, R4, RZ, PT;"
               "@!P0 EXIT;",
    [E_NODE] = "MOV R7, 0x8;"
               "STG.E.U8.SYS [R2], RZ;"
               "IMAD.WIDE R8, R0, R7, c[0x0][0x160];"
               "LDG.E.64.SYS R8, [R8];"
               "MOV R7, 0x4;"
               "IADD3 R9, R8, R9, RZ;"
               "ISETP.GE.AND P0, PT, R8, R9, PT;"
               "IMAD.WIDE R10, R0, R7, c[0x0][0x188];"
               "IMAD.WIDE R12, R8, R7, c[0x0][0x180];"
               "@P0 EXIT;",
    [E_EDGE] = "LDG.E.SYS R14, [R12];"
               "BMOV.32.CLEAR RZ, B0;"
               "BSSY B0;"
               "IADD3 R16, P1, R14, c[0x0][0x178], RZ;"
               "SHF.R.S32.HI R15, RZ, 0x1f, R14;"
               "IADD3.X R17, R15, c[0x0][0x17c], RZ, P1, !PT;"
               "LDG.E.U8.SYS R16, [R16];"
               "ISETP.NE.AND P2, PT, R16, RZ, PT;"
               "@P2 BRA;",
    [E_VISIT] = "LDG.E.SYS R18, [R10];"
                "IMAD.WIDE R20, R14, R7, c[0x0][0x188];"
                "IADD3 R22, P1, R14, c[0x0][0x170], RZ;"
                "IADD3.X R23, R15, c[0x0][0x174], RZ, P1, !PT;"
                "IADD3 R18, R18, 0x1, RZ;"
                "MOV R19, 0x1;"
                "STG.E.SYS [R20], R18;"
                "STG.E.U8.SYS [R22], R19;",
    [E_NEXT] = "BSYNC B0;"
               "IADD3 R8, R8, 0x1, RZ;"
               "IADD3 R12, P3, R12, 0x4, RZ;"
               "ISETP.GE.AND P0, PT, R8, R9, PT;"
               "IADD3.X R13, RZ, R13, RZ, P3, !PT;"
               "@!P0 BRA;",
    [E_END] = "EXIT;",
};

/* Lanes whose node belongs to that level. */
static uint32_t at_level(const gen_launch_t *l, uint64_t first, uint64_t level)
{
    const gen_graph_t *g = l->data;
    uint32_t mask = 0;

    for (unsigned k = 0; k < GEN_WARP && first + k < l->arg[NODES]; k++)
        mask |= (uint32_t)(g->level[first + k] == level) << k;
    return mask;
}

/* Visits one edge of every active node. */
static void visit_edges(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint64_t step,
                        uint32_t active)
{
    const gen_launch_t *l = w->launch;
    const gen_graph_t *g = l->data;
    uint64_t edge[GEN_WARP], visited[GEN_WARP], cost[GEN_WARP], updating[GEN_WARP];
    uint32_t unseen = 0;

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t number = rows->edge[k] + step;
        uint64_t node = active >> k & 1 ? gen_graph_neighbour(g, first + k, number) : 0;

        edge[k] = l->arg[EDGES] + 4 * number;
        visited[k] = l->arg[VISITED] + node;
        cost[k] = l->arg[COST] + 4 * node;
        updating[k] = l->arg[UPDATING] + node;
        unseen |= (uint32_t)(g->level[node] > l->arg[LEVEL]) << k;
    }
    gen_lanes(w, 12, edge);
    gen_lanes(w, 16, visited);
    gen_lanes(w, 20, cost);
    gen_lanes(w, 22, updating);
    w->pred[2] = ~unseen;
    gen_run(w, E_EDGE, active);
    gen_run(w, E_VISIT, active & unseen);
}

static void expand_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w);
    uint32_t nodes = gen_enter(w, E_HEAD, arg[NODES]);
    uint32_t active = nodes & at_level(w->launch, first, arg[LEVEL]);
    gen_rows_t rows;

    w->pred[0] = active;
    gen_affine(w, 2, arg[FRONTIER] + first, 1);
    gen_run(w, E_TEST, nodes);
    if (active == 0)
        return;
    gen_graph_rows(w->launch->data, first, &rows);
    w->pred[0] = ~gen_rows_above(&rows, 0);
    gen_affine(w, 8, arg[GRAPH] + 8 * first, 8);
    gen_affine(w, 10, arg[COST] + 4 * first, 4);
    gen_run(w, E_NODE, active);
    active &= gen_rows_above(&rows, 0);
    gen_rows_walk(w, first, &rows, active, visit_edges, 0, E_NEXT, E_END);
}

static const gen_kernel_t expand_kernel = {"_Z6KernelP4NodePiPbS2_S2_S1_i", expand_listing,
                                           N_EXPAND, 26, expand_walk};

/* --- the visited become the frontier ---------------------------------------------------------- */

enum { A_HEAD, A_TEST, A_UPDATE, N_ADVANCE };

static const char *const advance_listing[N_ADVANCE] = {
    [A_HEAD] = GEN_ENTER_1D("R0", "0x180"),
    [A_TEST] = "IADD3 R2, P0, R0, c[0x0][0x168], RZ;"
               "SHF.R.S32.HI R5, RZ, 0x1f, R0;"
               "IADD3.X R3, R5, c[0x0][0x16c], RZ, P0, !PT;"
               "LDG.E.U8.SYS R4, [R2];"
               "ISETP.NE.AND P0, PT, R4, RZ, PT;"
               "@!P0 EXIT;",
    [A_UPDATE] = "IADD3 R6, P0, R0.reuse, c[0x0][0x160], RZ;"
                 "IADD3 R8, P1, R0, c[0x0][0x170], RZ;"
                 "MOV R12, 0x1;"
                 "IADD3.X R7, R5.reuse, c[0x0][0x164], RZ, P0, !PT;"
                 "IADD3.X R9, R5, c[0x0][0x174], RZ, P1, !PT;"
                 "MOV R10, c[0x0][0x178];"
                 "MOV R11, c[0x0][0x17c];"
                 "STG.E.U8.SYS [R6], R12;"
                 "STG.E.U8.SYS [R8], R12;"
                 "STG.E.U8.SYS [R10], R12;"
                 "STG.E.U8.SYS [R2], RZ;"
                 "EXIT;",
};

static void advance_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w);
    uint32_t nodes = gen_enter(w, A_HEAD, arg[NODES]);
    uint32_t active = nodes & at_level(w->launch, first, arg[LEVEL] + 1);

    w->pred[0] = active;
    gen_affine(w, 2, arg[UPDATING] + first, 1);
    gen_run(w, A_TEST, nodes);
    gen_affine(w, 6, arg[FRONTIER] + first, 1);
    gen_affine(w, 8, arg[VISITED] + first, 1);
    gen_affine(w, 10, arg[OVER], 0);
    gen_run(w, A_UPDATE, active);
}

static const gen_kernel_t advance_kernel = {"_Z7Kernel2PbS_S_S_i", advance_listing, N_ADVANCE, 14,
                                            advance_walk};

/* --- the kind -------------------------------------------------------------------------------- */

enum { P_NODES, P_DEGREE, P_SKEW, P_LOCAL };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t nodes = g->value[P_NODES];
    gen_graph_t *graph;

    RB_TRY(gen_graph_create(&(gen_graph_spec_t){.rows = nodes,
                                                .degree = g->value[P_DEGREE],
                                                .skew = (unsigned)g->value[P_SKEW],
                                                .local = (unsigned)g->value[P_LOCAL],
                                                .seed = g->seed},
                            true, &graph, err));
    g->data = graph;
    g->array[GRAPH] = gen_input(g, 8 * nodes);
    g->array[EDGES] = gen_input(g, 4 * graph->n_edges);
    g->array[FRONTIER] = gen_input(g, nodes);
    g->array[UPDATING] = gen_input(g, nodes);
    g->array[VISITED] = gen_input(g, nodes);
    g->array[COST] = gen_input(g, 4 * nodes);
    g->array[OVER] = gen_alloc(g, 1);
    g->n_launches = 2 * (uint64_t)graph->n_levels;
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_shape_1d(l, id % 2 ? &expand_kernel : &advance_kernel, g->value[P_NODES], BLOCK);
    for (unsigned i = GRAPH; i <= OVER; i++)
        l->arg[i] = g->array[i];
    l->arg[NODES] = g->value[P_NODES];
    l->arg[LEVEL] = (id - 1) / 2;
}

const gen_kind_t gen_kind_bfs = {
    .name = "bfs",
    .summary = "breadth-first search of a random graph, two launches per level",
    .param = {{"size", "nodes", 1, 1 << 24, 1 << 16},
              {"degree", "mean number of neighbours", 1, 4096, 8},
              {"skew", "0: similar degrees; else power law over this many doublings", 0,
               GEN_MAX_SKEW, 6},
              {"local", "% of the neighbours near the node", 0, 100, 0}},
    .kernels = (const gen_kernel_t *const[]){&expand_kernel, &advance_kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
