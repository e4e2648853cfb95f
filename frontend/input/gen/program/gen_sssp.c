/*
 * Shortest paths by relaxation: in each launch, nodes whose distance has changed offer new
 * distances to their neighbours with atomic minima. Few nodes are active at the start and the end,
 * and the block of a node with many neighbours takes many times as long as the others.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_graph.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, EXTRA_ROUNDS = 3 };

enum { HEAD, TEST, NODE, EDGE, NEXT, END, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x188"),
    [TEST] = "IADD3 R2, P0, R0, c[0x0][0x160], RZ;"
             "SHF.R.S32.HI R5, RZ, 0x1f, R0;"
             "IADD3.X R3, R5, c[0x0][0x164], RZ, P0, !PT;"
             "LDG.E.U8.SYS R4, [R2];"
             "ISETP.NE.AND P0, PT, R4, RZ, PT;"
             "@!P0 EXIT;",
    [NODE] = "MOV R6, 0x4;"
             "STG.E.U8.SYS [R2], RZ;"
             "IMAD.WIDE R8, R0, R6, c[0x0][0x168];"
             "IMAD.WIDE R10, R0, R6, c[0x0][0x180];"
             "LDG.E.SYS R12, [R8];"
             "LDG.E.SYS R13, [R8+0x4];"
             "LDG.E.SYS R14, [R10];"
             "IMAD.WIDE R16, R12, R6, c[0x0][0x170];"
             "IMAD.WIDE R18, R12, R6, c[0x0][0x178];"
             "ISETP.GE.AND P0, PT, R12, R13, PT;"
             "@P0 EXIT;",
    [EDGE] = "LDG.E.SYS R20, [R16];"
             "LDG.E.SYS R21, [R18];"
             "IMAD.WIDE R22, R20, R6, c[0x0][0x180];"
             "LDG.E.SYS R24, [R22];"
             "IADD3 R21, R14, R21, RZ;"
             "ISETP.LT.AND P1, PT, R21, R24, PT;"
             "IADD3 R26, P2, R20, c[0x0][0x160], RZ;"
             "SHF.R.S32.HI R25, RZ, 0x1f, R20;"
             "IADD3.X R27, R25, c[0x0][0x164], RZ, P2, !PT;"
             "MOV R28, 0x1;"
             "@P1 RED.E.MIN.S32.STRONG.GPU [R22], R21;"
             "@P1 STG.E.U8.SYS [R26], R28;",
    [NEXT] = "IADD3 R12, R12, 0x1, RZ;"
             "IADD3 R16, P2, R16, 0x4, RZ;"
             "IADD3 R18, P3, R18, 0x4, RZ;"
             "ISETP.GE.AND P0, PT, R12, R13, PT;"
             "IADD3.X R17, RZ, R17, RZ, P2, !PT;"
             "IADD3.X R19, RZ, R19, RZ, P3, !PT;"
             "@!P0 BRA;",
    [END] = "EXIT;",
};

enum { CHANGED, BEGINS, EDGES, WEIGHTS, DISTANCE, NODES, ROUND };

/* A node is active when first reached, and later with decreasing probability. */
static bool is_active(const gen_launch_t *l, uint64_t node)
{
    const gen_graph_t *g = l->data;
    uint64_t level = g->level[node], round = l->arg[ROUND];

    if (level == GEN_UNREACHED || round < level || round > level + EXTRA_ROUNDS)
        return false;
    return gen_hash(l->seed, node, round) >> 62 == 0 || round == level;
}

static void relax(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint64_t step,
                  uint32_t active)
{
    const gen_launch_t *l = w->launch;
    const gen_graph_t *g = l->data;
    uint64_t edge[GEN_WARP], weight[GEN_WARP], distance[GEN_WARP], changed[GEN_WARP];
    uint32_t shorter = 0;

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t number = rows->edge[k] + step;
        uint64_t node = active >> k & 1 ? gen_graph_neighbour(g, first + k, number) : 0;

        edge[k] = l->arg[EDGES] + 4 * number;
        weight[k] = l->arg[WEIGHTS] + 4 * number;
        distance[k] = l->arg[DISTANCE] + 4 * node;
        changed[k] = l->arg[CHANGED] + node;
        shorter |= (uint32_t)(g->level[node] > l->arg[ROUND] ||
                              gen_hash(l->seed, number, l->arg[ROUND]) >> 60 == 0)
                   << k;
    }
    gen_lanes(w, 16, edge);
    gen_lanes(w, 18, weight);
    gen_lanes(w, 22, distance);
    gen_lanes(w, 26, changed);
    w->pred[1] = shorter;
    gen_run(w, EDGE, active);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w);
    uint32_t nodes = gen_enter(w, HEAD, arg[NODES]), active = 0;
    gen_rows_t rows;

    for (uint32_t rest = nodes; rest != 0; rest &= rest - 1)
        if (is_active(w->launch, first + (unsigned)__builtin_ctz(rest)))
            active |= rest & -rest;
    w->pred[0] = active;
    gen_affine(w, 2, arg[CHANGED] + first, 1);
    gen_run(w, TEST, nodes);
    if (active == 0)
        return;
    gen_graph_rows(w->launch->data, first, &rows);
    w->pred[0] = ~gen_rows_above(&rows, 0);
    gen_affine(w, 8, arg[BEGINS] + 4 * first, 4);
    gen_affine(w, 10, arg[DISTANCE] + 4 * first, 4);
    gen_run(w, NODE, active);
    active &= gen_rows_above(&rows, 0);
    gen_rows_walk(w, first, &rows, active, relax, 0, NEXT, END);
}

static const gen_kernel_t kernel = {"sssp_relax", listing, N_SEGMENTS, 32, walk};

enum { P_NODES, P_DEGREE, P_SKEW };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t nodes = g->value[P_NODES];
    gen_graph_t *graph;

    RB_TRY(gen_graph_create(&(gen_graph_spec_t){.rows = nodes,
                                                .degree = g->value[P_DEGREE],
                                                .skew = (unsigned)g->value[P_SKEW],
                                                .seed = g->seed},
                            true, &graph, err));
    g->data = graph;
    g->array[BEGINS] = gen_input(g, 4 * (nodes + 1));
    g->array[EDGES] = gen_input(g, 4 * graph->n_edges);
    g->array[WEIGHTS] = gen_input(g, 4 * graph->n_edges);
    g->array[DISTANCE] = gen_input(g, 4 * nodes);
    g->array[CHANGED] = gen_input(g, nodes);
    g->n_launches = graph->n_levels + EXTRA_ROUNDS;
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_shape_1d(l, &kernel, g->value[P_NODES], BLOCK);
    for (unsigned i = CHANGED; i <= DISTANCE; i++)
        l->arg[i] = g->array[i];
    l->arg[NODES] = g->value[P_NODES];
    l->arg[ROUND] = id - 1;
}

const gen_kind_t gen_kind_sssp = {
    .name = "sssp",
    .summary =
        "shortest paths by relaxation with atomics: varying number of active nodes, outlier blocks",
    .param = {{"size", "nodes", 1, 1 << 24, 1 << 16},
              {"degree", "mean number of neighbours", 1, 4096, 8},
              {"skew", "0: similar degrees; else power law over this many doublings", 0,
               GEN_MAX_SKEW, 14}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
