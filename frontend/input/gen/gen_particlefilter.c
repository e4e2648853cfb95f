/*
 * A particle filter like Rodinia's: each frame weights the particles and then searches the index of
 * each in the cumulative weights. The length of this scan varies between frames by a factor of
 * 100.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 128, TAPS = 8 };

enum { WEIGHTS, PLACES, NEW_PLACES, RANDOM, N, LENGTH };

/* --- weights of the particles ------------------------------------------------------------------
 */

enum { L_HEAD, L_ENTER, L_TAP, L_TAIL, N_LIKELIHOOD };

static const char *const likelihood_listing[N_LIKELIHOOD] = {
    [L_HEAD] = GEN_ENTER_1D("R0", "0x180"),
    [L_ENTER] = "MOV R2, 0x4;"
                "MOV R4, RZ;"
                "MOV R5, RZ;"
                "IMAD.WIDE R6, R0, R2, c[0x0][0x168];"
                "LDG.E.SYS R8, [R6];"
                "IMAD.WIDE R10, R0, R2, c[0x0][0x178];",
    [L_TAP] = "LDG.E.SYS R12, [R10];"
              "IADD3 R5, R5, 0x1, RZ;"
              "ISETP.GE.AND P0, PT, R5, 0x8, PT;"
              "FADD R12, R12, -R8;"
              "FFMA R4, R12, R12, R4;"
              "@!P0 BRA;",
    [L_TAIL] = "FMUL R4, R4, -0.5;"
               "FMUL R4, R4, 1.442695;"
               "MUFU.EX2 R4, R4;"
               "IMAD.WIDE R14, R0, R2, c[0x0][0x160];"
               "STG.E.SYS [R14], R4;"
               "EXIT;",
};

static void likelihood_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w);
    uint32_t active = gen_enter(w, L_HEAD, arg[N]);

    gen_affine(w, 6, arg[PLACES] + 4 * i, 4);
    gen_affine(w, 10, arg[RANDOM] + 4 * i, 4);
    gen_run(w, L_ENTER, active);
    for (unsigned tap = 0; tap < TAPS; tap++) {
        w->pred[0] = tap + 1 == TAPS ? UINT32_MAX : 0;
        gen_run(w, L_TAP, active);
    }
    gen_affine(w, 14, arg[WEIGHTS] + 4 * i, 4);
    gen_run(w, L_TAIL, active);
}

static const gen_kernel_t likelihood_kernel = {"likelihood_kernel", likelihood_listing,
                                               N_LIKELIHOOD, 16, likelihood_walk};

/* --- the scan -------------------------------------------------------------------------------- */

enum { I_HEAD, I_ENTER, I_SCAN, I_RECONVERGE, I_TAIL, N_FIND };

static const char *const find_listing[N_FIND] = {
    [I_HEAD] = GEN_ENTER_1D("R0", "0x180"),
    [I_ENTER] = "MOV R2, 0x4;"
                "BMOV.32.CLEAR RZ, B0;"
                "BSSY B0;"
                "IMAD.WIDE R4, R0, R2, c[0x0][0x178];"
                "LDG.E.SYS R6, [R4];"
                "MOV R7, RZ;"
                "MOV R8, c[0x0][0x160];"
                "MOV R9, c[0x0][0x164];",
    [I_SCAN] = "LDG.E.SYS R10, [R8];"
               "IADD3 R7, R7, 0x1, RZ;"
               "IADD3 R8, P1, R8, 0x4, RZ;"
               "IADD3.X R9, RZ, R9, RZ, P1, !PT;"
               "FSETP.GE.AND P0, PT, R10, R6, PT;"
               "@!P0 BRA;",
    [I_RECONVERGE] = "BSYNC B0;",
    [I_TAIL] = "IMAD.WIDE R12, R7, R2, c[0x0][0x168];"
               "LDG.E.SYS R14, [R12];"
               "IMAD.WIDE R16, R0, R2, c[0x0][0x170];"
               "STG.E.SYS [R16], R14;"
               "EXIT;",
};

static void find_walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t i = gen_first_global(w), length[GEN_WARP], found[GEN_WARP];
    uint32_t nodes = gen_enter(w, I_HEAD, arg[N]), active = nodes;

    for (unsigned k = 0; k < GEN_WARP; k++) { /* ends in the second half of the frame's length */
        length[k] = (arg[LENGTH] + 1) / 2 +
                    gen_reduce(gen_hash(l->seed, l->id, i + k), arg[LENGTH] / 2 + 1);
        found[k] = arg[PLACES] + 4 * length[k];
    }
    gen_affine(w, 4, arg[RANDOM] + 4 * i, 4);
    gen_run(w, I_ENTER, nodes);
    gen_affine(w, 8, arg[WEIGHTS], 0);
    for (uint64_t step = 1; active != 0; step++) {
        uint32_t next = 0;

        for (unsigned k = 0; k < GEN_WARP; k++)
            next |= (active >> k & (uint32_t)(length[k] > step)) << k;
        w->pred[0] = ~next;
        gen_run(w, I_SCAN, active);
        gen_run(w, I_RECONVERGE, active & ~next);
        gen_advance(w, 8, 4);
        active = next;
    }
    gen_lanes(w, 12, found);
    gen_affine(w, 16, arg[NEW_PLACES] + 4 * i, 4);
    gen_run(w, I_TAIL, nodes);
}

static const gen_kernel_t find_kernel = {"find_index_kernel", find_listing, N_FIND, 18, find_walk};

/* --- the kind -------------------------------------------------------------------------------- */

enum { P_FRAMES, P_PARTICLES, P_LENGTH, P_SPREAD };

/* 2 to the power of x / 16, in 1024ths, for x below 16. */
static const uint16_t power_of_two[16] = {1024, 1069, 1117, 1166, 1218, 1272, 1328, 1387,
                                          1448, 1512, 1579, 1649, 1722, 1798, 1878, 1961};

static uint64_t scale(uint64_t value, uint64_t sixteenths)
{
    return (value * power_of_two[sixteenths % 16] >> 10) << sixteenths / 16;
}

/* Length of the scan in a frame: between P_LENGTH and P_SPREAD times that, each octave equally
 * likely. */
static uint64_t length_of(const gen_program_t *g, uint64_t frame)
{
    uint64_t shortest = g->value[P_LENGTH], longest = shortest * g->value[P_SPREAD], steps = 0;

    while (scale(shortest, steps + 1) <= longest && steps < 16 * 20)
        steps++;
    return scale(shortest, gen_reduce(gen_hash(g->seed, 3, frame), steps + 1));
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t particles = g->value[P_PARTICLES], longest = g->value[P_LENGTH] * g->value[P_SPREAD];
    uint64_t bytes = 4 * ((particles > longest ? particles : longest) + 1);

    if (longest > 1 << 17)
        return rb_fail(err, RB_USAGE, "%s: length * spread = %llu is above %d", g->kind->name,
                       (unsigned long long)longest, 1 << 17);
    g->array[WEIGHTS] = gen_input(g, bytes);
    g->array[PLACES] = gen_input(g, bytes);
    g->array[NEW_PLACES] = gen_alloc(g, bytes);
    g->array[RANDOM] = gen_input(g, bytes);
    g->n_launches = 2 * g->value[P_FRAMES];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    gen_shape_1d(l, id % 2 ? &likelihood_kernel : &find_kernel, g->value[P_PARTICLES], BLOCK);
    for (unsigned i = WEIGHTS; i <= RANDOM; i++)
        l->arg[i] = g->array[i];
    l->arg[N] = g->value[P_PARTICLES];
    l->arg[LENGTH] = length_of(g, (id - 1) / 2);
}

const gen_kind_t gen_kind_particlefilter = {
    .name = "particlefilter",
    .summary = "particle filter: launches of equal shape whose times differ up to 100-fold",
    .param = {{"size", "frames, two launches each", 1, 1000000, 40},
              {"particles", "threads per launch", 1, UINT64_C(1) << 32, 4096},
              {"length", "length of the shortest scan", 1, 10000, 20},
              {"spread", "ratio of longest to shortest scan", 1, 10000, 100}},
    .kernels = (const gen_kernel_t *const[]){&likelihood_kernel, &find_kernel, NULL},
    .prepare = prepare,
    .launch = launch,
};
