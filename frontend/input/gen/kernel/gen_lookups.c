/*
 * A service that answers requests: each adds up rows of a table, then works on the sums. Requests can
 * be of equal size and yet slow, because their rows are not in the cache; or giants; or slow only at
 * the start; and what is often asked for may grow over the run.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"
#include "frontend/input/gen/kernel/gen_uneven.h"

enum { BLOCK = 128, WIDTH = 128, BAG = 16, HOT_ROWS = 512, TABLE_ROWS = 1 << 18 };

/* --- a warp adds up rows of the table ---------------------------------------------------------- */

enum { HEAD, ENTER, ROW, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_INDEX_1D("R0") "SHF.R.U32.HI R2, RZ, 0x5, R0;"
                                "LOP3.LUT R5, R0, 0x1f, RZ, 0xc0, !PT;"
                                "ISETP.GE.AND P0, PT, R2, c[0x0][0x178], PT;"
                                "@P0 EXIT;",
    [ENTER] = "MOV R4, 0x4;"
              "IMAD.SHL.U32 R6, R2, 0x10, RZ;"
              "IMAD.SHL.U32 R5, R5, 0x4, RZ;"
              "IMAD.WIDE R6, R6, R4, c[0x0][0x160];"
              "MOV R20, RZ;"
              "MOV R21, RZ;"
              "MOV R22, RZ;"
              "MOV R23, RZ;"
              "MOV R8, RZ;",
    [ROW] = "LDG.E.CONSTANT.SYS R9, [R6];"
            "IADD3 R8, R8, 0x1, RZ;"
            "IADD3 R6, P1, R6, 0x4, RZ;"
            "IMAD R9, R9, 0x80, R5;"
            "IMAD.WIDE R10, R9, R4, c[0x0][0x168];"
            "LDG.E.128.CONSTANT.SYS R12, [R10];"
            "IADD3.X R7, RZ, R7, RZ, P1, !PT;"
            "ISETP.GE.AND P0, PT, R8, 0x10, PT;"
            "FADD R20, R12, R20;"
            "FADD R21, R13, R21;"
            "FADD R22, R14, R22;"
            "FADD R23, R15, R23;"
            "@!P0 BRA;",
    [STORE] = "IMAD R9, R2, 0x80, R5;"
              "IMAD.WIDE R10, R9, R4, c[0x0][0x170];"
              "STG.E.128.SYS [R10], R20;"
              "EXIT;",
};

enum { INDICES, TABLE, OUT, BAGS, RANGE, REQUEST };

static void walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t bag = gen_first_global(w) / GEN_WARP;

    w->pred[0] = bag < arg[BAGS] ? 0 : UINT32_MAX;
    gen_run(w, HEAD, w->lanes);
    if (bag >= arg[BAGS])
        return;
    gen_run(w, ENTER, w->lanes);
    gen_affine(w, 6, arg[INDICES] + 4 * BAG * bag, 0);
    for (uint64_t k = 0; k < BAG; k++) {
        uint64_t row = gen_reduce(gen_hash(l->seed, arg[REQUEST], BAG * bag + k), arg[RANGE]);

        w->pred[0] = k + 1 == BAG ? UINT32_MAX : 0;
        gen_affine(w, 10, arg[TABLE] + 4 * row * WIDTH, 16);
        gen_run(w, ROW, w->lanes);
        gen_advance(w, 6, 4);
    }
    gen_affine(w, 10, arg[OUT] + 4 * bag * WIDTH, 16);
    gen_run(w, STORE, w->lanes);
}

static const gen_kernel_t bag_kernel = {"embedding_bag", listing, N_SEGMENTS, 26, walk};

/* --- the requests ------------------------------------------------------------------------------ */

enum { P_REQUESTS, P_BAGS, P_COLD, P_FIRST, P_DRIFT, P_TAIL, P_SHARE, P_RATIO };

static uint64_t bags_of(const gen_program_t *g, uint64_t request)
{
    gen_uneven_t u = {.usual = g->value[P_BAGS],
                      .tail = g->value[P_TAIL],
                      .share = g->value[P_SHARE],
                      .ratio = g->value[P_RATIO],
                      .seed = g->seed};

    return gen_uneven_length(&u, request, g->value[P_REQUESTS]);
}

/* Rows that a request may ask for. */
static uint64_t range_of(const gen_program_t *g, uint64_t request)
{
    bool cold = gen_reduce(gen_hash(g->seed, 4, request), 1000) < g->value[P_COLD];
    uint64_t growth = HOT_ROWS * g->value[P_DRIFT] * request / (100 * g->value[P_REQUESTS]);

    return cold || request < g->value[P_FIRST] || HOT_ROWS + growth > TABLE_ROWS
               ? TABLE_ROWS
               : HOT_ROWS + growth;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->n_launches = 2 * g->value[P_REQUESTS];
    g->array[INDICES] = gen_input(g, 4 * (uint64_t)GEN_UNEVEN_MAX * BAG);
    g->array[TABLE] = gen_input(g, 4 * (uint64_t)TABLE_ROWS * WIDTH);
    g->array[OUT] = gen_alloc(g, 4 * (uint64_t)GEN_UNEVEN_MAX * WIDTH);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t request = (id - 1) / 2, bags = bags_of(g, request);

    if (id % 2 == 0) {
        gen_relu_shape(l, bags * WIDTH, g->array[OUT], g->array[OUT]);
        return;
    }
    gen_shape_1d(l, &bag_kernel, bags * GEN_WARP, BLOCK);
    for (unsigned i = INDICES; i <= OUT; i++)
        l->arg[i] = g->array[i];
    l->arg[BAGS] = bags;
    l->arg[RANGE] = range_of(g, request);
    l->arg[REQUEST] = request;
}

const gen_kind_t gen_kind_lookups = {
    .name = "lookups",
    .summary = "requests of a service, two launches each: slow ones of equal size, giants, heavy "
               "tails, a slow start, drift",
    .param = {{"size", "requests", 1, 1000000, 300},
              {"bags", "sums of 16 rows that a usual request asks for", 1, 100000, 400},
              {"cold", "per mille of the requests that ask for rows that are not in the cache", 0,
               1000, 10},
              {"first", "requests at the start of which this is so", 0, 1000000, 0},
              {"drift", "growth of what the others ask for over the run, in %", 0, 100000, 0},
              {"tail", "0, or a power law: one request in x is x^(tail/4) times as large", 0,
               GEN_MAX_TAIL, 0},
              {"share", "per mille of the requests that are ratio times as large; 0: about one", 0,
               999, 0},
              {"ratio", "how much larger these are", 1, 10000, 1}},
    .kernels = (const gen_kernel_t *const[]){&bag_kernel, &gen_kernel_relu, NULL},
    .prepare = prepare,
    .launch = launch,
};
