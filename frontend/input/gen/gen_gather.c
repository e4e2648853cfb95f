/*
 * Look-ups in a table at random places. The part of the table that is looked up may grow or shrink
 * over the launch: the working set drifts, while code, instructions and requests stay the same.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, LINE = 128, KIB = 1024, WORD = 4, HOT_PART = 16 };

enum { HEAD, ENTER, LOAD, ADD, END, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x178"),
    [ENTER] = "MOV R5, 0x4;"
              "MOV R6, RZ;"
              "MOV R15, RZ;"
              "IMAD.WIDE R8, R0, R5, c[0x0][0x160];",
    [LOAD] = "LDG.E.CONSTANT.SYS R10, [R8];"
             "IADD3 R6, R6, 0x1, RZ;"
             "IMAD.WIDE R8, R5, c[0x0][0x178], R8;"
             "IMAD.WIDE R12, R10, R5, c[0x0][0x168];"
             "LDG.E.CONSTANT.SYS R14, [R12];"
             "ISETP.GE.AND P0, PT, R6, c[0x0][0x17c], PT;"
             "FADD R15, R14, R15;"
             "@!P0 BRA;",
    [ADD] = "LDG.E.CONSTANT.SYS R10, [R8];"
            "IADD3 R6, R6, 0x1, RZ;"
            "IMAD.WIDE R8, R5, c[0x0][0x178], R8;"
            "IMAD.WIDE R12, R10, R5, c[0x0][0x168];"
            "ISETP.GE.AND P0, PT, R6, c[0x0][0x17c], PT;"
            "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R12], R15;"
            "@!P0 BRA;",
    [END] = "@P1 EXIT;",
    [TAIL] = "IMAD.WIDE R8, R0, R5, c[0x0][0x170];"
             "STG.E.SYS [R8], R15;"
             "EXIT;",
};

enum { INDICES, TABLE, OUT, N, LOADS, FROM, TO, HOT, WHOLE_LINES, ATOMIC };

/* Places (words, or lines) that this block looks up. */
static uint64_t range_of(const gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    double at = (double)w->block / (double)l->grid[0];
    double kib = (double)l->arg[FROM] + at * ((double)l->arg[TO] - (double)l->arg[FROM]);

    return (uint64_t)(kib * KIB) / (l->arg[WHOLE_LINES] != 0 ? LINE : WORD);
}

/* A random place; some come from the hot part of the range. */
static uint64_t place(const gen_warp_t *w, uint64_t item, uint64_t step, uint64_t range)
{
    const gen_launch_t *l = w->launch;
    uint64_t word = gen_hash(l->seed, item, step);
    uint64_t hot = gen_reduce(gen_mix(word), 100) < l->arg[HOT];

    return gen_reduce(word, hot ? range / HOT_PART : range);
}

static void set_places(gen_warp_t *w, uint64_t step, uint64_t range)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w), addr[GEN_WARP];

    if (arg[WHOLE_LINES] != 0) {
        gen_affine(w, 12, arg[TABLE] + LINE * place(w, first, step, range), WORD);
        return;
    }
    for (unsigned k = 0; k < GEN_WARP; k++)
        addr[k] = arg[TABLE] + WORD * place(w, first + k, step, range);
    gen_lanes(w, 12, addr);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t first = gen_first_global(w), range = range_of(w);
    uint32_t active = gen_enter(w, HEAD, arg[N]);

    gen_run(w, ENTER, active);
    gen_affine(w, 8, arg[INDICES] + WORD * first, WORD);
    for (uint64_t k = 0; k < arg[LOADS] && active != 0; k++) {
        set_places(w, k, range);
        w->pred[0] = k + 1 == arg[LOADS] ? UINT32_MAX : 0;
        gen_run(w, arg[ATOMIC] != 0 ? ADD : LOAD, active);
        gen_advance(w, 8, (int64_t)(WORD * arg[N]));
    }
    w->pred[1] = arg[ATOMIC] != 0 ? UINT32_MAX : 0;
    gen_run(w, END, active);
    gen_affine(w, 8, arg[OUT] + WORD * first, WORD);
    gen_run(w, TAIL, active & ~w->pred[1]);
}

static const gen_kernel_t kernel = {"table_gather", listing, N_SEGMENTS, 18, walk};

enum { P_THREADS, P_LOADS, P_FROM, P_TO, P_HOT, P_LINES, P_ATOMIC };

static uint64_t last_kib(const gen_program_t *g)
{
    return g->value[P_TO] != 0 ? g->value[P_TO] : g->value[P_FROM];
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t n = g->value[P_THREADS], from = g->value[P_FROM], to = last_kib(g);

    (void)err;
    g->array[INDICES] = gen_input(g, WORD * n * g->value[P_LOADS]);
    g->array[TABLE] = gen_input(g, KIB * (from > to ? from : to));
    g->array[OUT] = gen_alloc(g, WORD * n);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, g->value[P_THREADS], BLOCK);
    for (unsigned i = INDICES; i <= OUT; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = g->value[P_THREADS];
    l->arg[LOADS] = g->value[P_LOADS];
    l->arg[FROM] = g->value[P_FROM];
    l->arg[TO] = last_kib(g);
    l->arg[HOT] = g->value[P_HOT];
    l->arg[WHOLE_LINES] = g->value[P_LINES];
    l->arg[ATOMIC] = g->value[P_ATOMIC];
}

const gen_kind_t gen_kind_gather = {
    .name = "gather",
    .summary = "look-ups in a table at random places, or atomic additions there; the range may "
               "drift over the launch",
    .param = {{"size", "threads", 1, UINT64_C(1) << 32, 1 << 18},
              {"loads", "look-ups of a thread", 1, 20000, 8},
              {"from", "KiB of the table that the first block looks up", 4, 1 << 24, 1024},
              {"to", "KiB that the last block looks up; 0: as many as the first", 0, 1 << 24, 0},
              {"hot", "% of the look-ups that go to the first sixteenth of it", 0, 100, 0},
              {"lines", "1: a warp reads a whole line, 0: each lane its own place", 0, 1, 0},
              {"atomic", "1: atomic additions instead of loads", 0, 1, 0}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
