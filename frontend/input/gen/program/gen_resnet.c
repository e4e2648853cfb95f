/*
 * Inference of convolutional networks, layer by layer: ResNets of basic and of bottleneck blocks (He et al.,
 * CVPR 2016, table 1). A convolution is a matrix product with the unrolled image, as libraries compute it.
 */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"
#include "frontend/input/gen/kernel/gen_kernels.h"
#include "sim/core/alloc.h"

enum { POOL_BLOCK = 256, MAX_LAYERS = 1024, TAPS = 9, IMAGE_CHANNELS = 3, CLASSES = 1000 };

/* --- maximum of 2 x 2 pixels ------------------------------------------------------------------ */

enum { HEAD, BODY, N_SEGMENTS };

static const char *const pool_listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x174"),
    [BODY] = "I2F.U32.RP R4, c[0x0][0x170];"
             "MUFU.RCP R4, R4;"
             "IADD3 R4, R4, 0xffffffe, RZ;"
             "F2I.FTZ.U32.TRUNC.NTZ R5, R4;"
             "IMAD R6, R5, c[0x0][0x170], RZ;"
             "IMAD.HI.U32 R5, R5, R6, R5;"
             "IMAD.HI.U32 R5, R5, R0, RZ;"
             "IMAD R6, R5, c[0x0][0x170], RZ;"
             "IADD3 R6, R0, -R6, RZ;"
             "MOV R7, c[0x0][0x170];"
             "IMAD.SHL.U32 R5, R5, 0x2, RZ;"
             "IMAD R5, R5, R7, R6;"
             "IMAD.SHL.U32 R5, R5, 0x2, RZ;"
             "MOV R8, 0x4;"
             "IMAD.WIDE R10, R5, R8, c[0x0][0x160];"
             "IMAD.WIDE R12, R7, 0x8, R10;"
             "LDG.E.64.SYS R14, [R10];"
             "LDG.E.64.SYS R16, [R12];"
             "IMAD.WIDE R18, R0, R8, c[0x0][0x168];"
             "FMNMX R14, R14, R15, !PT;"
             "FMNMX R16, R16, R17, !PT;"
             "FMNMX R14, R14, R16, !PT;"
             "STG.E.SYS [R18], R14;"
             "EXIT;",
};

enum { POOL_IN, POOL_OUT, POOL_WIDTH, POOL_N };

static void pool_walk(gen_warp_t *w)
{
    const uint64_t *arg = w->launch->arg;
    uint64_t i = gen_first_global(w), upper[GEN_WARP], lower[GEN_WARP];
    uint32_t active = gen_enter(w, HEAD, arg[POOL_N]);

    for (unsigned k = 0; k < GEN_WARP; k++) {
        uint64_t row = (i + k) / arg[POOL_WIDTH], column = (i + k) % arg[POOL_WIDTH];

        upper[k] = arg[POOL_IN] + 8 * (2 * row * arg[POOL_WIDTH] + column);
        lower[k] = upper[k] + 8 * arg[POOL_WIDTH];
    }
    gen_lanes(w, 10, upper);
    gen_lanes(w, 12, lower);
    gen_affine(w, 18, arg[POOL_OUT] + 4 * i, 4);
    gen_run(w, BODY, active);
}

static const gen_kernel_t pool_kernel = {"maxpool2x2", pool_listing, N_SEGMENTS, 22, pool_walk};

/* --- layers ---------------------------------------------------------------------------------- */

typedef enum { PRODUCT, RELU, POOL, ADD, SOFTMAX } layer_type_t;

/* A launch: m, n, k of a product; otherwise n elements and k columns or width. */
typedef struct {
    layer_type_t type;
    uint64_t m, n, k;
    uint64_t weights; /* address */
} layer_t;

/* A network being laid out. */
typedef struct {
    gen_program_t *program;
    layer_t *layer; /* owned */
    uint64_t side, channels, batch;
    uint64_t width; /* % of the published numbers of filters */
    uint64_t most;  /* elements of the largest activation or unrolled image */
} net_t;

static void add(net_t *net, layer_t layer)
{
    uint64_t n = net->program->n_launches;

    RB_INVARIANT(n < MAX_LAYERS, "%s: too many layers", net->program->kind->name);
    net->layer[n] = layer;
    net->program->n_launches = n + 1;
}

static uint64_t pixels(const net_t *net)
{
    return net->side * net->side * net->batch;
}

static void note_size(net_t *net, uint64_t elements)
{
    if (elements > net->most)
        net->most = elements;
}

static void relu(net_t *net, uint64_t elements)
{
    add(net, (layer_t){.type = RELU, .n = elements});
}

static void product(net_t *net, uint64_t m, uint64_t n, uint64_t k)
{
    uint64_t weights = gen_alloc(net->program, 4 * m * gen_pitch(k));

    note_size(net, k * gen_pitch(n)); /* the unrolled image */
    note_size(net, m * gen_pitch(n));
    add(net, (layer_t){.type = PRODUCT, .m = m, .n = n, .k = k, .weights = weights});
}

/* A published number of filters or features, scaled to the requested width. */
static uint64_t scaled(const net_t *net, uint64_t filters)
{
    uint64_t n = filters * net->width / 100;

    return n > 0 ? n : 1;
}

static void convolution(net_t *net, uint64_t filters, uint64_t taps)
{
    product(net, filters, pixels(net), net->channels * taps);
    net->channels = filters;
}

static void pool(net_t *net)
{
    net->side /= 2;
    add(net, (layer_t){.type = POOL, .n = pixels(net) * net->channels, .k = net->side});
}

static void classify(net_t *net, uint64_t classes)
{
    product(net, classes, net->batch, net->channels * net->side * net->side);
    net->side = 1;
    net->channels = classes;
}

/* Two convolutions plus the input; the first block of each later stage halves the image. */
static void residual_block(net_t *net, uint64_t filters, bool first)
{
    if (first) {
        net->side /= 2;
        product(net, filters, pixels(net), net->channels); /* projection of the input: 1 x 1 */
    }
    for (unsigned i = 0; i < 2; i++) {
        convolution(net, filters, TAPS);
        if (i == 1)
            add(net, (layer_t){.type = ADD, .n = pixels(net) * filters});
        relu(net, pixels(net) * filters);
    }
}

/* 1 x 1, 3 x 3 and 1 x 1, the last with four times as many filters, plus the input. */
static void bottleneck_block(net_t *net, uint64_t filters, bool first, bool halved)
{
    net->side /= halved ? 2 : 1;
    if (first)
        product(net, 4 * filters, pixels(net), net->channels);
    convolution(net, filters, 1);
    relu(net, pixels(net) * filters);
    convolution(net, filters, TAPS);
    relu(net, pixels(net) * filters);
    convolution(net, 4 * filters, 1);
    add(net, (layer_t){.type = ADD, .n = pixels(net) * net->channels});
    relu(net, pixels(net) * net->channels);
}

typedef struct {
    uint64_t depth;
    bool bottleneck;
    uint8_t blocks[4];
} resnet_t;

static const resnet_t resnets[] = {{18, false, {2, 2, 2, 2}},
                                   {34, false, {3, 4, 6, 3}},
                                   {50, true, {3, 4, 6, 3}},
                                   {101, true, {3, 4, 23, 3}},
                                   {152, true, {3, 8, 36, 3}}};

/* NULL: none is so deep. */
static const resnet_t *resnet_of(uint64_t depth)
{
    for (size_t i = 0; i < sizeof(resnets) / sizeof(resnets[0]); i++)
        if (resnets[i].depth == depth)
            return &resnets[i];
    return NULL;
}

static void resnet(net_t *net, const resnet_t *r)
{
    net->side /= 2;
    convolution(net, scaled(net, 64), 49);
    relu(net, pixels(net) * net->channels);
    pool(net);
    for (unsigned stage = 0; stage < 4; stage++)
        for (unsigned i = 0; i < r->blocks[stage]; i++) {
            const uint64_t filters = scaled(net, UINT64_C(64) << stage);
            const bool halved = stage > 0 && i == 0;
            if (r->bottleneck)
                bottleneck_block(net, filters, i == 0, halved);
            else
                residual_block(net, filters, halved);
        }
    note_size(net, pixels(net) * net->channels);
    add(net, (layer_t){.type = POOL, .n = net->batch * net->channels, .k = 1});
    net->side = 1;
    classify(net, CLASSES);
    add(net, (layer_t){.type = SOFTMAX, .n = net->batch, .k = CLASSES});
}

/* --- launches -------------------------------------------------------------------------------- */

enum { P_SIDE, P_BATCH, P_WIDTH, P_DEPTH };

/* Activations alternate between two arrays; a third one keeps the shortcut for the addition. */
enum { EVEN, ODD, KEPT };

static void begin(net_t *net, gen_program_t *g)
{
    *net = (net_t){.program = g,
                   .layer = rb_calloc(MAX_LAYERS, sizeof(layer_t)),
                   .side = g->value[P_SIDE],
                   .channels = IMAGE_CHANNELS,
                   .batch = g->value[P_BATCH],
                   .width = g->value[P_WIDTH]};
    g->data = net->layer;
    g->n_launches = 0;
    note_size(net, pixels(net) * IMAGE_CHANNELS);
}

static void end(net_t *net, uint64_t first_weight)
{
    gen_program_t *g = net->program;
    uint64_t image = 4 * net->batch * IMAGE_CHANNELS * g->value[P_SIDE] * g->value[P_SIDE];

    for (unsigned i = EVEN; i <= KEPT; i++)
        g->array[i] = gen_alloc(g, 4 * net->most);
    g->copy[0] = (memcpy_op_t){.addr = first_weight, .bytes = g->array[EVEN] - first_weight};
    g->copy[1] = (memcpy_op_t){.addr = g->array[EVEN], .bytes = image};
    g->n_copies = 2;
}

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    uint64_t first_weight = g->top;
    net_t net;

    if (g->value[P_SIDE] % 32 != 0)
        return rb_fail(err, RB_USAGE, "%s: size = %llu is not a multiple of 32", g->kind->name,
                       (unsigned long long)g->value[P_SIDE]);
    const resnet_t *r = resnet_of(g->value[P_DEPTH]);
    if (r == NULL)
        return rb_fail(err, RB_USAGE, "%s: depth = %llu is not 18, 34, 50, 101 or 152",
                       g->kind->name, (unsigned long long)g->value[P_DEPTH]);
    begin(&net, g);
    resnet(&net, r);
    end(&net, first_weight);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    const layer_t *layer = &((const layer_t *)g->data)[id - 1];
    uint64_t in = g->array[id % 2 ? EVEN : ODD], out = g->array[id % 2 ? ODD : EVEN];

    switch (layer->type) {
    case PRODUCT:
        gen_sgemm_shape(l, &(gen_gemm_t){.a = layer->weights,
                                         .b = in,
                                         .c = out,
                                         .m = layer->m,
                                         .n = layer->n,
                                         .k = layer->k});
        break;
    case RELU:
        gen_relu_shape(l, layer->n, in, out);
        break;
    case POOL:
        gen_shape_1d(l, &pool_kernel, layer->n, POOL_BLOCK);
        l->arg[POOL_IN] = in;
        l->arg[POOL_OUT] = out;
        l->arg[POOL_WIDTH] = layer->k;
        l->arg[POOL_N] = layer->n;
        break;
    case ADD:
        gen_vecadd_shape(l, layer->n, in, g->array[KEPT], out);
        break;
    case SOFTMAX:
        gen_softmax_shape(l, (uint32_t)layer->n, layer->k, in, out);
        break;
    }
}

const gen_kind_t gen_kind_resnet = {
    .name = "resnet",
    .summary = "ResNet inference: repeated blocks of products, ReLUs, additions",
    .param = {{"size", "pixels per side of the image, a multiple of 32", 32, 256, 64},
              {"batch", "images", 1, 256, 1},
              {"width", "% of the published numbers of filters", 1, 100, 100},
              {"depth", "layers with weights: 18, 34, 50, 101 or 152", 18, 152, 18}},
    .kernels =
        (const gen_kernel_t *const[]){&gen_kernel_sgemm, &gen_kernel_relu, &gen_kernel_vecadd,
                                      &gen_kernel_softmax, &pool_kernel, NULL},
    .prepare = prepare,
    .launch = launch,
};
