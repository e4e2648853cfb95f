/*
 * Single-precision matrix product as in libraries: 64 x 64 tiles in shared memory, 4 x 4 elements
 * per thread in registers, steps of 8 along the inner dimension.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { TILE = 64, STEP = 8, BLOCK = 256, PART = 4 };

/* Row a of the outer product with b0 .. b3. */
#define ROW(c0, c1, c2, c3, a, b0, b1, b2, b3)                                                     \
    "FFMA " c0 ", " a ".reuse, " b0 ".reuse, " c0 ";"                                              \
    "FFMA " c1 ", " a ".reuse, " b1 ".reuse, " c1 ";"                                              \
    "FFMA " c2 ", " a ".reuse, " b2 ".reuse, " c2 ";"                                              \
    "FFMA " c3 ", " a ", " b3 ".reuse, " c3 ";"

#define PRODUCT(a0, a1, a2, a3, b0, b1, b2, b3)                                                    \
    ROW("R16", "R17", "R18", "R19", a0, b0, b1, b2, b3)                                            \
    ROW("R20", "R21", "R22", "R23", a1, b0, b1, b2, b3)                                            \
    ROW("R24", "R25", "R26", "R27", a2, b0, b1, b2, b3)                                            \
    ROW("R28", "R29", "R30", "R31", a3, b0, b1, b2, b3)

#define FETCH(a, b, offset)                                                                        \
    "LDS.U.128 " a ", [R40+" offset "];"                                                           \
    "LDS.U.128 " b ", [R41+" offset "];"

/* Two steps: one is loaded while the other is multiplied. */
#define EVEN PRODUCT("R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15")
#define ODD  PRODUCT("R32", "R33", "R34", "R35", "R36", "R37", "R38", "R39")

#define EVEN_AND_FETCH(offset) EVEN FETCH("R8", "R12", offset)
#define ODD_AND_FETCH(offset)  ODD FETCH("R32", "R36", offset)

/* Loads the next tiles into registers while the current ones are multiplied. */
#define LOAD                                                                                       \
    "ISETP.GE.OR P2, PT, R5, c[0x0][0x180], P4;"                                                   \
    "ISETP.GE.OR P3, PT, R10, c[0x0][0x180], P5;"                                                  \
    "CS2R R50, SRZ;"                                                                               \
    "CS2R R52, SRZ;"                                                                               \
    "@!P2 LDG.E.64.SYS R50, [R42];"                                                                \
    "@!P3 LDG.E.64.SYS R52, [R44];"                                                                \
    "IADD3 R48, R48, 0x8, RZ;"                                                                     \
    "IADD3 R42, P0, R42, 0x20, RZ;"                                                                \
    "MOV R49, c[0x0][0x17c];"                                                                      \
    "IADD3.X R43, RZ, R43, RZ, P0, !PT;"                                                           \
    "IMAD.SHL.U32 R49, R49, 0x8, RZ;"                                                              \
    "IMAD.WIDE R44, R49, 0x4, R44;"                                                                \
    "IADD3 R5, R5, 0x8, RZ;"                                                                       \
    "IADD3 R10, R10, 0x8, RZ;"

enum { HEAD, LOAD_FIRST, SAVE, LOAD_NEXT, FETCH_FIRST, MULTIPLY, MULTIPLY_LAST, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_TID.X;"
                       "S2R R2, SR_CTAID.X;"
                       "S2R R3, SR_CTAID.Y;"
                       "SHF.R.U32.HI R4, RZ, 0x2, R0;"
                       "LOP3.LUT R5, R0, 0x3, RZ, 0xc0, !PT;"
                       "LEA R6, R3, R4, 0x6;"
                       "IMAD.SHL.U32 R5, R5, 0x2, RZ;"
                       "IMAD R7, R6, c[0x0][0x180], R5;"
                       "MOV R8, 0x4;"
                       "IMAD.WIDE R42, R7, R8, c[0x0][0x160];"
                       "LOP3.LUT R9, R0, 0x1f, RZ, 0xc0, !PT;"
                       "SHF.R.U32.HI R10, RZ, 0x5, R0;"
                       "IMAD.SHL.U32 R9, R9, 0x2, RZ;"
                       "LEA R11, R2, R9, 0x6;"
                       "IMAD R12, R10, c[0x0][0x17c], R11;"
                       "IMAD.WIDE R44, R12, R8, c[0x0][0x168];"
                       "LEA R46, R5, R4, 0x6;"
                       "IMAD.SHL.U32 R46, R46, 0x4, RZ;"
                       "LEA R47, R10, R9, 0x6;"
                       "LEA R47, R47, 0x800, 0x2;"
                       "SHF.R.U32.HI R40, RZ, 0x4, R0;"
                       "LOP3.LUT R41, R0, 0xf, RZ, 0xc0, !PT;"
                       "IMAD.SHL.U32 R40, R40, 0x10, RZ;"
                       "LEA R41, R41, 0x800, 0x4;"
                       "CS2R R16, SRZ;"
                       "CS2R R18, SRZ;"
                       "CS2R R20, SRZ;"
                       "CS2R R22, SRZ;"
                       "CS2R R24, SRZ;"
                       "CS2R R26, SRZ;"
                       "CS2R R28, SRZ;"
                       "CS2R R30, SRZ;"
                       "MOV R48, RZ;"
                       "ISETP.GE.AND P4, PT, R6, c[0x0][0x178], PT;"
                       "ISETP.GE.AND P5, PT, R11, c[0x0][0x17c], PT;",
    [LOAD_FIRST] = LOAD,
    [SAVE] = "STS [R46], R50;"
             "STS [R46+0x100], R51;"
             "STS.64 [R47], R52;"
             "70: NOP;"
             "BAR.SYNC 0x0;"
             "ISETP.GE.AND P1, PT, R48, c[0x0][0x180], PT;"
             "@P1 BRA;",
    [LOAD_NEXT] = LOAD,
    [FETCH_FIRST] = FETCH("R8", "R12", "0x0") FETCH("R32", "R36", "0x100"),
    [MULTIPLY] = EVEN_AND_FETCH("0x200") ODD_AND_FETCH("0x300") EVEN_AND_FETCH("0x400")
        ODD_AND_FETCH("0x500"),
    [MULTIPLY_LAST] = EVEN_AND_FETCH("0x600") ODD_AND_FETCH("0x700") EVEN ODD "70: NOP;"
                                                                              "BAR.SYNC 0x0;"
                                                                              "@!P1 BRA;",
    [STORE] = "S2R R2, SR_CTAID.X;"
              "S2R R3, SR_CTAID.Y;"
              "SHF.R.U32.HI R4, RZ, 0x4, R0;"
              "LOP3.LUT R5, R0, 0xf, RZ, 0xc0, !PT;"
              "IMAD.SHL.U32 R4, R4, 0x4, RZ;"
              "IMAD.SHL.U32 R5, R5, 0x4, RZ;"
              "LEA R4, R3, R4, 0x6;"
              "LEA R5, R2, R5, 0x6;"
              "IMAD R6, R4, c[0x0][0x17c], R5;"
              "MOV R7, 0x4;"
              "ISETP.GE.AND P0, PT, R5, c[0x0][0x17c], PT;"
              "IADD3 R13, R4.reuse, 0x1, RZ;"
              "IADD3 R14, R4.reuse, 0x2, RZ;"
              "IADD3 R15, R4.reuse, 0x3, RZ;"
              "ISETP.GE.OR P2, PT, R4, c[0x0][0x178], P0;"
              "ISETP.GE.OR P3, PT, R13, c[0x0][0x178], P0;"
              "ISETP.GE.OR P4, PT, R14, c[0x0][0x178], P0;"
              "ISETP.GE.OR P5, PT, R15, c[0x0][0x178], P0;"
              "IMAD.WIDE R32, R6, R7, c[0x0][0x170];"
              "MOV R49, c[0x0][0x17c];"
              "IMAD.WIDE R34, R49, 0x4, R32;"
              "IMAD.WIDE R36, R49, 0x4, R34;"
              "IMAD.WIDE R38, R49, 0x4, R36;"
              "@!P2 STG.E.128.SYS [R32], R16;"
              "@!P3 STG.E.128.SYS [R34], R20;"
              "@!P4 STG.E.128.SYS [R36], R24;"
              "@!P5 STG.E.128.SYS [R38], R28;"
              "EXIT;",
};

/* m x k times k x n; rows are n or k elements apart. */
enum { A, B, C, M, N, K };

/* Lanes with row + (lane / columns) * dy < rows and column + (lane % columns) * dx < n. */
static uint32_t inside(uint64_t row, uint64_t rows, uint64_t column, uint64_t n, unsigned columns,
                       unsigned dx)
{
    uint32_t mask = 0;

    for (unsigned k = 0; k < GEN_WARP; k++)
        if (row + k / columns < rows && column + k % columns * dx < n)
            mask |= 1u << k;
    return mask;
}

static void set_shared(gen_warp_t *w)
{
    uint64_t thread = gen_first_thread(w), warp = w->warp;
    uint64_t ty = thread / 16; /* a warp covers two rows of threads */

    gen_tile(w, 46, GEN_SHARED_WINDOW + thread / 4 * 4, 4, 2 * TILE * 4, 4);
    gen_affine(w, 47, GEN_SHARED_WINDOW + 4 * STEP * TILE + warp * 4 * TILE, 8);
    gen_tile(w, 40, GEN_SHARED_WINDOW + ty * 16, 16, 0, 16);
    gen_tile(w, 41, GEN_SHARED_WINDOW + 4 * STEP * TILE, 16, 16, 0);
}

static void store(gen_warp_t *w)
{
    static const unsigned pred[PART] = {2, 3, 4, 5}, reg[PART] = {32, 34, 36, 38};
    const uint64_t *arg = w->launch->arg;
    uint64_t row = (uint64_t)w->id[1] * TILE + (uint64_t)w->warp * 2 * PART;
    uint64_t column = (uint64_t)w->id[0] * TILE, pitch = 4 * arg[N];

    for (unsigned r = 0; r < PART; r++) {
        uint32_t columns = inside(0, 1, column, arg[N], 16, PART) & 0xffffu;
        uint64_t upper = row + r, lower = upper + PART;

        w->pred[pred[r]] = ~((upper < arg[M] ? columns : 0) | (lower < arg[M] ? columns << 16 : 0));
        gen_tile(w, reg[r], arg[C] + upper * pitch + 4 * column, 16, 4 * PART,
                 (int64_t)(PART * pitch));
    }
    gen_run(w, STORE, w->lanes);
}

/* Loads the tiles from inner index k on; the address registers move to the next ones. */
static void load(gen_warp_t *w, unsigned segment, uint64_t k)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t row = (uint64_t)w->id[1] * TILE + gen_first_thread(w) / 4;
    uint64_t column = (uint64_t)w->id[0] * TILE;

    w->pred[2] = ~inside(row, arg[M], k, arg[K], 4, 2);
    w->pred[3] = k + w->warp < arg[K] ? ~inside(0, 1, column, arg[N], GEN_WARP, 2) : UINT32_MAX;
    gen_run(w, segment, w->lanes);
    gen_advance(w, 42, 4 * STEP);
    gen_advance(w, 44, (int64_t)(STEP * 4 * arg[N]));
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t row = (uint64_t)w->id[1] * TILE + gen_first_thread(w) / 4;
    uint64_t column = (uint64_t)w->id[0] * TILE, pitch = 4 * arg[N];

    gen_run(w, HEAD, w->lanes);
    set_shared(w);
    gen_tile(w, 42, arg[A] + 4 * row * arg[K], 4, 8, (int64_t)(4 * arg[K]));
    gen_affine(w, 44, arg[B] + w->warp * pitch + 4 * column, 8);
    load(w, LOAD_FIRST, 0);
    for (uint64_t k = 0; k < arg[K]; k += STEP) {
        bool last = k + STEP >= arg[K];

        w->pred[1] = last ? UINT32_MAX : 0;
        gen_run(w, SAVE, w->lanes);
        if (!last)
            load(w, LOAD_NEXT, k + STEP);
        gen_run_to(w, FETCH_FIRST, MULTIPLY_LAST, w->lanes);
    }
    store(w);
}

const gen_kernel_t gen_kernel_sgemm = {"sgemm_64x64_nn", listing, N_SEGMENTS, 56, walk};

void gen_sgemm_shape(gen_launch_t *l, const gen_gemm_t *gemm)
{
    l->kernel = &gen_kernel_sgemm;
    l->grid[0] = gen_blocks(gemm->n, TILE);
    l->grid[1] = gen_blocks(gemm->m, TILE);
    l->block[0] = BLOCK;
    l->shared = 2 * 4 * STEP * TILE;
    l->arg[A] = gemm->a;
    l->arg[B] = gemm->b;
    l->arg[C] = gemm->c;
    l->arg[M] = gemm->m;
    l->arg[N] = gen_pitch(gemm->n);
    l->arg[K] = gen_pitch(gemm->k);
}

enum { SIZE, INNER };

static uint64_t inner_of(const gen_program_t *g)
{
    return g->value[INNER] != 0 ? g->value[INNER] : g->value[SIZE];
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t n = gen_pitch(g->value[SIZE]), k = gen_pitch(inner_of(g));

    (void)err;
    g->array[A] = gen_input(g, 4 * n * k);
    g->array[B] = gen_input(g, 4 * k * n);
    g->array[C] = gen_alloc(g, 4 * n * n);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_sgemm_shape(l, &(gen_gemm_t){.a = g->array[A],
                                     .b = g->array[B],
                                     .c = g->array[C],
                                     .m = g->value[SIZE],
                                     .n = g->value[SIZE],
                                     .k = inner_of(g)});
}

const gen_kind_t gen_kind_sgemm = {
    .name = "sgemm",
    .summary = "single-precision matrix product, 64 x 64 tiles, 4 x 4 elements per thread",
    .param = {{"size", "rows and columns of the product", 1, 1 << 15, 1024},
              {"inner", "inner dimension; 0: equal to size", 0, 1 << 15, 0}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_sgemm, NULL},
    .block_side = TILE,
    .prepare = prepare,
    .launch = launch,
};
