/*
 * Half-precision matrix product on tensor cores with single-precision sums: tiles of 64 x 64, four
 * warps of 32 x 32, steps of 16 along the inner dimension. Volta has HMMA.884 in four steps and
 * loads fragments with LDS, Turing has HMMA.1688 and LDSM.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum {
    TILE = 64,
    STEP = 16,
    BLOCK = 128,
    PITCH = 48, /* bytes of a tile row in shared memory: 16 halves, padded against bank conflicts */
    TILE_BYTES = TILE * PITCH,
};

/* Volta: 16 x 16 x 4 of a fragment; a and b are register pairs. */
#define STEPS(d0, d1, d2, d3, a, b)                                                                \
    "70: HMMA.884.F32.F32.STEP0 " d0 ", " a ".reuse.ROW, " b ".reuse.COL, " d0 ";"                 \
    "70: HMMA.884.F32.F32.STEP1 " d1 ", " a ".reuse.ROW, " b ".reuse.COL, " d1 ";"                 \
    "70: HMMA.884.F32.F32.STEP2 " d2 ", " a ".reuse.ROW, " b ".reuse.COL, " d2 ";"                 \
    "70: HMMA.884.F32.F32.STEP3 " d3 ", " a ".ROW, " b ".COL, " d3 ";"

#define FRAGMENT(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1, b2, b3)                                   \
    STEPS(d0, d1, d2, d3, a0, b0)                                                                  \
    STEPS(d0, d1, d2, d3, a1, b1)                                                                  \
    STEPS(d0, d1, d2, d3, a2, b2)                                                                  \
    STEPS(d0, d1, d2, d3, a3, b3)

/* Turing: 16 x 8 x 16 of a fragment. */
#define COLUMN(d, a0, a1, b0, b1)                                                                  \
    "75: HMMA.1688.F32 " d ", " a0 ", " b0 ", " d ";"                                              \
    "75: HMMA.1688.F32 " d ", " a1 ", " b1 ", " d ";"

/* Stores two rows of a fragment, 8 columns apart, from column on. */
#define SAVE(upper, lower, left, right, d0, d1, d2, d3)                                            \
    "STG.E.64.SYS [" upper "+" left "], " d0 ";"                                                   \
    "STG.E.64.SYS [" lower "+" left "], " d1 ";"                                                   \
    "STG.E.64.SYS [" upper "+" right "], " d2 ";"                                                  \
    "STG.E.64.SYS [" lower "+" right "], " d3 ";"

/* The 16 x 16 products of a warp, from registers of A and B. */
#define VOLTA_UPPER                                                                                \
    FRAGMENT("R48", "R50", "R52", "R54", "R4", "R6", "R8", "R10", "R20", "R22", "R24", "R26")      \
    FRAGMENT("R56", "R58", "R60", "R62", "R4", "R6", "R8", "R10", "R28", "R30", "R32", "R34")
#define VOLTA_LOWER                                                                                \
    FRAGMENT("R64", "R66", "R68", "R70", "R12", "R14", "R16", "R18", "R20", "R22", "R24", "R26")   \
    FRAGMENT("R72", "R74", "R76", "R78", "R12", "R14", "R16", "R18", "R28", "R30", "R32", "R34")
#define TURING_UPPER                                                                               \
    COLUMN("R48", "R4", "R6", "R20", "R21")                                                        \
    COLUMN("R52", "R4", "R6", "R22", "R23")                                                        \
    COLUMN("R56", "R4", "R6", "R24", "R25")                                                        \
    COLUMN("R60", "R4", "R6", "R26", "R27")
#define TURING_LOWER                                                                               \
    COLUMN("R64", "R8", "R10", "R20", "R21")                                                       \
    COLUMN("R68", "R8", "R10", "R22", "R23")                                                       \
    COLUMN("R72", "R8", "R10", "R24", "R25")                                                       \
    COLUMN("R76", "R8", "R10", "R26", "R27")
#define SAVE_ALL                                                                                   \
    SAVE("R16", "R18", "0x0", "0x10", "R48", "R50", "R52", "R54")                                  \
    SAVE("R16", "R18", "0x40", "0x50", "R56", "R58", "R60", "R62")                                 \
    SAVE("R20", "R22", "0x0", "0x10", "R64", "R66", "R68", "R70")                                  \
    SAVE("R20", "R22", "0x40", "0x50", "R72", "R74", "R76", "R78")

/* Loads the next tiles into registers while the current ones are multiplied. */
#define LOAD                                                                                       \
    "LDG.E.128.SYS R36, [R80];"                                                                    \
    "LDG.E.128.SYS R40, [R82];"                                                                    \
    "IADD3 R87, R87, 0x10, RZ;"                                                                    \
    "IADD3 R80, P0, R80, 0x20, RZ;"                                                                \
    "IADD3 R82, P2, R82, 0x20, RZ;"                                                                \
    "IADD3.X R81, RZ, R81, RZ, P0, !PT;"                                                           \
    "IADD3.X R83, RZ, R83, RZ, P2, !PT;"

enum { HEAD, LOAD_FIRST, SAVE_TILES, LOAD_NEXT, UPPER, LOWER, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_TID.X;"
                       "S2R R2, SR_CTAID.X;"
                       "S2R R3, SR_CTAID.Y;"
                       "SHF.R.U32.HI R4, RZ, 0x1, R0;"
                       "LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT;"
                       "LEA R6, R3, R4, 0x6;"
                       "LEA R7, R2, R4, 0x6;"
                       "IMAD.SHL.U32 R5, R5, 0x8, RZ;"
                       "IMAD R6, R6, c[0x0][0x180], R5;"
                       "IMAD R7, R7, c[0x0][0x180], R5;"
                       "MOV R8, 0x2;"
                       "IMAD.WIDE R80, R6, R8, c[0x0][0x160];"
                       "IMAD.WIDE R82, R7, R8, c[0x0][0x168];"
                       "IMAD R84, R4, 0x30, R5;"
                       "SHF.R.U32.HI R9, RZ, 0x5, R0;"
                       "LOP3.LUT R10, R0, 0x1f, RZ, 0xc0, !PT;"
                       "LOP3.LUT R11, R10, 0x3, RZ, 0xc0, !PT;"
                       "SHF.R.U32.HI R12, RZ, 0x4, R10;"
                       "IMAD R85, R12, 0x4, R11;"
                       "IMAD R86, R9, 0x20, R85;"
                       "IMAD.SHL.U32 R85, R85, 0x10, RZ;"
                       "IADD3 R86, R86, 0xc00, RZ;"
                       "CS2R R48, SRZ;"
                       "CS2R R50, SRZ;"
                       "CS2R R52, SRZ;"
                       "CS2R R54, SRZ;"
                       "CS2R R56, SRZ;"
                       "CS2R R58, SRZ;"
                       "CS2R R60, SRZ;"
                       "CS2R R62, SRZ;"
                       "CS2R R64, SRZ;"
                       "CS2R R66, SRZ;"
                       "CS2R R68, SRZ;"
                       "CS2R R70, SRZ;"
                       "CS2R R72, SRZ;"
                       "CS2R R74, SRZ;"
                       "CS2R R76, SRZ;"
                       "CS2R R78, SRZ;"
                       "MOV R87, RZ;",
    [LOAD_FIRST] = LOAD,
    [SAVE_TILES] = "STS.128 [R84], R36;"
                   "STS.128 [R84+0xc00], R40;"
                   "70: NOP;"
                   "BAR.SYNC 0x0;"
                   "ISETP.GE.AND P1, PT, R87, c[0x0][0x180], PT;"
                   "@P1 BRA;",
    [LOAD_NEXT] = LOAD,
    [UPPER] = "70: LDS.U.128 R4, [R85];"
              "70: LDS.U.128 R20, [R86];"
              "70: LDS.U.128 R8, [R85+0x10];"
              "70: LDS.U.128 R24, [R86+0x10];"
              "70: LDS.U.128 R12, [R85+0x300];"
              "70: LDS.U.128 R28, [R86+0x300];"
              "70: LDS.U.128 R16, [R85+0x310];"
              "70: LDS.U.128 R32, [R86+0x310];"
              "75: LDSM.16.M88.4 R4, [R88];"
              "75: LDSM.16.M88.4 R20, [R89];"
              "75: LDSM.16.M88.4 R8, [R88+0x300];"
              "75: LDSM.16.M88.4 R24, [R89+0x300];" VOLTA_UPPER TURING_UPPER,
    [LOWER] = VOLTA_LOWER TURING_LOWER "70: NOP;"
                                       "BAR.SYNC 0x0;"
                                       "@!P1 BRA;",
    [STORE] = "S2R R2, SR_CTAID.X;"
              "S2R R3, SR_CTAID.Y;"
              "LEA R11, R3, R11, 0x6;"
              "LEA R12, R2, R12, 0x6;"
              "IMAD R13, R11, c[0x0][0x17c], R12;"
              "MOV R14, 0x4;"
              "MOV R15, c[0x0][0x17c];"
              "IMAD.WIDE R16, R13, R14, c[0x0][0x170];"
              "IMAD.WIDE R18, R15, 0x8, R16;"
              "IMAD.WIDE R20, R15, 0x40, R16;"
              "IMAD.WIDE R22, R15, 0x8, R20;" SAVE_ALL "EXIT;",
};

enum { A, B, C, N };

/* The row of a 16 x 16 fragment that a lane loads on Volta. */
static unsigned volta_row(unsigned lane)
{
    return (lane & 3) | (lane >> 2 & 1) << 3 | (lane >> 4 & 1) << 2;
}

/* Registers that load fragments: R85 and R86 on Volta, R88 and R89 on Turing. */
static void set_fragments(gen_warp_t *w)
{
    uint64_t a = GEN_SHARED_WINDOW + (uint64_t)(w->warp / 2) * 32 * PITCH;
    uint64_t b = GEN_SHARED_WINDOW + TILE_BYTES + (uint64_t)(w->warp % 2) * 32 * PITCH;
    uint64_t volta[2][GEN_WARP];

    for (unsigned k = 0; k < GEN_WARP; k++) {
        volta[0][k] = a + volta_row(k) * PITCH;
        volta[1][k] = b + volta_row(k) * PITCH;
    }
    gen_lanes(w, 85, volta[0]);
    gen_lanes(w, 86, volta[1]);
    gen_tile(w, 88, a, 16, PITCH, 16);
    gen_tile(w, 89, b, 16, PITCH, 16);
}

/* Lane k holds two elements of row k / 4, from column 2 * (k % 4) on. */
static void store(gen_warp_t *w)
{
    static const unsigned reg[] = {16, 18, 20, 22};
    uint64_t n = w->launch->arg[N], row = (uint64_t)w->id[1] * TILE + w->warp / 2 * 32;
    uint64_t column = (uint64_t)w->id[0] * TILE + w->warp % 2 * 32;

    for (unsigned i = 0; i < 4; i++)
        gen_tile(w, reg[i], w->launch->arg[C] + 4 * ((row + 8 * i) * n + column), 4, 8,
                 (int64_t)(4 * n));
    gen_run(w, STORE, w->lanes);
}

static void load(gen_warp_t *w, unsigned segment)
{
    gen_run(w, segment, w->lanes);
    gen_advance(w, 80, 2 * STEP);
    gen_advance(w, 82, 2 * STEP);
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t n = arg[N], half = gen_first_thread(w) / 2, pitch = 2 * n;

    gen_run(w, HEAD, w->lanes);
    set_fragments(w);
    gen_tile(w, 80, arg[A] + ((uint64_t)w->id[1] * TILE + half) * pitch, 2, 16, (int64_t)pitch);
    gen_tile(w, 82, arg[B] + ((uint64_t)w->id[0] * TILE + half) * pitch, 2, 16, (int64_t)pitch);
    gen_tile(w, 84, GEN_SHARED_WINDOW + half * PITCH, 2, 16, PITCH);
    load(w, LOAD_FIRST);
    for (uint64_t k = 0; k < n; k += STEP) {
        bool last = k + STEP >= n;

        w->pred[1] = last ? UINT32_MAX : 0;
        gen_run(w, SAVE_TILES, w->lanes);
        if (!last)
            load(w, LOAD_NEXT);
        gen_run_to(w, UPPER, LOWER, w->lanes);
    }
    store(w);
}

static const gen_kernel_t kernel = {"hgemm_fp16_64x64_tn", listing, N_SEGMENTS, 96, walk};

/* Rounds up to whole tiles, as libraries do. */
static uint64_t padded(const gen_program_t *g)
{
    return (g->value[0] + TILE - 1) / TILE * TILE;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t n = padded(g);

    (void)err;
    g->array[A] = gen_input(g, 2 * n * n);
    g->array[B] = gen_input(g, 2 * n * n);
    g->array[C] = gen_alloc(g, 4 * n * n);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = &kernel;
    l->grid[0] = l->grid[1] = gen_blocks(padded(g), TILE);
    l->block[0] = BLOCK;
    l->shared = 2 * TILE_BYTES;
    for (unsigned i = A; i <= C; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = padded(g);
}

const gen_kind_t gen_kind_hgemm = {
    .name = "hgemm",
    .summary = "half-precision matrix product on tensor cores, single-precision sums",
    .param = {{"size", "rows and columns, in whole tiles of 64", 1, 1 << 15, 1024}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .block_side = TILE,
    .prepare = prepare,
    .launch = launch,
};
