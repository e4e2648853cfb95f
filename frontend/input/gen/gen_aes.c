/*
 * AES encryption with tables in shared memory: each thread encrypts a block of 16 bytes. Table
 * look-ups are random.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, TABLES = 4, TABLE_BYTES = 1024 };

/* Converts the bytes of a state word to offsets into the four tables and loads t0 .. t3. */
#define LOOK_UP(t0, t1, t2, t3, w0, w1, w2, w3)                                                    \
    "LOP3.LUT " t0 ", " w0 ", 0xff, RZ, 0xc0, !PT;"                                                \
    "SHF.R.U32.HI " t1 ", RZ, 0x8, " w1 ";"                                                        \
    "SHF.R.U32.HI " t2 ", RZ, 0x10, " w2 ";"                                                       \
    "SHF.R.U32.HI " t3 ", RZ, 0x18, " w3 ";"                                                       \
    "LOP3.LUT " t1 ", " t1 ", 0xff, RZ, 0xc0, !PT;"                                                \
    "LOP3.LUT " t2 ", " t2 ", 0xff, RZ, 0xc0, !PT;"                                                \
    "IMAD.SHL.U32 " t0 ", " t0 ", 0x4, RZ;"                                                        \
    "LEA " t1 ", " t1 ", 0x400, 0x2;"                                                              \
    "LEA " t2 ", " t2 ", 0x800, 0x2;"                                                              \
    "LEA " t3 ", " t3 ", 0xc00, 0x2;"                                                              \
    "LDS.U " t0 ", [" t0 "];"                                                                      \
    "LDS.U " t1 ", [" t1 "];"                                                                      \
    "LDS.U " t2 ", [" t2 "];"                                                                      \
    "LDS.U " t3 ", [" t3 "];"

/* Computes a word of the next state: three-way exclusive or of look-ups and round key. */
#define COMBINE(w, t0, t1, t2, t3, key)                                                            \
    "LOP3.LUT " t0 ", " t0 ", " t1 ", " t2 ", 0x96, !PT;"                                          \
    "LDC " w ", c[0x3][" key "];"                                                                  \
    "LOP3.LUT " w ", " t0 ", " t3 ", " w ", 0x96, !PT;"

enum { HEAD, FILL, ENTER, ROUND, LEAVE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R2, SR_TID.X;"
                       "S2R R0, SR_CTAID.X;"
                       "MOV R3, 0x4;"
                       "IMAD.WIDE R40, R2, R3, c[0x0][0x160];"
                       "IMAD.SHL.U32 R42, R2, 0x4, RZ;"
                       "IMAD R0, R0, c[0x0][0x0], R2;",
    [FILL] = "LDG.E.CONSTANT.SYS R4, [R40];"
             "LDG.E.CONSTANT.SYS R5, [R40+0x400];"
             "LDG.E.CONSTANT.SYS R6, [R40+0x800];"
             "LDG.E.CONSTANT.SYS R7, [R40+0xc00];"
             "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
             "STS [R42], R4;"
             "STS [R42+0x400], R5;"
             "STS [R42+0x800], R6;"
             "STS [R42+0xc00], R7;"
             "70: NOP;"
             "BAR.SYNC 0x0;"
             "@P0 EXIT;",
    [ENTER] = "MOV R3, 0x10;"
              "IMAD.WIDE R40, R0, R3, c[0x0][0x168];"
              "LDG.E.128.SYS R4, [R40];"
              "MOV R43, RZ;"
              "LOP3.LUT R4, R4, c[0x3][0x0], RZ, 0x3c, !PT;"
              "LOP3.LUT R5, R5, c[0x3][0x4], RZ, 0x3c, !PT;"
              "LOP3.LUT R6, R6, c[0x3][0x8], RZ, 0x3c, !PT;"
              "LOP3.LUT R7, R7, c[0x3][0xc], RZ, 0x3c, !PT;",
    [ROUND] = LOOK_UP("R8", "R9", "R10", "R11", "R4", "R5", "R6",
                      "R7") LOOK_UP("R12", "R13", "R14", "R15", "R5", "R6", "R7", "R4")
        LOOK_UP("R16", "R17", "R18", "R19", "R6", "R7", "R4", "R5")
            LOOK_UP("R20", "R21", "R22", "R23", "R7", "R4", "R5",
                    "R6") "IADD3 R43, R43, 0x10, RZ;" COMBINE("R4", "R8", "R9", "R10", "R11", "R43")
                COMBINE("R5", "R12", "R13", "R14", "R15", "R43+0x4")
                    COMBINE("R6", "R16", "R17", "R18", "R19", "R43+0x8")
                        COMBINE("R7", "R20", "R21", "R22", "R23",
                                "R43+0xc") "ISETP.GE.AND P0, PT, R43, c[0x0][0x17c], PT;"
                                           "@!P0 BRA;",
    [LEAVE] = "IMAD.WIDE R40, R0, R3, c[0x0][0x170];"
              "STG.E.128.SYS [R40], R4;"
              "EXIT;",
};

enum { TABLE, IN, OUT, N, ROUNDS };

static void look_up(gen_warp_t *w, uint64_t first, uint64_t round)
{
    uint64_t entry[16][GEN_WARP];

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t low = gen_hash(w->launch->seed, first + k, round), high = gen_mix(low);

        for (unsigned i = 0; i < 16; i++) {
            uint64_t byte = (i < 8 ? low : high) >> 8 * (i % 8) & 0xff;

            entry[i][k] = GEN_SHARED_WINDOW + i % TABLES * TABLE_BYTES + 4 * byte;
        }
    }
    for (unsigned i = 0; i < 16; i++)
        gen_lanes(w, 8 + i, entry[i]);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w), thread = gen_first_thread(w);
    uint32_t active = w->lanes & gen_below(i, arg[N]);

    gen_run(w, HEAD, w->lanes);
    gen_affine(w, 40, arg[TABLE] + 4 * thread, 4);
    gen_affine(w, 42, GEN_SHARED_WINDOW + 4 * thread, 4);
    w->pred[0] = ~active;
    gen_run(w, FILL, w->lanes);
    gen_affine(w, 40, arg[IN] + 16 * i, 16);
    gen_run(w, ENTER, active);
    for (uint64_t round = 0; round < arg[ROUNDS]; round++) {
        w->pred[0] = round + 1 == arg[ROUNDS] ? UINT32_MAX : 0;
        look_up(w, i, round);
        gen_run(w, ROUND, active);
    }
    gen_affine(w, 40, arg[OUT] + 16 * i, 16);
    gen_run(w, LEAVE, active);
}

static const gen_kernel_t kernel = {"aes_encrypt", listing, N_SEGMENTS, 44, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[TABLE] = gen_input(g, TABLES * TABLE_BYTES);
    g->array[IN] = gen_input(g, 16 * g->value[0]);
    g->array[OUT] = gen_alloc(g, 16 * g->value[0]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, g->value[0], BLOCK);
    l->shared = TABLES * TABLE_BYTES;
    for (unsigned i = TABLE; i <= OUT; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = g->value[0];
    l->arg[ROUNDS] = g->value[1];
}

const gen_kind_t gen_kind_aes = {
    .name = "aes",
    .summary = "AES with look-up tables in shared memory, one 16-byte block per thread",
    .param = {{"size", "blocks of 16 bytes", 1, UINT64_C(1) << 32, 1 << 18},
              {"rounds", "rounds of the cipher", 1, 100, 10}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
