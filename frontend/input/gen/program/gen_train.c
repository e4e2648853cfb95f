/*
 * A training loop: thousands of launches that repeat in each iteration, but not exactly. The batch
 * length has three modes, drawn anew per iteration, and grows over the run. The embedding rows that
 * a batch looks up come from a hot part of the table or from all of it, so launches of equal shape
 * differ in time.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

enum { GATHER_BLOCK = 128, HOT_ROWS = 512, LAYERS_MAX = 64 };

/* --- embedding look-up: a warp copies a row of the table ---------------------------------------
 */

enum { HEAD, ENTER, COPY, LEAVE, N_SEGMENTS };

static const char *const gather_listing[N_SEGMENTS] = {
    [HEAD] = GEN_INDEX_1D("R0") "SHF.R.U32.HI R2, RZ, 0x5, R0;"
                                "LOP3.LUT R5, R0, 0x1f, RZ, 0xc0, !PT;"
                                "ISETP.GE.AND P0, PT, R2, c[0x0][0x178], PT;"
                                "@P0 EXIT;",
    [ENTER] = "MOV R4, 0x4;"
              "IMAD.WIDE R6, R2, R4, c[0x0][0x160];"
              "LDG.E.CONSTANT.SYS R6, [R6];"
              "IMAD R8, R6, c[0x0][0x17c], R5;"
              "IMAD R9, R2, c[0x0][0x17c], R5;"
              "IMAD.WIDE R10, R8, R4, c[0x0][0x168];"
              "IMAD.WIDE R12, R9, R4, c[0x0][0x170];",
    [COPY] = "LDG.E.CONSTANT.SYS R14, [R10];"
             "IADD3 R5, R5, 0x20, RZ;"
             "IADD3 R10, P1, R10, 0x80, RZ;"
             "ISETP.GE.AND P0, PT, R5, c[0x0][0x17c], PT;"
             "IADD3.X R11, RZ, R11, RZ, P1, !PT;"
             "STG.E.SYS [R12], R14;"
             "IADD3 R12, P2, R12, 0x80, RZ;"
             "IADD3.X R13, RZ, R13, RZ, P2, !PT;"
             "@!P0 BRA;",
    [LEAVE] = "EXIT;",
};

enum { INDICES, TABLE, OUT, TOKENS, WIDTH, RANGE, ITERATION };

static void gather_walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t token = gen_first_global(w) / GEN_WARP;

    w->pred[0] = token < arg[TOKENS] ? 0 : UINT32_MAX;
    gen_run(w, HEAD, w->lanes);
    if (token >= arg[TOKENS])
        return;
    uint64_t row = gen_reduce(gen_hash(l->seed, arg[ITERATION], token), arg[RANGE]);

    gen_affine(w, 6, arg[INDICES] + 4 * token, 0);
    gen_run(w, ENTER, w->lanes);
    gen_affine(w, 10, arg[TABLE] + 4 * row * arg[WIDTH], 4);
    gen_affine(w, 12, arg[OUT] + 4 * token * arg[WIDTH], 4);
    for (uint64_t column = 0; column < arg[WIDTH]; column += GEN_WARP) {
        uint32_t active = gen_below(column, arg[WIDTH]);
        uint32_t next = gen_below(column + GEN_WARP, arg[WIDTH]);

        w->pred[0] = ~next;
        gen_run(w, COPY, active);
        gen_run(w, LEAVE, active & ~next);
        gen_advance(w, 10, 4 * GEN_WARP);
        gen_advance(w, 12, 4 * GEN_WARP);
    }
}

static const gen_kernel_t gather_kernel = {"embedding_gather", gather_listing, N_SEGMENTS, 16,
                                           gather_walk};

/* --- the loop -------------------------------------------------------------------------------- */

enum { P_LAUNCHES, P_WIDTH, P_LAYERS, P_TOKENS, P_ROWS, P_DRIFT };

enum { A_INDICES, A_TABLE, A_LOSS, A_ACTIVATIONS, A_GRADIENTS, A_WEIGHTS };

/*
 * Launches of an iteration with L layers: look-up; L times product, ReLU; softmax, sum of the
 * losses; L times two products and the addition of a gradient; L updates of weights.
 */
static uint64_t per_iteration(const gen_program_t *g)
{
    return 3 + 6 * g->value[P_LAYERS];
}

/* Tokens in the batch of an iteration: 50 % short batches, 30 % twice as long, 20 % four times. */
static uint64_t tokens_of(const gen_program_t *g, uint64_t iteration)
{
    uint64_t iterations = g->n_launches / per_iteration(g) + 1;
    uint64_t draw = gen_reduce(gen_hash(g->seed, 1, iteration), 100);
    uint64_t tokens = g->value[P_TOKENS] * (draw < 50 ? 1 : draw < 80 ? 2 : 4);

    return tokens + tokens * g->value[P_DRIFT] * iteration / (100 * iterations);
}

static uint64_t most_tokens(const gen_program_t *g)
{
    return 4 * g->value[P_TOKENS] * (100 + g->value[P_DRIFT]) / 100 + 1;
}

/* The address of a layer's weights or activations in their array. */
static uint64_t weights_of(const gen_program_t *g, uint64_t layer)
{
    uint64_t width = gen_pitch(g->value[P_WIDTH]);

    return g->array[A_WEIGHTS] + 4 * layer * width * width;
}

static uint64_t matrix_of(const gen_program_t *g, unsigned array, uint64_t layer)
{
    return g->array[array] + 4 * layer * gen_pitch(g->value[P_WIDTH]) * gen_pitch(most_tokens(g));
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t width = gen_pitch(g->value[P_WIDTH]), layers = g->value[P_LAYERS];
    uint64_t matrix = 4 * width * gen_pitch(most_tokens(g));

    (void)err;
    g->n_launches = g->value[P_LAUNCHES];
    g->array[A_INDICES] = gen_input(g, 4 * most_tokens(g));
    g->array[A_TABLE] = gen_input(g, 4 * g->value[P_ROWS] * width);
    g->array[A_WEIGHTS] = gen_input(g, 4 * layers * width * width);
    g->array[A_ACTIVATIONS] = gen_alloc(g, (layers + 1) * matrix);
    g->array[A_GRADIENTS] = gen_alloc(g, (layers + 1) * matrix + 4 * width * width);
    g->array[A_LOSS] = gen_alloc(g, 4 * most_tokens(g));
    return RB_OK;
}

static void look_up(const gen_program_t *g, uint64_t iteration, gen_launch_t *l)
{
    uint64_t tokens = tokens_of(g, iteration);
    bool hot = gen_hash(g->seed, 2, iteration) >> 62 != 0; /* three iterations of four */

    gen_shape_1d(l, &gather_kernel, tokens * GEN_WARP, GATHER_BLOCK);
    l->arg[INDICES] = g->array[A_INDICES];
    l->arg[TABLE] = g->array[A_TABLE];
    l->arg[OUT] = matrix_of(g, A_ACTIVATIONS, 0);
    l->arg[TOKENS] = tokens;
    l->arg[WIDTH] = g->value[P_WIDTH];
    l->arg[RANGE] = hot && g->value[P_ROWS] > HOT_ROWS ? HOT_ROWS : g->value[P_ROWS];
    l->arg[ITERATION] = iteration;
}

static void forward(const gen_program_t *g, uint64_t step, uint64_t tokens, gen_launch_t *l)
{
    uint64_t layer = step / 2, width = g->value[P_WIDTH];
    uint64_t in = matrix_of(g, A_ACTIVATIONS, layer), out = matrix_of(g, A_ACTIVATIONS, layer + 1);

    if (step % 2 == 0)
        gen_sgemm_shape(
            l,
            &(gen_gemm_t){
                .a = weights_of(g, layer), .b = in, .c = out, .m = width, .n = tokens, .k = width});
    else
        gen_relu_shape(l, width * tokens, out, out);
}

/* Gradients of inputs, then of weights, then the sum with what other paths contribute. */
static void backward(const gen_program_t *g, uint64_t step, uint64_t tokens, gen_launch_t *l)
{
    uint64_t layer = g->value[P_LAYERS] - 1 - step / 3, width = g->value[P_WIDTH];
    uint64_t in = matrix_of(g, A_GRADIENTS, layer), out = matrix_of(g, A_GRADIENTS, layer + 1);

    if (step % 3 == 0)
        gen_sgemm_shape(
            l,
            &(gen_gemm_t){
                .a = weights_of(g, layer), .b = out, .c = in, .m = width, .n = tokens, .k = width});
    else if (step % 3 == 1)
        gen_sgemm_shape(l, &(gen_gemm_t){.a = out,
                                         .b = matrix_of(g, A_ACTIVATIONS, layer),
                                         .c = matrix_of(g, A_GRADIENTS, g->value[P_LAYERS] + 1),
                                         .m = width,
                                         .n = width,
                                         .k = tokens});
    else
        gen_vecadd_shape(l, width * tokens, in, matrix_of(g, A_ACTIVATIONS, layer), in);
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t iteration = (id - 1) / per_iteration(g), step = (id - 1) % per_iteration(g);
    uint64_t tokens = tokens_of(g, iteration), layers = g->value[P_LAYERS];
    uint64_t width = g->value[P_WIDTH], top = matrix_of(g, A_ACTIVATIONS, layers);

    if (step == 0) {
        look_up(g, iteration, l);
    } else if (step <= 2 * layers) {
        forward(g, step - 1, tokens, l);
    } else if (step == 2 * layers + 1) {
        gen_softmax_shape(l, (uint32_t)tokens, width, top, matrix_of(g, A_GRADIENTS, layers));
    } else if (step == 2 * layers + 2) {
        gen_reduce_shape(l, tokens, top, g->array[A_LOSS]);
    } else if (step <= 5 * layers + 2) {
        backward(g, step - 2 * layers - 3, tokens, l);
    } else {
        uint64_t weights = weights_of(g, step - 5 * layers - 3);

        gen_vecadd_shape(l, width * width, weights, matrix_of(g, A_GRADIENTS, layers + 1), weights);
    }
}

const gen_kind_t gen_kind_train = {
    .name = "train",
    .summary = "training loop: thousands of launches, batches of three lengths that grow",
    .param = {{"size", "launches", 1, 10000000, 4000},
              {"width", "features per layer", 4, 8192, 128},
              {"layers", "layers of the network", 1, LAYERS_MAX, 4},
              {"tokens", "tokens of the most common batch", 1, 1024, 64},
              {"rows", "rows of the embedding table", 1, 1 << 24, 50000},
              {"drift", "growth of batches over the run, in %", 0, 300, 50}},
    .kernels = (const gen_kernel_t *const[]){&gather_kernel, &gen_kernel_sgemm, &gen_kernel_relu,
                                             &gen_kernel_vecadd, &gen_kernel_softmax,
                                             &gen_kernel_reduce, NULL},
    .prepare = prepare,
    .launch = launch,
};
