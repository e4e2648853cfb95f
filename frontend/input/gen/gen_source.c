/* A generated program as a trace source. */
#include <stdlib.h>
#include <string.h>

#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_listing.h"
#include "frontend/input/gen/gen_program.h"
#include "sim/core/alloc.h"

typedef struct {
    trace_source_t base; /* must be first: the source's address is ours */
    gen_program_t program;
    gen_code_t *code; /* owned; one for each kernel of the kind */
    unsigned n_code;
} gen_source_t;

struct trace_launch {
    gen_launch_t launch;
    gen_warp_t warp; /* of the block being generated */
    uint64_t n_blocks;
    uint32_t n_warps;
    made_pool_t blocks;
};

static gen_source_t *source_of(trace_source_t *s)
{
    return (gen_source_t *)(void *)s;
}

static const gen_source_t *source_of_const(const trace_source_t *s)
{
    return (const gen_source_t *)(const void *)s;
}

static uint64_t op_n_launches(const trace_source_t *s)
{
    return source_of_const(s)->program.n_launches;
}

static uint64_t code_id(const char *name, unsigned arch)
{
    uint64_t hash = 0;

    for (; *name != '\0'; name++)
        hash = gen_mix(hash ^ (unsigned char)*name);
    return gen_mix(hash ^ arch);
}

static uint64_t count_blocks(const gen_launch_t *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static rb_code_t find_launch(const gen_source_t *s, uint64_t id, gen_launch_t *out, rb_err_t *err)
{
    if (id == 0 || id > s->program.n_launches)
        return rb_fail(err, RB_TRACE, "the generated program has no launch %llu",
                       (unsigned long long)id);
    gen_program_launch(&s->program, id, out);
    return RB_OK;
}

static rb_code_t op_launch_info(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    const gen_source_t *source = source_of(s);
    gen_launch_t l;

    RB_TRY(find_launch(source, id, &l, err));
    *info = (launch_info_t){
        .id = id,
        .trace_id = id,
        .name = l.kernel->name,
        .file = "(generated)",
        .code_id = code_id(l.kernel->name, source->program.arch),
        .regs = l.kernel->regs,
        .shared_bytes = l.shared,
        .arch = source->program.arch,
        .stream = l.stream,
        .shared_base = GEN_SHARED_WINDOW,
        .local_base = GEN_LOCAL_WINDOW,
        .n_blocks = count_blocks(&l),
    };
    memcpy(info->grid, l.grid, sizeof(info->grid));
    memcpy(info->block, l.block, sizeof(info->block));
    return RB_OK;
}

static size_t op_copies(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops)
{
    const gen_program_t *g = &source_of_const(s)->program;

    *ops = g->copy;
    return id == 1 ? g->n_copies : 0;
}

static const gen_code_t *find_code(const gen_source_t *s, const gen_kernel_t *kernel)
{
    for (unsigned i = 0; i < s->n_code; i++)
        if (s->program.kind->kernels[i] == kernel)
            return &s->code[i];
    rb_panic("%s: kernel %s is not in its list", s->program.kind->name, kernel->name);
}

static rb_code_t op_open(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    const gen_source_t *source = source_of(s);
    gen_launch_t launch = {0};

    RB_TRY(find_launch(source, id, &launch, err));
    trace_launch_t *l = rb_calloc(1, sizeof(*l));

    l->launch = launch;
    l->warp.launch = &l->launch;
    l->warp.code = find_code(source, launch.kernel);
    l->n_blocks = count_blocks(&launch);
    l->n_warps = (launch.block[0] * launch.block[1] * launch.block[2] + GEN_WARP - 1) / GEN_WARP;
    made_pool_init(&l->blocks);
    *out = l;
    return RB_OK;
}

static rb_code_t op_get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    *out = NULL;
    if (index >= l->n_blocks)
        return RB_OK;
    made_block_t *b = made_pool_take(&l->blocks, l->n_warps);

    rb_code_t code = gen_block_generate(b, &l->warp, index, err);

    if (code == RB_OK)
        *out = &b->block;
    else
        made_pool_give_back(&l->blocks, &b->block);
    return code;
}

static void op_use_store(trace_launch_t *l, stream_store_t *store)
{
    l->blocks.store = store;
}

static void op_free_block(trace_launch_t *l, trace_block_t *block)
{
    made_pool_give_back(&l->blocks, block);
}

static void op_close(trace_launch_t *l)
{
    made_pool_free(&l->blocks);
    free(l);
}

static const char *op_inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    const char *text = gen_code_text(l->warp.code, inst);

    if (text != NULL)
        *len = (uint32_t)strlen(text);
    return text;
}

static void op_progress(const trace_source_t *s, uint64_t *done, uint64_t *total)
{
    (void)s; /* generated programs have no input to report */
    *done = *total = 0;
}

static void op_destroy(trace_source_t *s)
{
    gen_source_t *source = source_of(s);

    for (unsigned i = 0; i < source->n_code; i++)
        gen_code_free(&source->code[i]);
    free(source->code);
    free(source->program.data);
    free(source);
}

static const trace_source_ops_t source_ops = {
    .name = "generated",
    .n_launches = op_n_launches,
    .launch_info = op_launch_info,
    .copies = op_copies,
    .open = op_open,
    .get_block = op_get_block,
    .free_block = op_free_block,
    .use_store = op_use_store,
    .close = op_close,
    .inst_text = op_inst_text,
    .progress = op_progress,
    .destroy = op_destroy,
};

static void assemble_kernels(gen_source_t *s)
{
    const gen_kernel_t *const *kernels = s->program.kind->kernels;

    while (kernels[s->n_code] != NULL)
        s->n_code++;
    s->code = rb_calloc(s->n_code, sizeof(s->code[0]));
    for (unsigned i = 0; i < s->n_code; i++)
        gen_code_init(&s->code[i], kernels[i]->listing, kernels[i]->n_segments, s->program.arch);
}

trace_source_t *gen_open(const gen_spec_t *spec, rb_err_t *err)
{
    if (gen_find_kind(spec->kind) == NULL)
        return gen_listing_open(spec, err);
    gen_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &source_ops;
    if (gen_program_init(&s->program, spec, err) != RB_OK) {
        free(s->program.data);
        free(s);
        return NULL;
    }
    assemble_kernels(s);
    return &s->base;
}
