/*
 * Sums of segments of an array, one block for each. Segments differ in length, so blocks do: evenly
 * spread, by a power law, or a few by far; in random order, or with the long ones first, last or in
 * the middle.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_uneven.h"
#include "sim/core/alloc.h"

enum { BLOCK = 128, STEP = 4 * BLOCK }; /* bytes that a block reads in one step */

enum { HEAD, LOOP, MATH, NEXT, TAIL, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_CTAID.X;"
                       "S2R R3, SR_TID.X;"
                       "MOV R5, 0x4;"
                       "IMAD.WIDE R6, R0, R5, c[0x0][0x160];"
                       "LDG.E.CONSTANT.SYS R8, [R6];"
                       "LDG.E.CONSTANT.SYS R9, [R6+0x4];"
                       "MOV R15, RZ;"
                       "IADD3 R8, R8, R3, RZ;"
                       "IMAD.WIDE R10, R8, R5, c[0x0][0x168];",
    [LOOP] = "LDG.E.SYS R12, [R10];"
             "IADD3 R8, R8, 0x80, RZ;"
             "IADD3 R10, P1, R10, 0x200, RZ;"
             "MOV R4, RZ;"
             "IADD3.X R11, RZ, R11, RZ, P1, !PT;"
             "FADD R15, R12, R15;"
             "@!P3 BRA;",
    [MATH] = "FFMA R14, R12, R15, R14;"
             "FFMA R15, R14, R12, R15;"
             "IADD3 R4, R4, 0x4, RZ;"
             "FFMA R14, R15, R14, R12;"
             "FFMA R15, R14, R14, R15;"
             "ISETP.GE.AND P2, PT, R4, c[0x0][0x178], PT;"
             "@!P2 BRA;",
    [NEXT] = "ISETP.GE.AND P0, PT, R8, R9, PT;"
             "@!P0 BRA;",
    [TAIL] = "SHFL.DOWN PT, R2, R15, 0x10, 0x1f;"
             "LOP3.LUT R4, R3, 0x1f, RZ, 0xc0, !PT;"
             "FADD R15, R2, R15;"
             "SHFL.DOWN PT, R2, R15, 0x8, 0x1f;"
             "FADD R15, R2, R15;"
             "SHFL.DOWN PT, R2, R15, 0x4, 0x1f;"
             "FADD R15, R2, R15;"
             "SHFL.DOWN PT, R2, R15, 0x2, 0x1f;"
             "FADD R15, R2, R15;"
             "SHFL.DOWN PT, R2, R15, 0x1, 0x1f;"
             "ISETP.NE.AND P0, PT, R4, RZ, PT;"
             "FADD R15, R2, R15;"
             "@P0 EXIT;",
    [STORE] = "IMAD.WIDE R6, R0, R5, c[0x0][0x170];"
              "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R6], R15;"
              "EXIT;",
};

enum { BEGINS, IN, OUT, MATHS };

/* One step: a line of the segment, and four operations on it at a time. */
static void step(gen_warp_t *w)
{
    uint64_t math = w->launch->arg[MATHS];

    w->pred[3] = math != 0 ? UINT32_MAX : 0;
    gen_run(w, LOOP, w->lanes);
    for (uint64_t k = 0; k < math; k += 4) {
        w->pred[2] = k + 4 >= math ? UINT32_MAX : 0;
        gen_run(w, MATH, w->lanes);
    }
    gen_run(w, NEXT, w->lanes);
    gen_advance(w, 10, STEP);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg, *begin = w->launch->data;

    gen_affine(w, 6, arg[BEGINS] + 4 * w->block, 0);
    gen_run(w, HEAD, w->lanes);
    gen_affine(w, 10, arg[IN] + STEP * begin[w->block] + 4 * (uint64_t)gen_first_thread(w), 4);
    for (uint64_t k = begin[w->block]; k < begin[w->block + 1]; k++) {
        w->pred[0] = k + 1 == begin[w->block + 1] ? UINT32_MAX : 0;
        step(w);
    }
    w->pred[0] = ~1u;
    gen_run(w, TAIL, w->lanes);
    gen_affine(w, 6, arg[OUT] + 4 * w->block, 0);
    gen_run(w, STORE, 1);
}

static const gen_kernel_t kernel = {"segment_sums", listing, N_SEGMENTS, 18, walk};

enum { P_BLOCKS, P_STEPS, P_SPREAD, P_TAIL, P_SHARE, P_RATIO, P_ORDER, P_MATH };

/* The first step of each block, and the end of the last one. */
static uint64_t *begins_of(const gen_program_t *g)
{
    uint64_t n = g->value[P_BLOCKS], *begin = rb_calloc(n + 1, sizeof(*begin));
    gen_uneven_t u = {.usual = g->value[P_STEPS],
                      .spread = g->value[P_SPREAD],
                      .tail = g->value[P_TAIL],
                      .share = g->value[P_SHARE],
                      .ratio = g->value[P_RATIO],
                      .order = (gen_order_t)g->value[P_ORDER],
                      .seed = g->seed};

    for (uint64_t i = 0; i < n; i++)
        begin[i + 1] = begin[i] + gen_uneven_length(&u, i, n);
    return begin;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t n = g->value[P_BLOCKS], *begin = begins_of(g);

    (void)err;
    g->data = begin;
    g->array[BEGINS] = gen_input(g, 4 * (n + 1));
    g->array[IN] = gen_input(g, STEP * begin[n]);
    g->array[OUT] = gen_alloc(g, 4 * n);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, BLOCK * g->value[P_BLOCKS], BLOCK);
    for (unsigned i = BEGINS; i <= OUT; i++)
        l->arg[i] = g->array[i];
    l->arg[MATHS] = g->value[P_MATH];
}

const gen_kind_t gen_kind_segments = {
    .name = "segments",
    .summary = "sums of segments of uneven length, one block for each: random or ordered, heavy "
               "tails, stragglers",
    .param = {{"size", "blocks", 1, 1 << 22, 4096},
              {"steps", "steps of a usual block, 128 elements each", 1, 4096, 16},
              {"spread", "% by which lengths differ evenly in both directions", 0, 100, 50},
              {"tail", "0, or a power law: one in x is x^(tail/4) times as long", 0, GEN_MAX_TAIL,
               0},
              {"share", "per mille of long blocks, ratio times as long; 0: one block", 0, 999, 0},
              {"ratio", "how much longer these are", 1, 10000, 1},
              {"order", "0: random; the longest 1: first, 2: last, 3: in the middle", 0,
               GEN_N_ORDERS - 1, 0},
              {"math", "arithmetic operations on an element, in groups of four", 0, 64, 0}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = 1,
    .prepare = prepare,
    .launch = launch,
};
