/*
 * A training loop: thousands of launches that repeat in each iteration, but not exactly. The batch
 * length has three modes, drawn anew per iteration, and grows over the run. The embedding rows that
 * a batch looks up come from a hot part of the table or from all of it, so launches of equal shape
 * differ in time.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_kernels.h"
#include "frontend/input/gen/gen_program.h"

enum { HOT_ROWS = 512, LAYERS_MAX = 64 };

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

    gen_lookup_shape(
        l,
        &(gen_lookup_t){.indices = g->array[A_INDICES],
                        .table = g->array[A_TABLE],
                        .out = matrix_of(g, A_ACTIVATIONS, 0),
                        .tokens = tokens,
                        .width = g->value[P_WIDTH],
                        .range = hot && g->value[P_ROWS] > HOT_ROWS ? HOT_ROWS : g->value[P_ROWS],
                        .request = iteration});
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
    .kernels = (const gen_kernel_t *const[]){&gen_kernel_lookup, &gen_kernel_sgemm,
                                             &gen_kernel_relu, &gen_kernel_vecadd,
                                             &gen_kernel_softmax, &gen_kernel_reduce, NULL},
    .prepare = prepare,
    .launch = launch,
};
