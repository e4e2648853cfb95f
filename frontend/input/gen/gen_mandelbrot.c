/*
 * The Mandelbrot set: each thread iterates until its point escapes. The number of iterations is
 * that of the real set, so lengths of warps and blocks follow the picture. Fixed-point numbers:
 * the same on every host.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { TILE_X = 32, TILE_Y = 8, FRACTION = 28 };

enum { HEAD, ENTER, LOOP, LEAVE, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_SQUARE("0x168"),
    [ENTER] = "I2F R4, R0;"
              "I2F R5, R2;"
              "FFMA R4, R4, c[0x0][0x170], -2;"
              "FFMA R5, R5, c[0x0][0x170], -1.25;"
              "MOV R6, RZ;"
              "MOV R8, RZ;"
              "MOV R9, RZ;"
              "BMOV.32.CLEAR RZ, B0;"
              "BSSY B0;",
    [LOOP] = "FMUL R10, R8, R8;"
             "FMUL R11, R9, R9;"
             "FADD R12, R8, R8;"
             "IADD3 R6, R6, 0x1, RZ;"
             "FADD R13, R10, R11;"
             "FFMA R9, R12, R9, R5;"
             "FADD R8, R10, -R11;"
             "FSETP.GT.AND P1, PT, R13, 4, PT;"
             "FADD R8, R8, R4;"
             "ISETP.GE.OR P1, PT, R6, c[0x0][0x16c], P1;"
             "@!P1 BRA;",
    [LEAVE] = "BSYNC B0;",
    [TAIL] = "IMAD R0, R2, c[0x0][0x168], R0;"
             "MOV R3, 0x4;"
             "IMAD.WIDE R2, R0, R3, c[0x0][0x160];"
             "STG.E.SYS [R2], R6;"
             "EXIT;",
};

enum { OUT, SIDE, MOST };

/* Iterations of a pixel: 1 .. most. The picture is 2.5 wide and high. */
static uint64_t iterations(const uint64_t *arg, uint64_t column, uint64_t row)
{
    const int64_t one = INT64_C(1) << FRACTION, side = (int64_t)arg[SIDE];
    int64_t cx = (int64_t)column * (5 * one / 2) / side - 2 * one;
    int64_t cy = (int64_t)row * (5 * one / 2) / side - 5 * one / 4;
    int64_t x = 0, y = 0;

    for (uint64_t n = 1; n < arg[MOST]; n++) {
        int64_t xx = x * x / one, yy = y * y / one;

        if (xx + yy > 4 * one)
            return n;
        y = 2 * x * y / one + cy;
        x = xx - yy + cx;
    }
    return arg[MOST];
}

static uint32_t above(const uint64_t *count, uint64_t n)
{
    uint32_t lanes = 0;

    for (unsigned k = 0; k < GEN_WARP; k++)
        lanes |= (uint32_t)(count[k] > n) << k;
    return lanes;
}

static void walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t x = (uint64_t)w->id[0] * TILE_X, y = (uint64_t)w->id[1] * TILE_Y + w->warp;
    uint32_t inside = y < arg[SIDE] ? gen_below(x, arg[SIDE]) : 0, active = inside;
    uint64_t count[GEN_WARP] = {0};

    for (unsigned k = 0; k < GEN_WARP; k++)
        if (inside >> k & 1)
            count[k] = iterations(arg, x + k, y);
    w->pred[0] = ~inside;
    gen_run(w, HEAD, w->lanes);
    gen_run(w, ENTER, inside);
    for (uint64_t n = 1; active != 0; n++) {
        uint32_t next = above(count, n);

        w->pred[1] = ~next;
        gen_run(w, LOOP, active);
        gen_run(w, LEAVE, active & ~next);
        active = next;
    }
    gen_affine(w, 2, arg[OUT] + 4 * (y * arg[SIDE] + x), 4);
    gen_run(w, TAIL, inside);
}

static const gen_kernel_t kernel = {"mandelbrot", listing, N_SEGMENTS, 16, walk};

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    (void)err;
    g->array[OUT] = gen_alloc(g, 4 * g->value[0] * g->value[0]);
    return RB_OK;
}

static uint64_t size_of_blocks(const uint64_t *value, uint64_t blocks)
{
    uint64_t side = TILE_Y;

    (void)value;
    while ((side + TILE_X - 1) / TILE_X * (side / TILE_Y) < blocks)
        side += TILE_Y;
    return side;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    l->kernel = &kernel;
    l->grid[0] = gen_blocks(g->value[0], TILE_X);
    l->grid[1] = gen_blocks(g->value[0], TILE_Y);
    l->block[0] = TILE_X;
    l->block[1] = TILE_Y;
    l->arg[OUT] = g->array[OUT];
    l->arg[SIDE] = g->value[0];
    l->arg[MOST] = g->value[1];
}

const gen_kind_t gen_kind_mandelbrot = {
    .name = "mandelbrot",
    .summary = "Mandelbrot set: loops whose length depends on the data, lanes that leave early",
    .param = {{"size", "pixels per side", 1, 1 << 16, 512},
              {"iterations", "most iterations of a pixel", 1, 10000, 256}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .size_of_blocks = size_of_blocks,
    .prepare = prepare,
    .launch = launch,
};
