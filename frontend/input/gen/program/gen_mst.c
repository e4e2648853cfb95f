/*
 * Minimum spanning tree by Boruvka's method: each round finds the lightest edge that leaves a
 * component, then joins components and halves their number. In later rounds, more and more edges
 * are internal; nodes with many neighbours cause outlier blocks in all rounds.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_graph.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256 };

enum { BEGINS, EDGES, WEIGHTS, COMPONENT, LIGHTEST, NODES, ROUND };

/* Component of a node after this many rounds; pairs of components are joined in each round. */
static uint64_t component(const gen_launch_t *l, uint64_t node, uint64_t round)
{
    uint64_t n = l->arg[NODES] >> round;

    return gen_reduce(gen_mix(node ^ l->seed), n > 0 ? n : 1);
}

/* --- the lightest edge of each component ------------------------------------------------------ */

enum { F_HEAD, F_ENTER, F_EDGE, F_LEAVING, F_NEXT, F_RECONVERGE, F_TEST, F_OFFER, N_FIND };

static const char *const find_listing[N_FIND] = {
    [F_HEAD] = GEN_ENTER_1D("R0", "0x188"),
    [F_ENTER] = "MOV R2, 0x4;"
                "IMAD.WIDE R4, R0, R2, c[0x0][0x160];"
                "IMAD.WIDE R6, R0, R2, c[0x0][0x178];"
                "LDG.E.SYS R8, [R4];"
                "LDG.E.SYS R9, [R4+0x4];"
                "LDG.E.SYS R10, [R6];"
                "BMOV.32.CLEAR RZ, B0;"
                "BSSY B0;"
                "MOV R11, 0x7fffffff;"
                "IMAD.WIDE R12, R8, R2, c[0x0][0x168];"
                "IMAD.WIDE R14, R8, R2, c[0x0][0x170];"
                "ISETP.GE.AND P0, PT, R8, R9, PT;"
                "@P0 BRA;",
    [F_EDGE] = "LDG.E.SYS R16, [R12];"
               "IMAD.WIDE R18, R16, R2, c[0x0][0x178];"
               "LDG.E.SYS R18, [R18];"
               "BMOV.32.CLEAR RZ, B1;"
               "BSSY B1;"
               "ISETP.EQ.AND P1, PT, R18, R10, PT;"
               "@P1 BRA;",
    [F_LEAVING] = "LDG.E.SYS R20, [R14];"
                  "ISETP.LT.AND P2, PT, R20, R11, PT;"
                  "SEL R11, R20, R11, P2;"
                  "SEL R21, R8, R21, P2;",
    [F_NEXT] = "BSYNC B1;"
               "IADD3 R8, R8, 0x1, RZ;"
               "IADD3 R12, P2, R12, 0x4, RZ;"
               "IADD3 R14, P3, R14, 0x4, RZ;"
               "ISETP.GE.AND P0, PT, R8, R9, PT;"
               "IADD3.X R13, RZ, R13, RZ, P2, !PT;"
               "IADD3.X R15, RZ, R15, RZ, P3, !PT;"
               "@!P0 BRA;",
    [F_RECONVERGE] = "BSYNC B0;",
    [F_TEST] = "ISETP.EQ.AND P0, PT, R11, 0x7fffffff, PT;"
               "@P0 EXIT;",
    [F_OFFER] = "MOV R2, 0x8;"
                "IMAD.WIDE R22, R10, R2, c[0x0][0x180];"
                "ATOMG.E.MIN.64.STRONG.GPU PT, R24, [R22], R20;"
                "EXIT;",
};

/* Visits one edge of every active node; returns the lanes whose edge leaves the component. */
static uint32_t look_at_edges(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint64_t step,
                              uint32_t active)
{
    const gen_launch_t *l = w->launch;
    uint64_t edge[GEN_WARP], weight[GEN_WARP], other[GEN_WARP];
    uint32_t leaving = 0;

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t number = rows->edge[k] + step;
        uint64_t node =
            active >> k & 1 ? gen_graph_neighbour(l->data, first + k, number) : first + k;

        edge[k] = l->arg[EDGES] + 4 * number;
        weight[k] = l->arg[WEIGHTS] + 4 * number;
        other[k] = l->arg[COMPONENT] + 4 * node;
        leaving |=
            (uint32_t)(component(l, node, l->arg[ROUND]) != component(l, first + k, l->arg[ROUND]))
            << k;
    }
    gen_lanes(w, 12, edge);
    gen_lanes(w, 14, weight);
    gen_lanes(w, 18, other);
    w->pred[1] = ~leaving;
    gen_run(w, F_EDGE, active);
    gen_run(w, F_LEAVING, active & leaving);
    return active & leaving;
}

static void find_walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    uint64_t first = gen_first_global(w), lightest[GEN_WARP];
    uint32_t nodes = gen_enter(w, F_HEAD, l->arg[NODES]), found = 0;
    gen_rows_t rows;

    gen_graph_rows(l->data, first, &rows);
    uint32_t active = nodes & gen_rows_above(&rows, 0);

    w->pred[0] = ~active;
    gen_affine(w, 4, l->arg[BEGINS] + 4 * first, 4);
    gen_affine(w, 6, l->arg[COMPONENT] + 4 * first, 4);
    gen_run(w, F_ENTER, nodes);
    gen_run(w, F_RECONVERGE, nodes & ~active);
    for (uint64_t step = 0; active != 0; step++) {
        uint32_t next = active & gen_rows_above(&rows, step + 1);

        found |= look_at_edges(w, first, &rows, step, active);
        w->pred[0] = ~next;
        gen_run(w, F_NEXT, active);
        gen_run(w, F_RECONVERGE, active & ~next);
        active = next;
    }
    for (unsigned k = 0; k < GEN_WARP; k++)
        lightest[k] = l->arg[LIGHTEST] + 8 * component(l, first + k, l->arg[ROUND]);
    w->pred[0] = ~found;
    gen_run(w, F_TEST, nodes);
    gen_lanes(w, 22, lightest);
    gen_run(w, F_OFFER, nodes & found);
}

static const gen_kernel_t find_kernel = {"mst_find_lightest", find_listing, N_FIND, 28, find_walk};

/* --- every node follows its component to the new root ------------------------------------------
 */

enum { J_HEAD, J_ENTER, J_FOLLOW, J_RECONVERGE, J_STORE, N_JOIN };

static const char *const join_listing[N_JOIN] = {
    [J_HEAD] = GEN_ENTER_1D("R0", "0x188"),
    [J_ENTER] = "MOV R2, 0x4;"
                "IMAD.WIDE R4, R0, R2, c[0x0][0x178];"
                "LDG.E.SYS R6, [R4];"
                "BMOV.32.CLEAR RZ, B0;"
                "BSSY B0;",
    [J_FOLLOW] = "IMAD.WIDE R8, R6, R2, c[0x0][0x180];"
                 "LDG.E.SYS R10, [R8];"
                 "ISETP.EQ.AND P0, PT, R10, R6, PT;"
                 "MOV R6, R10;"
                 "@!P0 BRA;",
    [J_RECONVERGE] = "BSYNC B0;",
    [J_STORE] = ("STG.E.SYS [R4], R6;"
                 "EXIT;"),
};

/* Steps to the root: one if the component does not change, plus one per link of a chain. */
static uint64_t chain_length(const gen_launch_t *l, uint64_t node)
{
    uint64_t word = gen_hash(l->seed, component(l, node, l->arg[ROUND]), l->arg[ROUND]);

    return 1 + (uint64_t)__builtin_clzll(word | 0xff);
}

static void join_walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    uint64_t first = gen_first_global(w), length[GEN_WARP], root[GEN_WARP];
    uint32_t nodes = gen_enter(w, J_HEAD, l->arg[NODES]), active = nodes;

    for (unsigned k = 0; k < GEN_WARP; k++)
        length[k] = chain_length(l, first + k);
    gen_affine(w, 4, l->arg[COMPONENT] + 4 * first, 4);
    gen_run(w, J_ENTER, nodes);
    for (uint64_t step = 1; active != 0; step++) {
        uint32_t next = 0;

        for (unsigned k = 0; k < GEN_WARP; k++) {
            uint64_t hop = component(l, gen_hash(first + k, step, 0), l->arg[ROUND]);

            next |= (active >> k & (uint32_t)(length[k] > step)) << k;
            root[k] = l->arg[LIGHTEST] + 4 * hop;
        }
        gen_lanes(w, 8, root);
        w->pred[0] = ~next;
        gen_run(w, J_FOLLOW, active);
        gen_run(w, J_RECONVERGE, active & ~next);
        active = next;
    }
    gen_run(w, J_STORE, nodes);
}

static const gen_kernel_t join_kernel = {"mst_join", join_listing, N_JOIN, 12, join_walk};

/* --- the kind -------------------------------------------------------------------------------- */

enum { P_NODES, P_DEGREE, P_SKEW };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t nodes = g->value[P_NODES], rounds = 1;
    gen_graph_t *graph;

    RB_TRY(gen_graph_create(&(gen_graph_spec_t){.rows = nodes,
                                                .degree = g->value[P_DEGREE],
                                                .skew = (unsigned)g->value[P_SKEW],
                                                .seed = g->seed},
                            false, &graph, err));
    g->data = graph;
    g->array[BEGINS] = gen_input(g, 4 * (nodes + 1));
    g->array[EDGES] = gen_input(g, 4 * graph->n_edges);
    g->array[WEIGHTS] = gen_input(g, 4 * graph->n_edges);
    g->array[COMPONENT] = gen_alloc(g, 4 * nodes);
    g->array[LIGHTEST] = gen_alloc(g, 8 * nodes);
    while (nodes >> rounds > 1)
        rounds++;
    g->n_launches = 2 * rounds;
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_shape_1d(l, id % 2 ? &find_kernel : &join_kernel, g->value[P_NODES], BLOCK);
    for (unsigned i = BEGINS; i <= LIGHTEST; i++)
        l->arg[i] = g->array[i];
    l->arg[NODES] = g->value[P_NODES];
    l->arg[ROUND] = (id - 1) / 2;
}

const gen_kind_t gen_kind_mst = {
    .name = "mst",
    .summary = "minimum spanning tree by Boruvka's method: outlier blocks, atomics",
    .param = {{"size", "nodes", 1, 1 << 28, 1 << 15},
              {"degree", "mean number of neighbours", 1, 4096, 8},
              {"skew", "0: similar degrees; else power law over this many doublings", 0,
               GEN_MAX_SKEW, 14}},
    .kernels = (const gen_kernel_t *const[]){&find_kernel, &join_kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
