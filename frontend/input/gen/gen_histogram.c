/*
 * Histogram of the bytes of an array with atomics, first on bins in shared memory, then in global
 * memory. The code of traces/histo-*.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 128, BINS = 256, WORDS_PER_BLOCK = 8 * BLOCK };

enum {
    HEAD,
    CLEAR_ENTER,
    CLEAR,
    CLEARED,
    COUNT_ENTER,
    COUNT,
    RECONVERGE,
    COUNTED,
    ADD,
    LEAVE,
    N_SEGMENTS
};

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28];"
             "70: @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ;"
             "S2R R0, SR_TID.X;"
             "BMOV.32.CLEAR RZ, B0;"
             "BSSY B0;"
             "S2R R3, SR_CTAID.X;"
             "ISETP.GT.AND P0, PT, R0, 0xff, PT;"
             "70: IMAD R4, R3, c[0x0][0x0], R0;"
             "70: ISETP.GE.AND P2, PT, R4, c[0x0][0x170], PT;"
             "75: IMAD R3, R3, c[0x0][0x0], R0;"
             "75: ISETP.GE.AND P2, PT, R3, c[0x0][0x170], PT;"
             "@P0 BRA;",
    [CLEAR_ENTER] = "IMAD.MOV.U32 R2, RZ, RZ, R0;",
    [CLEAR] = "70: IMAD.SHL.U32 R3, R2.reuse, 0x4, RZ;"
              "75: STS [R2.X4], RZ;"
              "IADD3 R2, R2, c[0x0][0x0], RZ;"
              "ISETP.GE.AND P1, PT, R2, 0x100, PT;"
              "70: STS [R3], RZ;"
              "@!P1 BRA;",
    [CLEARED] = "BSYNC B0;"
                "BMOV.32.CLEAR RZ, B0;"
                "70: NOP;"
                "BAR.SYNC 0x0;"
                "BSSY B0;"
                "@P2 BRA;",
    [COUNT_ENTER] = "75: IMAD.MOV.U32 R4, RZ, RZ, R3;",
    [COUNT] = "IMAD.MOV.U32 R3, RZ, RZ, 0x4;"
              "IMAD.WIDE R2, R4, R3, c[0x0][0x160];"
              "LDG.E.SYS R2, [R2];"
              "IMAD.MOV.U32 R9, RZ, RZ, 0x1;"
              "IMAD.MOV.U32 R3, RZ, RZ, c[0x0][0xc];"
              "IMAD R4, R3, c[0x0][0x0], R4;"
              "ISETP.GE.AND P1, PT, R4, c[0x0][0x170], PT;"
              "IMAD.SHL.U32 R5, R2, 0x4, RZ;"
              "SHF.R.U32.HI R6, RZ, 0x6, R2.reuse;"
              "SHF.R.U32.HI R7, RZ, 0xe, R2.reuse;"
              "SHF.R.U32.HI R8, RZ, 0x16, R2;"
              "LOP3.LUT R5, R5, 0x3fc, RZ, 0xc0, !PT;"
              "LOP3.LUT R6, R6, 0x3fc, RZ, 0xc0, !PT;"
              "LOP3.LUT R7, R7, 0x3fc, RZ, 0xc0, !PT;"
              "LOP3.LUT R8, R8, 0x3fc, RZ, 0xc0, !PT;"
              "ATOMS.ADD RZ, [R5], R9;"
              "ATOMS.ADD RZ, [R6], R9;"
              "ATOMS.ADD RZ, [R7], R9;"
              "ATOMS.ADD RZ, [R8], R9;"
              "@!P1 BRA;",
    [RECONVERGE] = "BSYNC B0;",
    [COUNTED] = "70: NOP;"
                "BAR.SYNC 0x0;"
                "@P0 EXIT;"
                "IMAD.MOV.U32 R7, RZ, RZ, 0x4;",
    [ADD] = "70: IMAD.SHL.U32 R4, R0.reuse, 0x4, RZ;"
            "70: IMAD.WIDE R2, R0, R7, c[0x0][0x168];"
            "70: LDS.U R5, [R4];"
            "75: LDS.U R5, [R0.X4];"
            "75: IMAD.WIDE R2, R0.reuse, R7, c[0x0][0x168];"
            "IADD3 R0, R0, c[0x0][0x0], RZ;"
            "ISETP.GE.AND P0, PT, R0, 0x100, PT;"
            "RED.E.ADD.STRONG.GPU [R2], R5;"
            "@!P0 BRA;",
    [LEAVE] = "EXIT;",
};

enum { DATA, RESULT, N, SKEW };

/* Four bytes of data; skew per cent of them are zero, the others random. */
static uint32_t data_word(const gen_launch_t *l, uint64_t i)
{
    uint64_t random = gen_hash(l->seed, 0, i), choice = gen_mix(random);
    uint32_t word = (uint32_t)random;

    for (unsigned byte = 0; byte < 4; byte++)
        if (gen_reduce(choice << 16 * byte, 100) < l->arg[SKEW])
            word &= ~(0xffu << 8 * byte);
    return word;
}

static void count_words(gen_warp_t *w, uint64_t i, uint32_t active)
{
    static const unsigned bin_reg[] = {5, 6, 7, 8};
    uint64_t bin[4][GEN_WARP];

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint32_t word = data_word(w->launch, i + k);

        for (unsigned byte = 0; byte < 4; byte++)
            bin[byte][k] = GEN_SHARED_WINDOW + 4 * (word >> 8 * byte & 0xff);
    }
    for (unsigned byte = 0; byte < 4; byte++)
        gen_lanes(w, bin_reg[byte], bin[byte]);
    gen_affine(w, 2, w->launch->arg[DATA] + 4 * i, 4);
    gen_run(w, COUNT, active);
}

static void walk_data(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w), step = (uint64_t)w->launch->grid[0] * BLOCK;
    uint32_t active = gen_below(i, arg[N]);

    gen_run(w, RECONVERGE, ~active); /* lanes without data wait there */
    gen_run(w, COUNT_ENTER, active);
    while (active != 0) {
        uint32_t next = gen_below(i + step, arg[N]);

        w->pred[1] = ~next;
        count_words(w, i, active);
        gen_run(w, RECONVERGE, active & ~next);
        active = next;
        i += step;
    }
}

static void walk(gen_warp_t *w)
{
    uint64_t bytes = 4 * gen_first_thread(w);

    w->pred[2] = ~gen_below(gen_first_global(w), w->launch->arg[N]);
    gen_run_to(w, HEAD, CLEAR_ENTER, w->lanes);
    for (unsigned pass = 0; pass < BINS / BLOCK; pass++) {
        w->pred[1] = pass + 1 < BINS / BLOCK ? 0 : UINT32_MAX;
        gen_affine(w, 3, GEN_SHARED_WINDOW + bytes + 4 * BLOCK * pass, 4);
        gen_affine(w, 2, GEN_SHARED_WINDOW + bytes + 4 * BLOCK * pass, 4);
        gen_run(w, CLEAR, w->lanes);
    }
    gen_run(w, CLEARED, w->lanes);
    walk_data(w);
    gen_run(w, COUNTED, w->lanes);
    for (unsigned pass = 0; pass < BINS / BLOCK; pass++) {
        w->pred[0] = pass + 1 < BINS / BLOCK ? 0 : UINT32_MAX;
        gen_affine(w, 4, GEN_SHARED_WINDOW + bytes + 4 * BLOCK * pass, 4);
        gen_affine(w, 0, GEN_SHARED_WINDOW + bytes + 4 * BLOCK * pass, 4);
        gen_affine(w, 2, w->launch->arg[RESULT] + bytes + 4 * BLOCK * pass, 4);
        gen_run(w, ADD, w->lanes);
    }
    gen_run(w, LEAVE, w->lanes);
}

static const gen_kernel_t kernel = {"histo", listing, N_SEGMENTS, 12, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[DATA] = gen_input(g, 4 * g->value[0]);
    g->array[RESULT] = gen_alloc(g, 4 * BINS);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = &kernel;
    l->grid[0] = gen_blocks(g->value[0], WORDS_PER_BLOCK);
    l->block[0] = BLOCK;
    l->shared = 4 * BINS;
    l->arg[DATA] = g->array[DATA];
    l->arg[RESULT] = g->array[RESULT];
    l->arg[N] = g->value[0];
    l->arg[SKEW] = g->value[1];
}

const gen_kind_t gen_kind_histogram = {
    .name = "histogram",
    .summary = "histogram of bytes: atomics in shared, then in global memory",
    .param = {{"size", "4-byte words", 1, UINT64_C(1) << 36, 1 << 20},
              {"skew", "% of the bytes that are equal", 0, 100, 0}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = WORDS_PER_BLOCK,
    .prepare = prepare,
    .launch = launch,
};
