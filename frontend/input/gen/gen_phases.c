/*
 * One code, two kinds of data: stretches of blocks that sum parts of a small window, which a cache
 * may hold, alternate with stretches that sum parts of a large one, or data that nobody has read
 * before. On request the second kind computes instead, so that the code changes, too.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, LINE = 128, KIB = 1024 };

enum { HEAD, ENTER, LOOP, COMPUTE, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x178"),
    [ENTER] = "MOV R5, 0x4;"
              "S2R R4, SR_CTAID.X;"
              "IMAD.WIDE R8, R4, R5, c[0x0][0x160];"
              "LDG.E.CONSTANT.SYS R10, [R8];" /* length of the block's window */
              "MOV R6, RZ;"
              "MOV R15, RZ;"
              "IMAD R7, R0, c[0x0][0x17c], R3;"
              "ISETP.LT.AND P2, PT, R10, RZ, PT;"
              "@P2 BRA;",
    [LOOP] = "LEA R2, P1, R7, c[0x0][0x168], 0x2;"
             "LEA.HI.X R3, R7, c[0x0][0x16c], RZ, 0x2, P1;"
             "LDG.E.SYS R14, [R2];"
             "IADD3 R7, R7, 0x20, RZ;"
             "IADD3 R6, R6, 0x1, RZ;"
             "ISETP.GE.AND P1, PT, R7, R10, PT;"
             "SEL R7, R7, RZ, !P1;"
             "ISETP.GE.AND P0, PT, R6, c[0x0][0x17c], PT;"
             "FADD R15, R14, R15;"
             "@!P0 BRA;",
    [COMPUTE] = "FFMA R14, R15, c[0x0][0x180], R14;"
                "MUFU.RSQ R12, R14;"
                "IADD3 R6, R6, 0x1, RZ;"
                "FFMA R13, R12, R14, R15;"
                "FMUL R14, R13, R12;"
                "FFMA R15, R14, R13, R15;"
                "FFMA R14, R15, R12, R14;"
                "ISETP.GE.AND P0, PT, R6, c[0x0][0x17c], PT;"
                "FFMA R15, R14, R15, R13;"
                "@!P0 BRA;",
    [TAIL] = "IMAD.WIDE R2, R0, R5, c[0x0][0x170];"
             "STG.E.SYS [R2], R15;"
             "EXIT;",
};

enum { WINDOWS, SMALL, LARGE, OUT, N, LOADS, SMALL_LINES, LARGE_LINES, PERIOD, FIRST, CODE };

static bool in_large(const gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;

    return (w->block / arg[PERIOD] % 2 != 0) != (arg[FIRST] != 0);
}

/* The warp's lines follow those of the warp before it; the window begins again after its end. */
static void sum_lines(gen_warp_t *w, uint64_t base, uint64_t lines, uint32_t active)
{
    uint64_t loads = w->launch->arg[LOADS], line = gen_first_global(w) / GEN_WARP * loads;

    for (uint64_t k = 0; k < loads; k++) {
        w->pred[0] = k + 1 == loads ? UINT32_MAX : 0;
        gen_affine(w, 2, base + LINE * ((line + k) % lines), 4);
        gen_run(w, LOOP, active);
    }
}

static void compute(gen_warp_t *w, uint32_t active)
{
    for (uint64_t k = w->launch->arg[LOADS]; k > 0; k--) {
        w->pred[0] = k == 1 ? UINT32_MAX : 0;
        gen_run(w, COMPUTE, active);
    }
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint32_t active = gen_enter(w, HEAD, arg[N]);
    bool large = in_large(w), computes = large && arg[CODE] != 0;

    w->pred[2] = computes ? UINT32_MAX : 0;
    gen_affine(w, 8, arg[WINDOWS] + 4 * w->block, 0);
    gen_run(w, ENTER, active);
    if (computes)
        compute(w, active);
    else
        sum_lines(w, arg[large ? LARGE : SMALL], arg[large ? LARGE_LINES : SMALL_LINES], active);
    gen_affine(w, 2, arg[OUT] + 4 * gen_first_global(w), 4);
    gen_run(w, TAIL, active);
}

static const gen_kernel_t kernel = {"sum_windows", listing, N_SEGMENTS, 18, walk};

enum { P_THREADS, P_LOADS, P_SMALL, P_LARGE, P_PERIOD, P_FIRST, P_CODE };

/* KiB of the large window; 0: a part of its own for each warp. */
static uint64_t large_bytes(const gen_program_t *g)
{
    uint64_t warps = (g->value[P_THREADS] + GEN_WARP - 1) / GEN_WARP;

    return g->value[P_LARGE] != 0 ? KIB * g->value[P_LARGE] : LINE * warps * g->value[P_LOADS];
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[WINDOWS] = gen_input(g, 4 * (uint64_t)gen_blocks(g->value[P_THREADS], BLOCK));
    g->array[SMALL] = gen_input(g, KIB * g->value[P_SMALL]);
    g->array[LARGE] = gen_input(g, large_bytes(g));
    g->array[OUT] = gen_alloc(g, 4 * g->value[P_THREADS]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t blocks = gen_blocks(g->value[P_THREADS], BLOCK);

    (void)id;
    gen_shape_1d(l, &kernel, g->value[P_THREADS], BLOCK);
    for (unsigned i = WINDOWS; i <= OUT; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = g->value[P_THREADS];
    l->arg[LOADS] = g->value[P_LOADS];
    l->arg[SMALL_LINES] = KIB / LINE * g->value[P_SMALL];
    l->arg[LARGE_LINES] = large_bytes(g) / LINE;
    l->arg[PERIOD] = g->value[P_PERIOD] != 0 ? g->value[P_PERIOD] : (blocks + 1) / 2;
    l->arg[FIRST] = g->value[P_FIRST];
    l->arg[CODE] = g->value[P_CODE];
}

const gen_kind_t gen_kind_phases = {
    .name = "phases",
    .summary = "one code on two kinds of data: stretches of blocks read a small window, or a "
               "large one",
    .param = {{"size", "threads", 1, UINT64_C(1) << 32, 1 << 18},
              {"loads", "lines that a warp sums", 1, 20000, 32},
              {"small", "KiB of the small window", 1, 1 << 24, 256},
              {"large", "KiB of the large window; 0: data that nobody else reads", 0, 1 << 24, 0},
              {"period", "blocks of a stretch; 0: half of all", 0, INT32_MAX, 0},
              {"first", "0: the small window comes first, 1: the large one", 0, 1, 0},
              {"code", "1: blocks of the second kind compute instead of reading", 0, 1, 0}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
