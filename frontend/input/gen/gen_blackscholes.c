/* Black-Scholes prices of European options: straight-line code with much arithmetic. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 128 };

/* Cumulative normal distribution of d into cnd; k, t and p are temporaries. */
#define NORMAL(cnd, d, k, t, p, pred)                                                              \
    "FFMA " k ", |" d "|, 0.2316419, 1;"                                                           \
    "MUFU.RCP " k ", " k ";"                                                                       \
    "FMUL " t ", " d ", " d ";"                                                                    \
    "FMUL " t ", " t ", -0.72134751;"                                                              \
    "MUFU.EX2 " t ", " t ";"                                                                       \
    "FFMA " p ", " k ", 1.3302745, -1.8212559;"                                                    \
    "FFMA " p ", " k ", " p ", 1.7814779;"                                                         \
    "FFMA " p ", " k ", " p ", -0.35656378;"                                                       \
    "FFMA " p ", " k ", " p ", 0.31938154;"                                                        \
    "FMUL " t ", " t ", 0.39894229;"                                                               \
    "FMUL " p ", " k ", " p ";"                                                                    \
    "FMUL " cnd ", " t ", " p ";"                                                                  \
    "FSETP.GT.AND " pred ", PT, " d ", RZ, PT;"                                                    \
    "FADD " t ", -" cnd ", 1;"                                                                     \
    "FSEL " cnd ", " t ", " cnd ", " pred ";"

enum { HEAD, LOAD, PRICE, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x190"),
    [LOAD] = "MOV R2, 0x4;"
             "IMAD.WIDE R4, R0, R2, c[0x0][0x170];"
             "IMAD.WIDE R6, R0, R2, c[0x0][0x178];"
             "IMAD.WIDE R8, R0, R2, c[0x0][0x180];"
             "LDG.E.SYS R10, [R4];"
             "LDG.E.SYS R11, [R6];"
             "LDG.E.SYS R12, [R8];",
    [PRICE] =
        "MUFU.RSQ R13, R12;"
        "MUFU.RCP R14, R11;"
        "FMUL R15, R12, R13;"
        "FMUL R16, R10, R14;"
        "MUFU.LG2 R16, R16;"
        "MOV R17, c[0x0][0x18c];"
        "FMUL R18, R17, R17;"
        "FFMA R18, R18, 0.5, c[0x0][0x188];"
        "FMUL R16, R16, 0.69314718;"
        "FFMA R16, R18, R12, R16;"
        "FMUL R19, R15, c[0x0][0x18c];"
        "MUFU.RCP R20, R19;"
        "FMUL R21, R16, R20;"
        "FADD R22, R21, -R19;" NORMAL("R23", "R21", "R24", "R25", "R26", "P1")
            NORMAL("R27", "R22", "R28", "R29", "R30", "P2") "FMUL R31, R12, c[0x0][0x188];"
                                                            "FMUL R31, R31, -1.442695;"
                                                            "MUFU.EX2 R31, R31;"
                                                            "IMAD.WIDE R4, R0, R2, c[0x0][0x160];"
                                                            "FMUL R32, R11, R31;"
                                                            "IMAD.WIDE R6, R0, R2, c[0x0][0x168];"
                                                            "FMUL R33, R32, R27;"
                                                            "FFMA R34, R10, R23, -R33;"
                                                            "FADD R35, -R27, 1;"
                                                            "FADD R36, -R23, 1;"
                                                            "FMUL R35, R32, R35;"
                                                            "FFMA R36, -R10, R36, R35;"
                                                            "STG.E.SYS [R4], R34;"
                                                            "STG.E.SYS [R6], R36;"
                                                            "EXIT;",
};

enum { CALL, PUT, PRICES, STRIKES, YEARS, N };

static void walk(gen_warp_t *w)
{
    static const unsigned reg[] = {4, 6, 4, 6, 8};
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, HEAD, arg[N]);

    for (unsigned a = PRICES; a <= YEARS; a++)
        gen_affine(w, reg[a], arg[a] + 4 * i, 4);
    gen_run(w, LOAD, active);
    for (unsigned a = CALL; a <= PUT; a++)
        gen_affine(w, reg[a], arg[a] + 4 * i, 4);
    gen_run(w, PRICE, active);
}

static const gen_kernel_t kernel = {"BlackScholesGPU", listing, N_SEGMENTS, 38, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    for (unsigned a = CALL; a <= YEARS; a++)
        g->array[a] = a < PRICES ? gen_alloc(g, 4 * g->value[0]) : gen_input(g, 4 * g->value[0]);
    g->n_launches = g->value[1];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, g->value[0], BLOCK);
    for (unsigned a = CALL; a <= YEARS; a++)
        l->arg[a] = g->array[a];
    l->arg[N] = g->value[0];
}

const gen_kind_t gen_kind_blackscholes = {
    .name = "blackscholes",
    .summary = "option pricing: arithmetic and special functions, five memory streams",
    .param = {{"size", "options", 1, UINT64_C(1) << 33, 1 << 20},
              {"launches", "identical launches", 1, 1000000, 1}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
