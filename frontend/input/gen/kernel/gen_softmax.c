/*
 * Softmax of the rows of a matrix, one block per row: maximum, sum of exponentials, quotients. The
 * code of traces/softmax-*.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { BLOCK = 128, WARPS = BLOCK / GEN_WARP };

enum {
    HEAD,
    ENTER,
    MAXIMUM,
    MAXIMUM_END,
    BLOCK_MAXIMUM,
    SUM,
    SUM_END,
    BLOCK_SUM,
    ENTER_DIVIDE,
    DIVIDE,
    SLOW_DIVIDE,
    STORE,
    LEAVE,
    N_SEGMENTS
};

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28];"
             "70: @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ;"
             "S2R R2, SR_TID.X;"
             "BMOV.32.CLEAR RZ, B0;"
             "BSSY B0;"
             "IMAD.MOV.U32 R3, RZ, RZ, -0x800000;"
             "S2R R0, SR_CTAID.X;"
             "ISETP.GE.AND P0, PT, R2, c[0x0][0x170], PT;"
             "IMAD.MOV.U32 R4, RZ, RZ, R2;"
             "@P0 BRA;",
    [ENTER] = "IMAD.MOV.U32 R5, RZ, RZ, R4;",
    [MAXIMUM] = "SHF.R.S32.HI R7, RZ, 0x1f, R5.reuse;"
                "IMAD.MOV.U32 R6, RZ, RZ, R5;"
                "IMAD.WIDE R8, R0, c[0x0][0x170], R6;"
                "LEA R6, P1, R8, c[0x0][0x160], 0x2;"
                "LEA.HI.X R7, R8, c[0x0][0x164], R9, 0x2, P1;"
                "LDG.E.SYS R6, [R6];"
                "IADD3 R5, R5, c[0x0][0x0], RZ;"
                "ISETP.GE.AND P1, PT, R5, c[0x0][0x170], PT;"
                "FMNMX R3, R6, R3, !PT;"
                "@!P1 BRA;",
    [MAXIMUM_END] = "BSYNC B0;",
    [BLOCK_MAXIMUM] = "SHFL.BFLY PT, R6, R3, 0x10, 0x1f;"
                      "IMAD.MOV.U32 R11, RZ, RZ, c[0x0][0x0];"
                      "BMOV.32.CLEAR RZ, B0;"
                      "BSSY B0;"
                      "SHF.R.U32.HI R11, RZ, 0x5, R11;"
                      "FMNMX R5, R6, R3, !PT;"
                      "SHF.R.S32.HI R3, RZ, 0x5, R4;"
                      "SHFL.BFLY PT, R6, R5, 0x8, 0x1f;"
                      "FMNMX R7, R5, R6, !PT;"
                      "IMAD.SHL.U32 R5, R3, 0x4, RZ;"
                      "IMAD.MOV.U32 R3, RZ, RZ, -0x800000;"
                      "SHFL.BFLY PT, R6, R7, 0x4, 0x1f;"
                      "FMNMX R8, R7, R6, !PT;"
                      "LOP3.LUT R6, R2, 0x1f, RZ, 0xc0, !PT;"
                      "ISETP.NE.AND P1, PT, R6.reuse, RZ, PT;"
                      "SHFL.BFLY PT, R9, R8, 0x2, 0x1f;"
                      "ISETP.GE.U32.AND P2, PT, R6.reuse, R11, PT;"
                      "IMAD.SHL.U32 R6, R6, 0x4, RZ;"
                      "IMAD.MOV.U32 R11, RZ, RZ, RZ;"
                      "FMNMX R9, R8, R9, !PT;"
                      "SHFL.BFLY PT, R10, R9, 0x1, 0x1f;"
                      "FMNMX R12, R9, R10, !PT;"
                      "@!P1 STS [R5], R12;"
                      "70: NOP;"
                      "BAR.SYNC 0x0;"
                      "@!P2 LDS.U R3, [R6];"
                      "SHFL.BFLY PT, R8, R3, 0x10, 0x1f;"
                      "FMNMX R8, R8, R3, !PT;"
                      "SHFL.BFLY PT, R7, R8, 0x8, 0x1f;"
                      "FMNMX R7, R8, R7, !PT;"
                      "SHFL.BFLY PT, R10, R7, 0x4, 0x1f;"
                      "FMNMX R10, R7, R10, !PT;"
                      "SHFL.BFLY PT, R9, R10, 0x2, 0x1f;"
                      "FMNMX R9, R10, R9, !PT;"
                      "SHFL.BFLY PT, R12, R9, 0x1, 0x1f;"
                      "FMNMX R3, R9, R12, !PT;"
                      "70: NOP;"
                      "BAR.SYNC 0x0;"
                      "@P0 BRA;",
    [SUM] = "SHF.R.S32.HI R9, RZ, 0x1f, R4.reuse;"
            "IMAD.MOV.U32 R8, RZ, RZ, R4;"
            "IMAD.WIDE R12, R0, c[0x0][0x170], R8;"
            "LEA R8, P3, R12, c[0x0][0x160], 0x2;"
            "LEA.HI.X R9, R12, c[0x0][0x164], R13, 0x2, P3;"
            "LDG.E.SYS R8, [R8];"
            "IMAD.MOV.U32 R10, RZ, RZ, 0x3bbb989d;"
            "IADD3 R4, R4, c[0x0][0x0], RZ;"
            "IMAD.MOV.U32 R13, RZ, RZ, 0x437c0000;"
            "ISETP.GE.AND P3, PT, R4, c[0x0][0x170], PT;"
            "FADD R7, -R3, R8;"
            "FFMA.SAT R10, R7, R10, 0.5;"
            "FFMA.RM R10, R10, R13, 12582913;"
            "FADD R12, R10.reuse, -12583039;"
            "IMAD.SHL.U32 R10, R10, 0x800000, RZ;"
            "FFMA R12, R7, 1.4426950216293334961, -R12;"
            "FFMA R12, R7, 1.925963033500011079e-08, R12;"
            "MUFU.EX2 R12, R12;"
            "FFMA R11, R10, R12, R11;"
            "@!P3 BRA;",
    [SUM_END] = "BSYNC B0;",
    [BLOCK_SUM] = "SHFL.BFLY PT, R4, R11, 0x10, 0x1f;"
                  "FADD R4, R4, R11;"
                  "SHFL.BFLY PT, R7, R4, 0x8, 0x1f;"
                  "FADD R7, R4, R7;"
                  "SHFL.BFLY PT, R8, R7, 0x4, 0x1f;"
                  "FADD R8, R7, R8;"
                  "SHFL.BFLY PT, R9, R8, 0x2, 0x1f;"
                  "FADD R9, R8, R9;"
                  "SHFL.BFLY PT, R10, R9, 0x1, 0x1f;"
                  "FADD R12, R9, R10;"
                  "IMAD.MOV.U32 R10, RZ, RZ, RZ;"
                  "@!P1 STS [R5], R12;"
                  "70: NOP;"
                  "BAR.SYNC 0x0;"
                  "@!P2 LDS.U R10, [R6];"
                  "SHFL.BFLY PT, R11, R10, 0x10, 0x1f;"
                  "FADD R11, R11, R10;"
                  "SHFL.BFLY PT, R4, R11, 0x8, 0x1f;"
                  "FADD R4, R11, R4;"
                  "SHFL.BFLY PT, R7, R4, 0x4, 0x1f;"
                  "FADD R7, R4, R7;"
                  "SHFL.BFLY PT, R8, R7, 0x2, 0x1f;"
                  "FADD R8, R7, R8;"
                  "SHFL.BFLY PT, R5, R8, 0x1, 0x1f;"
                  "@P0 EXIT;",
    [ENTER_DIVIDE] = "FADD R4, R8, R5;",
    [DIVIDE] = "SHF.R.S32.HI R7, RZ, 0x1f, R2.reuse;"
               "IMAD.MOV.U32 R6, RZ, RZ, R2;"
               "IMAD.WIDE R6, R0, c[0x0][0x170], R6;"
               "IMAD.SHL.U32 R5, R6.reuse, 0x4, RZ;"
               "SHF.L.U64.HI R6, R6, 0x2, R7;"
               "IADD3 R8, P0, R5, c[0x0][0x160], RZ;"
               "IADD3.X R9, R6, c[0x0][0x164], RZ, P0, !PT;"
               "LDG.E.SYS R8, [R8];"
               "IMAD.MOV.U32 R10, RZ, RZ, 0x3bbb989d;"
               "IADD3 R2, R2, c[0x0][0x0], RZ;"
               "IMAD.MOV.U32 R11, RZ, RZ, 0x437c0000;"
               "BMOV.32.CLEAR RZ, B0;"
               "BSSY B0;"
               "ISETP.GE.AND P2, PT, R2, c[0x0][0x170], PT;"
               "FADD R7, -R3, R8;"
               "FFMA.SAT R10, R7, R10, 0.5;"
               "FFMA.RM R10, R10, R11, 12582913;"
               "MUFU.RCP R11, R4;"
               "FADD R12, R10.reuse, -12583039;"
               "IMAD.SHL.U32 R10, R10, 0x800000, RZ;"
               "FFMA R12, R7, 1.4426950216293334961, -R12;"
               "FFMA R12, R7, 1.925963033500011079e-08, R12;"
               "MUFU.EX2 R7, R12;"
               "FFMA R8, -R4, R11, 1;"
               "FFMA R8, R11, R8, R11;"
               "FMUL R13, R10, R7;"
               "FFMA R7, R13, R8, RZ;"
               "FCHK P0, R13, R4;"
               "FFMA R9, -R4, R7, R13;"
               "FFMA R7, R8, R9, R7;"
               "@!P0 BRA;",
    [SLOW_DIVIDE] = "MOV R8, 0x8d0;"
                    "CALL.REL.NOINC;",
    [STORE] = "BSYNC B0;"
              "IADD3 R8, P0, R5, c[0x0][0x168], RZ;"
              "IADD3.X R9, R6, c[0x0][0x16c], RZ, P0, !PT;"
              "STG.E.SYS [R8], R7;"
              "@!P2 BRA;",
    [LEAVE] = "EXIT;",
};

enum { IN, OUT, COLUMNS };

/* A loop over the columns of the row with the block size as step. */
typedef struct {
    unsigned body, reg; /* the body, and the register with its input address */
    unsigned end;       /* segment for lanes without further columns */
    unsigned pred;      /* predicate of these lanes */
    unsigned store;     /* second half of the body, which stores; N_SEGMENTS: none */
    unsigned store_reg; /* register with its output address */
} loop_t;

static void loop(gen_warp_t *w, const loop_t *p, uint32_t active)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t row = 4 * w->block * arg[COLUMNS], column = gen_first_thread(w);

    for (; active != 0; column += BLOCK) {
        uint32_t next = active & gen_below(column + BLOCK, arg[COLUMNS]);

        w->pred[p->pred] = ~next;
        gen_affine(w, p->reg, arg[IN] + row + 4 * column, 4);
        gen_run(w, p->body, active);
        if (p->store != N_SEGMENTS) {
            gen_affine(w, p->store_reg, arg[OUT] + row + 4 * column, 4);
            gen_run(w, p->store, active);
        }
        gen_run(w, p->end, active & ~next);
        active = next;
    }
}

/* Exchanges one value per warp through shared memory; the first lanes read them. */
static void exchange(gen_warp_t *w, unsigned segment)
{
    w->pred[1] = ~1u;
    w->pred[2] = ~gen_first_lanes(WARPS);
    gen_affine(w, 5, GEN_SHARED_WINDOW + 4 * w->warp, 0);
    gen_affine(w, 6, GEN_SHARED_WINDOW, 4);
    gen_run(w, segment, w->lanes);
}

static void walk(gen_warp_t *w)
{
    static const loop_t maximum = {MAXIMUM, 6, MAXIMUM_END, 1, N_SEGMENTS, 0};
    static const loop_t sum = {SUM, 8, SUM_END, 3, N_SEGMENTS, 0};
    static const loop_t divide = {DIVIDE, 8, LEAVE, 2, STORE, 8};
    uint32_t active = gen_below(gen_first_thread(w), w->launch->arg[COLUMNS]);

    w->pred[0] = ~active;
    gen_run(w, HEAD, w->lanes);
    gen_run(w, MAXIMUM_END, ~active);
    gen_run(w, ENTER, active);
    loop(w, &maximum, active);
    exchange(w, BLOCK_MAXIMUM);
    gen_run(w, SUM_END, ~active);
    loop(w, &sum, active);
    exchange(w, BLOCK_SUM);
    gen_run(w, ENTER_DIVIDE, active);
    w->pred[0] = 0; /* no quotient needs SLOW_DIVIDE */
    loop(w, &divide, active);
}

const gen_kernel_t gen_kernel_softmax = {"softmax", listing, N_SEGMENTS, 21, walk};

void gen_softmax_shape(gen_launch_t *l, uint32_t rows, uint64_t columns, uint64_t in, uint64_t out)
{
    l->kernel = &gen_kernel_softmax;
    l->grid[0] = rows;
    l->block[0] = BLOCK;
    l->shared = 4 * GEN_WARP;
    l->arg[IN] = in;
    l->arg[OUT] = out;
    l->arg[COLUMNS] = columns;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t bytes = 4 * g->value[0] * g->value[1];

    (void)err;
    g->array[IN] = gen_input(g, bytes);
    g->array[OUT] = gen_alloc(g, bytes);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_softmax_shape(l, (uint32_t)g->value[0], g->value[1], g->array[IN], g->array[OUT]);
}

const gen_kind_t gen_kind_softmax = {
    .name = "softmax",
    .summary = "softmax of the rows of a matrix, one block per row",
    .param = {{"size", "rows", 1, INT32_MAX, 1024},
              {"columns", "columns per row", 1, 1 << 22, 1024}},
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_softmax, NULL},
    .per_block = 1,
    .prepare = prepare,
    .launch = launch,
};
