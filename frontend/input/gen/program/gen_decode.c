/*
 * A language model that writes a text, token after token: products of matrices with vectors, and an
 * attention over all tokens so far, so that some launches grow. The classifier of the vocabulary is
 * one launch in hundreds, and most of the time.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"

/* --- root mean square normalisation, one block ------------------------------------------------- */

enum { NORM_BLOCK = 256 };

enum { N_HEAD, N_SQUARES, N_SQUARES_END, N_SUM, N_SCALE, N_LEAVE, N_NORM };

static const char *const norm_listing[N_NORM] = {
    [N_HEAD] = GEN_ENTER "S2R R0, SR_TID.X;"
                         "MOV R5, 0x4;"
                         "MOV R10, RZ;"
                         "MOV R4, R0;"
                         "BMOV.32.CLEAR RZ, B0;"
                         "BSSY B0;"
                         "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
                         "IMAD.WIDE R2, R0, R5, c[0x0][0x160];"
                         "@P0 BRA;",
    [N_SQUARES] = "LDG.E.SYS R8, [R2];"
                  "IADD3 R4, R4, 0x100, RZ;"
                  "IADD3 R2, P1, R2, 0x400, RZ;"
                  "ISETP.GE.AND P0, PT, R4, c[0x0][0x178], PT;"
                  "IADD3.X R3, RZ, R3, RZ, P1, !PT;"
                  "FFMA R10, R8, R8, R10;"
                  "@!P0 BRA;",
    [N_SQUARES_END] = "BSYNC B0;",
    [N_SUM] = "SHFL.BFLY PT, R8, R10, 0x10, 0x1f;"
              "SHF.R.U32.HI R6, RZ, 0x5, R0;"
              "LOP3.LUT R7, R0, 0x1f, RZ, 0xc0, !PT;"
              "FADD R10, R8, R10;"
              "SHFL.BFLY PT, R8, R10, 0x8, 0x1f;"
              "IMAD.SHL.U32 R6, R6, 0x4, RZ;"
              "FADD R10, R8, R10;"
              "SHFL.BFLY PT, R8, R10, 0x4, 0x1f;"
              "ISETP.NE.AND P1, PT, R7, RZ, PT;"
              "FADD R10, R8, R10;"
              "SHFL.BFLY PT, R8, R10, 0x2, 0x1f;"
              "FADD R10, R8, R10;"
              "SHFL.BFLY PT, R8, R10, 0x1, 0x1f;"
              "FADD R10, R8, R10;"
              "@!P1 STS [R6], R10;"
              "70: NOP;"
              "BAR.SYNC 0x0;"
              "LOP3.LUT R7, R7, 0x7, RZ, 0xc0, !PT;"
              "IMAD.SHL.U32 R7, R7, 0x4, RZ;"
              "LDS.U R10, [R7];"
              "SHFL.BFLY PT, R8, R10, 0x4, 0x1f;"
              "FADD R10, R8, R10;"
              "SHFL.BFLY PT, R8, R10, 0x2, 0x1f;"
              "FADD R10, R8, R10;"
              "SHFL.BFLY PT, R8, R10, 0x1, 0x1f;"
              "FADD R10, R8, R10;"
              "MUFU.RSQ R10, R10;"
              "IMAD.WIDE R2, R0, R5, c[0x0][0x160];"
              "IMAD.WIDE R12, R0, R5, c[0x0][0x168];"
              "IMAD.WIDE R14, R0, R5, c[0x0][0x170];"
              "@P2 EXIT;",
    [N_SCALE] = "LDG.E.SYS R8, [R2];"
                "LDG.E.CONSTANT.SYS R9, [R12];"
                "IADD3 R0, R0, 0x100, RZ;"
                "IADD3 R2, P1, R2, 0x400, RZ;"
                "IADD3 R12, P3, R12, 0x400, RZ;"
                "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT;"
                "IADD3.X R3, RZ, R3, RZ, P1, !PT;"
                "IADD3.X R13, RZ, R13, RZ, P3, !PT;"
                "FMUL R8, R8, R10;"
                "FMUL R8, R8, R9;"
                "STG.E.SYS [R14], R8;"
                "IADD3 R14, P1, R14, 0x400, RZ;"
                "IADD3.X R15, RZ, R15, RZ, P1, !PT;"
                "@!P0 BRA;",
    [N_LEAVE] = "EXIT;",
};

enum { N_IN, N_GAIN, N_OUT, N_WIDTH };

/* Runs a segment for each step of the block over the row, and another for lanes at its end. */
static void norm_loop(gen_warp_t *w, unsigned segment, unsigned leave)
{
    uint64_t thread = gen_first_thread(w), width = w->launch->arg[N_WIDTH];
    uint32_t active = gen_below(thread, width);

    for (uint64_t at = thread + NORM_BLOCK; active != 0; at += NORM_BLOCK) {
        uint32_t next = gen_below(at, width);

        w->pred[0] = ~next;
        gen_run(w, segment, active);
        gen_run(w, leave, active & ~next);
        gen_advance(w, 2, 4 * NORM_BLOCK);
        gen_advance(w, 12, 4 * NORM_BLOCK);
        gen_advance(w, 14, 4 * NORM_BLOCK);
        active = next;
    }
}

static void norm_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t thread = gen_first_thread(w);
    uint32_t active = gen_below(thread, arg[N_WIDTH]);

    w->pred[0] = ~active;
    gen_run(w, N_HEAD, w->lanes);
    gen_affine(w, 2, arg[N_IN] + 4 * thread, 4);
    gen_run(w, N_SQUARES_END, ~active);
    norm_loop(w, N_SQUARES, N_SQUARES_END);
    gen_affine(w, 6, GEN_SHARED_WINDOW + 4 * (uint64_t)w->warp, 0);
    gen_tile(w, 7, GEN_SHARED_WINDOW, NORM_BLOCK / GEN_WARP, 4, 0);
    w->pred[1] = ~1u;
    w->pred[2] = ~active;
    gen_run(w, N_SUM, w->lanes);
    gen_affine(w, 2, arg[N_IN] + 4 * thread, 4);
    gen_affine(w, 12, arg[N_GAIN] + 4 * thread, 4);
    gen_affine(w, 14, arg[N_OUT] + 4 * thread, 4);
    norm_loop(w, N_SCALE, N_LEAVE);
}

static const gen_kernel_t norm_kernel = {"rmsnorm", norm_listing, N_NORM, 18, norm_walk};

/* --- the model --------------------------------------------------------------------------------- */

enum { P_TOKENS, P_WIDTH, P_LAYERS, P_HEADS, P_VOCABULARY, P_PROMPT };

enum { X, Q, HIDDEN, SCORES, KEYS, VALUES, WEIGHTS, GAINS, CLASSIFIER, LOGITS };

enum { PER_LAYER = 10, AT_END = 3, UP = 4 };

static uint64_t per_token(const gen_program_t *g)
{
    return PER_LAYER * g->value[P_LAYERS] + AT_END;
}

/* Rounded up, so that rows are whole vectors. */
static uint64_t most_context(const gen_program_t *g)
{
    return gen_pitch(g->value[P_PROMPT] + g->value[P_TOKENS]);
}

/* Elements of the weights of a layer: queries, keys and values; their sum; up and down. */
static uint64_t layer_weights(const gen_program_t *g)
{
    return (4 + 2 * UP) * g->value[P_WIDTH] * g->value[P_WIDTH];
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t width = g->value[P_WIDTH], layers = g->value[P_LAYERS], heads = g->value[P_HEADS];
    uint64_t cache = 4 * layers * width * most_context(g);

    if (width % (4 * heads) != 0)
        return rb_fail(err, RB_USAGE, "decode: width = %llu is not a multiple of 4 * %llu heads",
                       (unsigned long long)width, (unsigned long long)heads);
    g->array[X] = gen_input(g, 4 * width);
    g->array[Q] = gen_alloc(g, 3 * 4 * width);
    g->array[HIDDEN] = gen_alloc(g, 4 * UP * width);
    g->array[SCORES] = gen_alloc(g, 4 * heads * most_context(g));
    g->array[KEYS] = gen_alloc(g, cache);
    g->array[VALUES] = gen_alloc(g, cache);
    g->array[WEIGHTS] = gen_input(g, 4 * layers * layer_weights(g));
    g->array[GAINS] = gen_input(g, 4 * width);
    g->array[CLASSIFIER] = gen_input(g, 4 * g->value[P_VOCABULARY] * width);
    g->array[LOGITS] = gen_alloc(g, 4 * g->value[P_VOCABULARY]);
    g->n_launches = g->value[P_TOKENS] * per_token(g);
    return RB_OK;
}

static void norm(const gen_program_t *g, gen_launch_t *l)
{
    gen_shape_1d(l, &norm_kernel, NORM_BLOCK, NORM_BLOCK);
    l->shared = 4 * NORM_BLOCK / GEN_WARP;
    l->arg[N_IN] = g->array[X];
    l->arg[N_GAIN] = g->array[GAINS];
    l->arg[N_OUT] = g->array[HIDDEN];
    l->arg[N_WIDTH] = g->value[P_WIDTH];
}

/* Launch number step of a layer, with this many tokens of context. */
static void in_layer(const gen_program_t *g, uint64_t layer, uint64_t step, uint64_t context,
                     gen_launch_t *l)
{
    uint64_t width = g->value[P_WIDTH], heads = g->value[P_HEADS], square = 4 * width * width;
    uint64_t weights = g->array[WEIGHTS] + 4 * layer * layer_weights(g);
    uint64_t cache = 4 * layer * width * most_context(g), padded = gen_pitch(context);
    uint64_t x = g->array[X], q = g->array[Q], scores = g->array[SCORES];
    uint64_t hidden = g->array[HIDDEN];

    switch (step) {
    case 1:
        gen_matvec_shape(l, 3 * width, width, weights, hidden, q);
        break;
    case 2:
        gen_matvec_shape(l, heads * context, width / heads, g->array[KEYS] + cache, q, scores);
        break;
    case 3:
        gen_softmax_shape(l, (uint32_t)heads, context, scores, scores);
        break;
    case 4:
        gen_matvec_shape(l, width, padded, g->array[VALUES] + cache, scores, q);
        break;
    case 5:
        gen_matvec_shape(l, width, width, weights + 3 * square, q, x);
        break;
    case 7:
        gen_matvec_shape(l, UP * width, width, weights + 4 * square, x, hidden);
        break;
    case 8:
        gen_relu_shape(l, UP * width, hidden, hidden);
        break;
    case 9:
        gen_matvec_shape(l, width, UP * width, weights + 8 * square, hidden, x);
        break;
    default:
        norm(g, l);
        break;
    }
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    uint64_t token = (id - 1) / per_token(g), at = (id - 1) % per_token(g);
    uint64_t last = at - at % PER_LAYER, words = g->value[P_VOCABULARY];

    if (last / PER_LAYER < g->value[P_LAYERS])
        in_layer(g, last / PER_LAYER, at % PER_LAYER, g->value[P_PROMPT] + token + 1, l);
    else if (at == last)
        norm(g, l);
    else if (at == last + 1)
        gen_matvec_shape(l, words, g->value[P_WIDTH], g->array[CLASSIFIER], g->array[HIDDEN],
                         g->array[LOGITS]);
    else
        gen_softmax_shape(l, 1, words, g->array[LOGITS], g->array[LOGITS]);
}

const gen_kind_t gen_kind_decode = {
    .name = "decode",
    .summary = "a language model that writes token after token: matrices times vectors, growing "
               "attention, a large classifier",
    .param = {{"size", "tokens that are written", 1, 100000, 16},
              {"width", "elements of a token, a multiple of 4 * heads", 4, 16384, 256},
              {"layers", "layers, of ten launches each", 1, 128, 4},
              {"heads", "heads of the attention", 1, 256, 8},
              {"vocabulary", "rows of the classifier", 1, 1 << 20, 8192},
              {"prompt", "tokens that are there at the start", 0, 1 << 20, 64}},
    .kernels = (const gen_kernel_t *const[]){&norm_kernel, &gen_kernel_matvec, &gen_kernel_softmax,
                                             &gen_kernel_relu, NULL},
    .prepare = prepare,
    .launch = launch,
};
