/*
 * K-means clustering: each iteration assigns points to the nearest centre (features stored by
 * column, so that accesses coalesce), then adds points to their centres with atomics.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256 };

enum { POINTS, CENTRES, MEMBER, SUMS, N, FEATURES, CLUSTERS };

/* --- assignment ------------------------------------------------------------------------------ */

enum { A_HEAD, A_ENTER, A_CENTRE, A_FEATURE, A_COMPARE, A_STORE, N_ASSIGN };

static const char *const assign_listing[N_ASSIGN] = {
    [A_HEAD] = GEN_ENTER_1D("R0", "0x180"),
    [A_ENTER] = "MOV R2, 0x4;"
                "MOV R4, 0x7f7fffff;"
                "MOV R5, RZ;"
                "MOV R6, RZ;"
                "MOV R8, c[0x0][0x168];"
                "MOV R9, c[0x0][0x16c];",
    [A_CENTRE] = "IMAD.WIDE R10, R0, R2, c[0x0][0x160];"
                 "MOV R12, RZ;"
                 "MOV R13, RZ;"
                 "MOV R18, c[0x0][0x180];",
    [A_FEATURE] = "LDG.E.SYS R14, [R10];"
                  "LDG.E.SYS R15, [R8];"
                  "IADD3 R13, R13, 0x1, RZ;"
                  "IMAD.WIDE R10, R18, 0x4, R10;"
                  "IADD3 R8, P1, R8, 0x4, RZ;"
                  "ISETP.GE.AND P0, PT, R13, c[0x0][0x184], PT;"
                  "IADD3.X R9, RZ, R9, RZ, P1, !PT;"
                  "FADD R14, R14, -R15;"
                  "FFMA R12, R14, R14, R12;"
                  "@!P0 BRA;",
    [A_COMPARE] = "FSETP.GEU.AND P2, PT, R12, R4, PT;"
                  "SEL R5, R5, R6, P2;"
                  "FMNMX R4, R12, R4, PT;"
                  "IADD3 R6, R6, 0x1, RZ;"
                  "ISETP.GE.AND P3, PT, R6, c[0x0][0x188], PT;"
                  "@!P3 BRA;",
    [A_STORE] = "IMAD.WIDE R16, R0, R2, c[0x0][0x170];"
                "STG.E.SYS [R16], R5;"
                "EXIT;",
};

static void assign_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, A_HEAD, arg[N]);

    gen_run(w, A_ENTER, active);
    gen_affine(w, 8, arg[CENTRES], 0);
    for (uint64_t c = 0; c < arg[CLUSTERS]; c++) {
        gen_affine(w, 10, arg[POINTS] + 4 * i, 4);
        gen_run(w, A_CENTRE, active);
        for (uint64_t f = 0; f < arg[FEATURES]; f++) {
            w->pred[0] = f + 1 == arg[FEATURES] ? UINT32_MAX : 0;
            gen_run(w, A_FEATURE, active);
            gen_advance(w, 10, (int64_t)(4 * arg[N]));
            gen_advance(w, 8, 4);
        }
        w->pred[3] = c + 1 == arg[CLUSTERS] ? UINT32_MAX : 0;
        gen_run(w, A_COMPARE, active);
    }
    gen_affine(w, 16, arg[MEMBER] + 4 * i, 4);
    gen_run(w, A_STORE, active);
}

static const gen_kernel_t assign_kernel = {"kmeans_assign", assign_listing, N_ASSIGN, 20,
                                           assign_walk};

/* --- new centres ----------------------------------------------------------------------------- */

enum { U_HEAD, U_ENTER, U_FEATURE, U_END, N_UPDATE };

static const char *const update_listing[N_UPDATE] = {
    [U_HEAD] = GEN_ENTER_1D("R0", "0x180"),
    [U_ENTER] = "MOV R2, 0x4;"
                "IMAD.WIDE R4, R0, R2, c[0x0][0x170];"
                "LDG.E.SYS R6, [R4];"
                "MOV R7, RZ;"
                "MOV R18, c[0x0][0x180];"
                "IMAD.WIDE R8, R0, R2, c[0x0][0x160];"
                "IMAD R6, R6, c[0x0][0x184], RZ;"
                "IMAD.WIDE R10, R6, R2, c[0x0][0x178];",
    [U_FEATURE] = "LDG.E.SYS R12, [R8];"
                  "IADD3 R7, R7, 0x1, RZ;"
                  "IMAD.WIDE R8, R18, 0x4, R8;"
                  "ISETP.GE.AND P0, PT, R7, c[0x0][0x184], PT;"
                  "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R10], R12;"
                  "IADD3 R10, P1, R10, 0x4, RZ;"
                  "IADD3.X R11, RZ, R11, RZ, P1, !PT;"
                  "@!P0 BRA;",
    [U_END] = "EXIT;",
};

static void update_walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t i = gen_first_global(w), sum[GEN_WARP];
    uint32_t active = gen_enter(w, U_HEAD, arg[N]);

    for (unsigned k = 0; k < GEN_WARP; k++)
        sum[k] =
            arg[SUMS] + 4 * arg[FEATURES] * gen_reduce(gen_hash(l->seed, i + k, 0), arg[CLUSTERS]);
    gen_affine(w, 4, arg[MEMBER] + 4 * i, 4);
    gen_run(w, U_ENTER, active);
    gen_affine(w, 8, arg[POINTS] + 4 * i, 4);
    gen_lanes(w, 10, sum);
    for (uint64_t f = 0; f < arg[FEATURES]; f++) {
        w->pred[0] = f + 1 == arg[FEATURES] ? UINT32_MAX : 0;
        gen_run(w, U_FEATURE, active);
        gen_advance(w, 8, (int64_t)(4 * arg[N]));
        gen_advance(w, 10, 4);
    }
    gen_run(w, U_END, active);
}

static const gen_kernel_t update_kernel = {"kmeans_update", update_listing, N_UPDATE, 20,
                                           update_walk};

/* --- the kind -------------------------------------------------------------------------------- */

enum { P_POINTS, P_FEATURES, P_CLUSTERS, P_ITERATIONS };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t centres = 4 * g->value[P_FEATURES] * g->value[P_CLUSTERS];

    (void)err;
    g->array[POINTS] = gen_input(g, 4 * g->value[P_POINTS] * g->value[P_FEATURES]);
    g->array[CENTRES] = gen_input(g, centres);
    g->array[MEMBER] = gen_alloc(g, 4 * g->value[P_POINTS]);
    g->array[SUMS] = gen_alloc(g, centres);
    g->n_launches = 2 * g->value[P_ITERATIONS];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_shape_1d(l, id % 2 ? &assign_kernel : &update_kernel, g->value[P_POINTS], BLOCK);
    for (unsigned i = POINTS; i <= SUMS; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = g->value[P_POINTS];
    l->arg[FEATURES] = g->value[P_FEATURES];
    l->arg[CLUSTERS] = g->value[P_CLUSTERS];
}

const gen_kind_t gen_kind_kmeans = {
    .name = "kmeans",
    .summary = "k-means clustering: distances to all centres, then atomics; two launches per step",
    .param = {{"size", "points", 1, UINT64_C(1) << 32, 1 << 16},
              {"features", "coordinates per point", 1, 256, 16},
              {"clusters", "centres", 1, 128, 8},
              {"iterations", "pairs of launches", 1, 100000, 3}},
    .kernels = (const gen_kernel_t *const[]){&assign_kernel, &update_kernel, NULL},
    .per_block = BLOCK,
    .prepare = prepare,
    .launch = launch,
};
