/*
 * Sum of an array: each block of a launch adds 512 elements through shared memory; the next launch
 * adds the sums of the blocks, until one is left.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { BLOCK = 256, PER_BLOCK = 2 * BLOCK };

enum { LOAD, SAVE, HALVE, NEXT, FOLD, LAST_WARP, JOIN, STORE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [LOAD] = GEN_ENTER "S2R R3, SR_CTAID.X;"
                       "IMAD.MOV.U32 R10, RZ, RZ, c[0x0][0x0];"
                       "IMAD.MOV.U32 R9, RZ, RZ, RZ;"
                       "S2R R0, SR_TID.X;"
                       "SHF.L.U32 R2, R10, 0x1, RZ;"
                       "IMAD R2, R2, R3, R0;"
                       "IADD3 R6, R2.reuse, c[0x0][0x0], RZ;"
                       "ISETP.GE.U32.AND P0, PT, R2, c[0x0][0x170], PT;"
                       "ISETP.GE.U32.AND P1, PT, R6, c[0x0][0x170], PT;"
                       "@!P0 IMAD.MOV.U32 R5, RZ, RZ, 0x4;"
                       "@!P1 MOV R7, 0x4;"
                       "@!P0 IMAD.WIDE.U32 R4, R2, R5, c[0x0][0x160];"
                       "@!P1 IMAD.WIDE.U32 R6, R6, R7, c[0x0][0x160];"
                       "@!P0 LDG.E.SYS R9, [R4];"
                       "@!P1 LDG.E.SYS R6, [R6];"
                       "SHF.L.U32 R8, R0.reuse, 0x2, RZ;"
                       "ISETP.GT.U32.AND P0, PT, R0, 0x1f, PT;"
                       "@!P1 FADD R9, R9, R6;",
    [SAVE] = "ISETP.GE.U32.AND P1, PT, R10, 0x42, PT;"
             "STS [R8], R9;"
             "70: NOP;"
             "BAR.SYNC 0x0;"
             "@!P1 BRA;"
             "IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x0];",
    [HALVE] = "SHF.R.U32.HI R5, RZ, 0x1, R2;"
              "ISETP.GE.U32.AND P1, PT, R0, R5, PT;"
              "@!P1 LEA R4, R5, R8, 0x2;"
              "@!P1 LDS.U R4, [R4];"
              "@!P1 FADD R9, R9, R4;"
              "@!P1 STS [R8], R9;"
              "70: NOP;"
              "BAR.SYNC 0x0;",
    [NEXT] = "ISETP.GT.U32.AND P1, PT, R2, 0x83, PT;"
             "IMAD.MOV.U32 R2, RZ, RZ, R5;"
             "@P1 BRA;",
    [FOLD] = "BMOV.32.CLEAR RZ, B0;"
             "BSSY B0;"
             "@P0 BRA;",
    [LAST_WARP] = "LDS.U R8, [R8+0x80];"
                  "FADD R9, R9, R8;"
                  "BRA.DIV;"
                  "SHFL.DOWN PT, R2, R9, 0x10, 0x1f;"
                  "FADD R2, R9, R2;"
                  "SHFL.DOWN PT, R5, R2, 0x8, 0x1f;"
                  "FADD R5, R2, R5;"
                  "SHFL.DOWN PT, R4, R5, 0x4, 0x1f;"
                  "FADD R4, R5, R4;"
                  "SHFL.DOWN PT, R7, R4, 0x2, 0x1f;"
                  "FADD R7, R4, R7;"
                  "SHFL.DOWN PT, R6, R7, 0x1, 0x1f;"
                  "FADD R9, R6, R7;",
    [JOIN] = "BSYNC B0;"
             "ISETP.NE.AND P0, PT, R0, RZ, PT;"
             "@P0 EXIT;",
    [STORE] = "MOV R2, 0x4;"
              "IMAD.WIDE.U32 R2, R3, R2, c[0x0][0x168];"
              "STG.E.SYS [R2], R9;"
              "EXIT;",
};

enum { IN, OUT, N };

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t thread = gen_first_thread(w), i = w->block * PER_BLOCK + thread;

    w->pred[0] = ~gen_below(i, arg[N]);
    w->pred[1] = ~gen_below(i + BLOCK, arg[N]);
    gen_affine(w, 4, arg[IN] + 4 * i, 4);
    gen_affine(w, 6, arg[IN] + 4 * (i + BLOCK), 4);
    gen_run(w, LOAD, w->lanes);
    gen_affine(w, 8, GEN_SHARED_WINDOW + 4 * thread, 4);
    w->pred[1] = UINT32_MAX;
    gen_run(w, SAVE, w->lanes);
    for (unsigned half = BLOCK / 2; half > GEN_WARP; half /= 2) {
        w->pred[1] = thread < half ? 0 : UINT32_MAX;
        gen_affine(w, 4, GEN_SHARED_WINDOW + 4 * (thread + half), 4);
        gen_run(w, HALVE, w->lanes);
        w->pred[1] = half / 2 > GEN_WARP ? UINT32_MAX : 0;
        gen_run(w, NEXT, w->lanes);
    }
    w->pred[0] = w->warp == 0 ? 0 : UINT32_MAX;
    gen_run(w, FOLD, w->lanes);
    gen_run(w, LAST_WARP, w->lanes & ~w->pred[0]);
    w->pred[0] = w->warp == 0 ? ~1u : UINT32_MAX;
    gen_run(w, JOIN, w->lanes);
    gen_affine(w, 2, arg[OUT] + 4 * w->block, 0);
    gen_run(w, STORE, w->lanes & ~w->pred[0]);
}

const gen_kernel_t gen_kernel_reduce = {"reduce_smem", listing, N_SEGMENTS, 14, walk};

void gen_reduce_shape(gen_launch_t *l, uint64_t n, uint64_t in, uint64_t out)
{
    l->kernel = &gen_kernel_reduce;
    l->grid[0] = gen_blocks(n, PER_BLOCK);
    l->block[0] = BLOCK;
    l->shared = 4 * BLOCK;
    l->arg[IN] = in;
    l->arg[OUT] = out;
    l->arg[N] = n;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t n = g->value[0];

    (void)err;
    g->array[0] = gen_input(g, 4 * n);
    for (unsigned i = 1; i < 3; i++) /* sums of blocks, in two alternating arrays */
        g->array[i] = gen_alloc(g, 4 * (uint64_t)gen_blocks(n, PER_BLOCK));
    for (g->n_launches = 1; n > PER_BLOCK; g->n_launches++)
        n = gen_blocks(n, PER_BLOCK);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t n = g->value[0];

    for (uint64_t i = 1; i < id; i++)
        n = gen_blocks(n, PER_BLOCK);
    gen_reduce_shape(l, n, id == 1 ? g->array[0] : g->array[1 + id % 2], g->array[2 - id % 2]);
}

const gen_kind_t gen_kind_reduction = {
    .name = "reduction",
    .summary = "sum of an array through shared memory and shuffles, in launches of decreasing size",
    .param = {{"size", "elements", 1, UINT64_C(1) << 36, 1 << 20}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_reduce, NULL},
    .per_block = PER_BLOCK,
    .prepare = prepare,
    .launch = launch,
};
