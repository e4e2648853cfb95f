/* PageRank by pulling: each thread sums the shares of the pages that link to its page. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_graph.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256 };

enum { HEAD, ENTER, LINK, RECONVERGE, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x188"),
    [ENTER] = "MOV R2, 0x4;"
              "IMAD.WIDE R4, R0, R2, c[0x0][0x160];"
              "LDG.E.SYS R6, [R4];"
              "LDG.E.SYS R7, [R4+0x4];"
              "BMOV.32.CLEAR RZ, B0;"
              "BSSY B0;"
              "MOV R8, RZ;"
              "ISETP.GE.AND P0, PT, R6, R7, PT;"
              "IMAD.WIDE R10, R6, R2, c[0x0][0x168];"
              "@P0 BRA;",
    [LINK] = "LDG.E.SYS R12, [R10];"
             "IMAD.WIDE R14, R12, R2, c[0x0][0x170];"
             "IMAD.WIDE R16, R12, R2, c[0x0][0x178];"
             "LDG.E.SYS R14, [R14];"
             "LDG.E.SYS R16, [R16];"
             "IADD3 R6, R6, 0x1, RZ;"
             "IADD3 R10, P2, R10, 0x4, RZ;"
             "ISETP.GE.AND P1, PT, R6, R7, PT;"
             "IADD3.X R11, RZ, R11, RZ, P2, !PT;"
             "FFMA R8, R14, R16, R8;"
             "@!P1 BRA;",
    [RECONVERGE] = "BSYNC B0;",
    [STORE] = "MOV R9, 0x3f59999a;"
              "IMAD.WIDE R4, R0, R2, c[0x0][0x180];"
              "FFMA R8, R8, R9, c[0x0][0x18c];"
              "STG.E.SYS [R4], R8;"
              "EXIT;",
};

enum { BEGINS, LINKS, RANKS, SHARES, NEW_RANKS, PAGES };

static void set_links(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint64_t step,
                      uint32_t active)
{
    const gen_launch_t *l = w->launch;
    uint64_t link[GEN_WARP], rank[GEN_WARP], share[GEN_WARP];

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t edge = rows->edge[k] + step;
        uint64_t page = active >> k & 1 ? gen_graph_neighbour(l->data, first + k, edge) : 0;

        link[k] = l->arg[LINKS] + 4 * edge;
        rank[k] = l->arg[RANKS] + 4 * page;
        share[k] = l->arg[SHARES] + 4 * page;
    }
    gen_lanes(w, 10, link);
    gen_lanes(w, 14, rank);
    gen_lanes(w, 16, share);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w);
    uint32_t pages = gen_enter(w, HEAD, arg[PAGES]);
    gen_rows_t rows;

    gen_graph_rows(w->launch->data, first, &rows);
    uint32_t active = gen_rows_above(&rows, 0);

    w->pred[0] = ~active;
    gen_affine(w, 4, arg[BEGINS] + 4 * first, 4);
    gen_run(w, ENTER, pages);
    gen_run(w, RECONVERGE, pages & ~active);
    gen_rows_walk(w, first, &rows, active, set_links, 1, LINK, RECONVERGE);
    gen_affine(w, 4, arg[NEW_RANKS] + 4 * first, 4);
    gen_run(w, STORE, pages);
}

static const gen_kernel_t kernel = {"pagerank_pull", listing, N_SEGMENTS, 20, walk};

enum { P_PAGES, P_DEGREE, P_SKEW, P_ITERATIONS };

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    (void)value;
    return blocks * BLOCK;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t pages = g->value[P_PAGES];
    gen_graph_t *graph;

    RB_TRY(gen_graph_create(&(gen_graph_spec_t){.rows = pages,
                                                .degree = g->value[P_DEGREE],
                                                .skew = (unsigned)g->value[P_SKEW],
                                                .seed = g->seed},
                            false, &graph, err));
    g->data = graph;
    g->array[BEGINS] = gen_input(g, 4 * (pages + 1));
    g->array[LINKS] = gen_input(g, 4 * graph->n_edges);
    g->array[SHARES] = gen_input(g, 4 * pages);
    g->array[RANKS] = gen_input(g, 4 * pages);
    g->array[NEW_RANKS] = gen_alloc(g, 4 * pages);
    g->n_launches = g->value[P_ITERATIONS];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_shape_1d(l, &kernel, g->value[P_PAGES], BLOCK);
    l->arg[BEGINS] = g->array[BEGINS];
    l->arg[LINKS] = g->array[LINKS];
    l->arg[SHARES] = g->array[SHARES];
    l->arg[RANKS] = g->array[id % 2 ? RANKS : NEW_RANKS];
    l->arg[NEW_RANKS] = g->array[id % 2 ? NEW_RANKS : RANKS];
    l->arg[PAGES] = g->value[P_PAGES];
}

const gen_kind_t gen_kind_pagerank = {
    .name = "pagerank",
    .summary = "PageRank on a power-law graph, one launch per iteration",
    .param = {{"size", "pages", 1, 1 << 28, 1 << 16},
              {"degree", "mean number of links to a page", 1, 4096, 16},
              {"skew", "0: similar numbers of links; else power law over this many doublings", 0,
               GEN_MAX_SKEW, 8},
              {"iterations", "launches", 1, 100000, 5}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
