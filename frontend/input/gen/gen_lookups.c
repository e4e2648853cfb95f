/*
 * A service that answers requests: each looks up rows of a table, then works on them. Requests can
 * be of equal size and yet slow, because their rows are not in the cache; or giants; or slow only at
 * the start; and what is often asked for may grow over the run.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_kernels.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/gen_uneven.h"

enum { BLOCK = 128, WIDTH = 128, HOT_ROWS = 512, TABLE_ROWS = 1 << 18 };

/* --- a warp copies a row of the table ---------------------------------------------------------- */

enum { HEAD, ENTER, COPY, LEAVE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = "MOV R1, c[0x0][0x28];"
             "70: @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ;"
             "S2R R0, SR_CTAID.X;"
             "S2R R3, SR_TID.X;"
             "IMAD R0, R0, c[0x0][0x0], R3;"
             "SHF.R.U32.HI R2, RZ, 0x5, R0;"
             "LOP3.LUT R5, R0, 0x1f, RZ, 0xc0, !PT;"
             "ISETP.GE.AND P0, PT, R2, c[0x0][0x178], PT;"
             "@P0 EXIT;",
    [ENTER] = "MOV R4, 0x4;"
              "IMAD.WIDE R6, R2, R4, c[0x0][0x160];"
              "LDG.E.CONSTANT.SYS R6, [R6];"
              "IMAD R8, R6, c[0x0][0x17c], R5;"
              "IMAD R9, R2, c[0x0][0x17c], R5;"
              "IMAD.WIDE R10, R8, R4, c[0x0][0x168];"
              "IMAD.WIDE R12, R9, R4, c[0x0][0x170];",
    [COPY] = "LDG.E.CONSTANT.SYS R14, [R10];"
             "IADD3 R5, R5, 0x20, RZ;"
             "IADD3 R10, P1, R10, 0x80, RZ;"
             "ISETP.GE.AND P0, PT, R5, c[0x0][0x17c], PT;"
             "IADD3.X R11, RZ, R11, RZ, P1, !PT;"
             "STG.E.SYS [R12], R14;"
             "IADD3 R12, P2, R12, 0x80, RZ;"
             "IADD3.X R13, RZ, R13, RZ, P2, !PT;"
             "@!P0 BRA;",
    [LEAVE] = "EXIT;",
};

enum { INDICES, TABLE, OUT, TOKENS, COLUMNS, RANGE, REQUEST };

static void walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t token = gen_first_global(w) / GEN_WARP;

    w->pred[0] = token < arg[TOKENS] ? 0 : UINT32_MAX;
    gen_run(w, HEAD, w->lanes);
    if (token >= arg[TOKENS])
        return;
    uint64_t row = gen_reduce(gen_hash(l->seed, arg[REQUEST], token), arg[RANGE]);

    gen_affine(w, 6, arg[INDICES] + 4 * token, 0);
    gen_run(w, ENTER, w->lanes);
    gen_affine(w, 10, arg[TABLE] + 4 * row * arg[COLUMNS], 4);
    gen_affine(w, 12, arg[OUT] + 4 * token * arg[COLUMNS], 4);
    for (uint64_t column = 0; column < arg[COLUMNS]; column += GEN_WARP) {
        uint32_t active = gen_below(column, arg[COLUMNS]);
        uint32_t next = gen_below(column + GEN_WARP, arg[COLUMNS]);

        w->pred[0] = ~next;
        gen_run(w, COPY, active);
        gen_run(w, LEAVE, active & ~next);
        gen_advance(w, 10, 4 * GEN_WARP);
        gen_advance(w, 12, 4 * GEN_WARP);
    }
}

const gen_kernel_t gen_kernel_lookup = {"embedding_gather", listing, N_SEGMENTS, 16, walk};

void gen_lookup_shape(gen_launch_t *l, const gen_lookup_t *lookup)
{
    gen_shape_1d(l, &gen_kernel_lookup, lookup->tokens * GEN_WARP, BLOCK);
    l->arg[INDICES] = lookup->indices;
    l->arg[TABLE] = lookup->table;
    l->arg[OUT] = lookup->out;
    l->arg[TOKENS] = lookup->tokens;
    l->arg[COLUMNS] = lookup->width;
    l->arg[RANGE] = lookup->range;
    l->arg[REQUEST] = lookup->request;
}

/* --- the requests ------------------------------------------------------------------------------ */

enum { P_REQUESTS, P_TOKENS, P_COLD, P_FIRST, P_DRIFT, P_TAIL, P_SHARE, P_RATIO };

static uint64_t tokens_of(const gen_program_t *g, uint64_t request)
{
    gen_uneven_t u = {.usual = g->value[P_TOKENS],
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
    g->array[INDICES] = gen_input(g, 4 * (uint64_t)GEN_UNEVEN_MAX);
    g->array[TABLE] = gen_input(g, 4 * (uint64_t)TABLE_ROWS * WIDTH);
    g->array[OUT] = gen_alloc(g, 4 * (uint64_t)GEN_UNEVEN_MAX * WIDTH);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t request = (id - 1) / 2, tokens = tokens_of(g, request);

    if (id % 2 == 0)
        gen_relu_shape(l, tokens * WIDTH, g->array[OUT], g->array[OUT]);
    else
        gen_lookup_shape(l, &(gen_lookup_t){.indices = g->array[INDICES],
                                            .table = g->array[TABLE],
                                            .out = g->array[OUT],
                                            .tokens = tokens,
                                            .width = WIDTH,
                                            .range = range_of(g, request),
                                            .request = request});
}

const gen_kind_t gen_kind_lookups = {
    .name = "lookups",
    .summary = "requests of a service, two launches each: slow ones of equal size, giants, heavy "
               "tails, a slow start, drift",
    .param = {{"size", "requests", 1, 1000000, 300},
              {"tokens", "rows that a usual request looks up", 1, 100000, 400},
              {"cold", "so many of 1000 requests ask for rows that are not in the cache", 0, 1000,
               10},
              {"first", "requests at the start of which this is so", 0, 1000000, 0},
              {"drift", "growth of what the others ask for over the run, in %", 0, 100000, 0},
              {"tail", "0, or a power law: one request in x is x^(tail/4) times as large", 0,
               GEN_MAX_TAIL, 0},
              {"share", "so many of 1000 requests are ratio times as large; 0: about one", 0, 999,
               0},
              {"ratio", "how much larger these are", 1, 10000, 1}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_lookup, &gen_kernel_relu, NULL},
    .prepare = prepare,
    .launch = launch,
};
