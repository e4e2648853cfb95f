/*
 * Each block reads data of its own again and again, as blocked algorithms do: a working set that
 * the L1 holds, or just does not hold.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, STEP = 4 * BLOCK }; /* bytes that a block reads in one step */

enum { HEAD, PASS, LOOP, NEXT, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_CTAID.X;"
                       "S2R R3, SR_TID.X;"
                       "MOV R5, 0x4;"
                       "IMAD R4, R0, c[0x0][0x170], R3;"
                       "IMAD R0, R0, c[0x0][0x0], R3;"
                       "MOV R6, RZ;"
                       "MOV R15, RZ;",
    [PASS] = "IMAD.WIDE R2, R4, R5, c[0x0][0x160];"
             "MOV R7, RZ;",
    [LOOP] = "LDG.E.SYS R14, [R2];"
             "IADD3 R7, R7, 0x100, RZ;"
             "IADD3 R2, P1, R2, 0x400, RZ;"
             "ISETP.GE.AND P0, PT, R7, c[0x0][0x170], PT;"
             "IADD3.X R3, RZ, R3, RZ, P1, !PT;"
             "FFMA R15, R14, R14, R15;"
             "@!P0 BRA;",
    [NEXT] = "IADD3 R6, R6, 0x1, RZ;"
             "FMUL R15, R15, 0.5;"
             "ISETP.GE.AND P0, PT, R6, c[0x0][0x174], PT;"
             "@!P0 BRA;",
    [TAIL] = "IMAD.WIDE R2, R0, R5, c[0x0][0x168];"
             "STG.E.SYS [R2], R15;"
             "EXIT;",
};

enum { IN, OUT, STEPS, PASSES };

static void pass(gen_warp_t *w, uint64_t at)
{
    uint64_t steps = w->launch->arg[STEPS];

    gen_run(w, PASS, w->lanes);
    gen_affine(w, 2, at, 4);
    for (uint64_t k = 0; k < steps; k++) {
        w->pred[0] = k + 1 == steps ? UINT32_MAX : 0;
        gen_run(w, LOOP, w->lanes);
        gen_advance(w, 2, STEP);
    }
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t at = arg[IN] + w->block * arg[STEPS] * STEP + 4 * (uint64_t)gen_first_thread(w);

    gen_run(w, HEAD, w->lanes);
    for (uint64_t k = 0; k < arg[PASSES]; k++) {
        pass(w, at);
        w->pred[0] = k + 1 == arg[PASSES] ? UINT32_MAX : 0;
        gen_run(w, NEXT, w->lanes);
    }
    gen_affine(w, 2, arg[OUT] + 4 * gen_first_global(w), 4);
    gen_run(w, TAIL, w->lanes);
}

static const gen_kernel_t kernel = {"reread", listing, N_SEGMENTS, 16, walk};

enum { P_BLOCKS, P_KIB, P_PASSES };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[IN] = gen_input(g, STEP * g->value[P_BLOCKS] * g->value[P_KIB]);
    g->array[OUT] = gen_alloc(g, STEP * g->value[P_BLOCKS]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, BLOCK * g->value[P_BLOCKS], BLOCK);
    l->arg[IN] = g->array[IN];
    l->arg[OUT] = g->array[OUT];
    l->arg[STEPS] = g->value[P_KIB];
    l->arg[PASSES] = g->value[P_PASSES];
}

const gen_kind_t gen_kind_reread = {
    .name = "reread",
    .summary = "each block reads data of its own again and again: L1 hits, up to its capacity",
    .param = {{"size", "blocks", 1, INT32_MAX, 1024},
              {"kib", "KiB that a block reads in each pass", 1, 256, 8},
              {"passes", "how often", 1, 128, 16}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = 1,
    .prepare = prepare,
    .launch = launch,
};
