/*
 * Tracking of points in a sequence of images, like Rodinia's heartwall: each block correlates the
 * surroundings of a point with a template. The first frame only initialises and is 1500 times
 * shorter than the others, so a sampler that only simulates the first launch learns nothing.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { BLOCK = 256, WINDOW = 1024, PITCH = 4096 };

enum { HEAD, ENTER, CORRELATE, SUM, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER "S2R R0, SR_TID.X;"
                       "S2R R2, SR_CTAID.X;"
                       "MOV R3, 0x4;"
                       "IMAD.WIDE R4, R2, R3, c[0x0][0x160];"
                       "LDG.E.SYS R6, [R4];"
                       "IMAD.SHL.U32 R7, R0, 0x4, RZ;"
                       "MOV R8, c[0x0][0x178];"
                       "IMAD R9, R2, 0x1000, R0;"
                       "ISETP.NE.AND P0, PT, R8, RZ, PT;"
                       "IMAD.WIDE R10, R9, R3, c[0x0][0x170];"
                       "STS [R7], R6;"
                       "70: NOP;"
                       "BAR.SYNC 0x0;"
                       "@!P0 EXIT;",
    [ENTER] = "IMAD R12, R6, 0x1000, R0;"
              "MOV R13, RZ;"
              "MOV R14, RZ;"
              "IMAD.WIDE R16, R12, R3, c[0x0][0x168];",
    [CORRELATE] = "LDG.E.SYS R18, [R16];"
                  "LDG.E.SYS R19, [R10];"
                  "LDS.U R20, [R7];"
                  "IADD3 R14, R14, 0x1, RZ;"
                  "IADD3 R16, P1, R16, 0x4, RZ;"
                  "FADD R19, R19, -R20;"
                  "ISETP.GE.AND P0, PT, R14, c[0x0][0x17c], PT;"
                  "FFMA R13, R18, R19, R13;"
                  "IADD3.X R17, RZ, R17, RZ, P1, !PT;"
                  "@!P0 BRA;",
    [SUM] = "STS [R7], R13;"
            "70: NOP;"
            "BAR.SYNC 0x0;"
            "LDS.U R18, [R7];",
    [TAIL] = "IMAD.WIDE R20, R9, R3, c[0x0][0x180];"
             "FADD R13, R13, R18;"
             "STG.E.SYS [R20], R13;"
             "EXIT;",
};

enum { PLACES, IMAGE, TEMPLATES, RESULT, STEPS };

static void walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t thread = gen_first_thread(w), at = 4 * (w->block * WINDOW + thread);
    uint64_t place = gen_reduce(gen_hash(l->seed, w->block, l->id), PITCH);

    gen_affine(w, 4, arg[PLACES] + 4 * w->block, 0);
    gen_affine(w, 7, GEN_SHARED_WINDOW + 4 * thread, 4);
    w->pred[0] = arg[STEPS] != 0 ? UINT32_MAX : 0;
    gen_run(w, HEAD, w->lanes);
    if (arg[STEPS] == 0)
        return;
    gen_affine(w, 10, arg[TEMPLATES] + at, 4);
    gen_affine(w, 16, arg[IMAGE] + 4 * (place * PITCH + thread), 4);
    gen_run(w, ENTER, w->lanes);
    for (uint64_t step = 0; step < arg[STEPS]; step++) {
        w->pred[0] = step + 1 == arg[STEPS] ? UINT32_MAX : 0;
        gen_run(w, CORRELATE, w->lanes);
        gen_advance(w, 16, step % WINDOW == WINDOW - 1 ? 4 * (PITCH - WINDOW) : 4);
    }
    gen_affine(w, 20, arg[RESULT] + at, 4);
    gen_run_to(w, SUM, TAIL, w->lanes);
}

static const gen_kernel_t kernel = {"_Z6kernelv", listing, N_SEGMENTS, 24, walk};

enum { P_FRAMES, P_POINTS, P_STEPS };

/* Allocates the rows that a thread can reach from the last position, and the end of the last
 * row. */
static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t points = g->value[P_POINTS], rows = PITCH + g->value[P_STEPS] / WINDOW + 2;

    (void)err;
    g->array[PLACES] = gen_input(g, 4 * points);
    g->array[TEMPLATES] = gen_input(g, 4 * points * WINDOW);
    g->array[IMAGE] = gen_input(g, 4 * rows * PITCH);
    g->array[RESULT] = gen_alloc(g, 4 * points * WINDOW);
    g->n_launches = g->value[P_FRAMES];
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    l->kernel = &kernel;
    l->grid[0] = (uint32_t)g->value[P_POINTS];
    l->block[0] = BLOCK;
    l->shared = 4 * BLOCK;
    for (unsigned i = PLACES; i <= RESULT; i++)
        l->arg[i] = g->array[i];
    l->arg[STEPS] = id == 1 ? 0 : g->value[P_STEPS];
}

const gen_kind_t gen_kind_heartwall = {
    .name = "heartwall",
    .summary = "tracking in a sequence of images: the first launch is 1500 times shorter",
    .param = {{"size", "frames, one launch each", 1, 1000000, 10},
              {"points", "blocks per launch", 1, 1 << 20, 51},
              {"steps", "steps of the correlation; 2400: 1500 times the first frame's instructions",
               1, 100000, 2400}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .prepare = prepare,
    .launch = launch,
};
