#include "frontend/input/silicon/silicon_source.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_walk.h"
#include "sim/core/alloc.h"
#include "sim/gpu/source/made_block.h"

struct silicon_source {
    trace_source_t base; /* must be first: the source's address is ours */
    kernel_t *kernel;    /* owned */
    size_t *launch;      /* owned: the kernel of each launch */
    size_t n_kernels, cap_kernels, n_launches, cap_launches;
    memcpy_op_t *copy; /* owned: those before the first launch, its own at the end */
    size_t n_copies, cap_copies;
    suite_t suite; /* owned: the texts that kernels borrow, unless somebody else keeps them */
};

struct trace_launch {
    const kernel_t *kernel;
    uint64_t id;
    made_pool_t blocks;
};

/* --- the interface --------------------------------------------------------------------------- */

static silicon_source_t *source_of(trace_source_t *s)
{
    return (silicon_source_t *)(void *)s;
}

static const silicon_source_t *source_of_const(const trace_source_t *s)
{
    return (const silicon_source_t *)(const void *)s;
}

static uint64_t op_n_launches(const trace_source_t *s)
{
    return source_of_const(s)->n_launches;
}

static rb_code_t op_launch_info(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    silicon_source_t *y = source_of(s);

    if (id == 0 || id > y->n_launches)
        return rb_fail(err, RB_TRACE, "there is no launch %llu", (unsigned long long)id);
    *info = y->kernel[y->launch[id - 1]].info;
    info->id = id;
    info->trace_id = id;
    return RB_OK;
}

static size_t op_copies(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops)
{
    const silicon_source_t *y = source_of_const(s);

    *ops = NULL;
    if (id == 0 || id > y->n_launches)
        return 0;
    const kernel_t *k = &y->kernel[y->launch[id - 1]];

    *ops = id == 1 ? y->copy : k->copy;
    return id == 1 ? y->n_copies : k->n_copy;
}

static rb_code_t op_open(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    launch_info_t info;

    RB_TRY(op_launch_info(s, id, &info, err));
    trace_launch_t *l = rb_calloc(1, sizeof(*l));

    l->kernel = &source_of(s)->kernel[source_of(s)->launch[id - 1]];
    l->id = id;
    made_pool_init(&l->blocks);
    *out = l;
    return RB_OK;
}

static rb_code_t op_get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    const kernel_t *k = l->kernel;

    *out = NULL;
    if (index >= k->info.n_blocks)
        return RB_OK;
    made_block_t *b = made_pool_take(&l->blocks, k->n_warps);
    rb_code_t rc = kernel_walk(k, l->id, index, b, err);

    if (rc == RB_OK)
        *out = &b->block;
    else
        made_pool_give_back(&l->blocks, &b->block);
    return rc;
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
    const kernel_t *k = l->kernel;

    if (inst < k->code || inst >= k->code + k->n_code)
        return NULL;
    *len = (uint32_t)strlen(k->text[inst - k->code]);
    return k->text[inst - k->code];
}

static void op_progress(const trace_source_t *s, uint64_t *done, uint64_t *total)
{
    (void)s;
    *done = *total = 0;
}

static void op_destroy(trace_source_t *s)
{
    silicon_source_t *y = source_of(s);

    for (size_t i = 0; i < y->n_kernels; i++)
        kernel_free(&y->kernel[i]);
    free(y->kernel);
    free(y->launch);
    free(y->copy);
    suite_free(&y->suite);
    free(y);
}

static const trace_source_ops_t silicon_ops = {
    .name = "listing",
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

silicon_source_t *silicon_source_create(void)
{
    silicon_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &silicon_ops;
    return s;
}

void silicon_source_copy(silicon_source_t *s, memcpy_op_t op)
{
    rb_grow(&s->copy, &s->cap_copies, s->n_copies + 1, sizeof(s->copy[0]));
    s->copy[s->n_copies++] = op;
}

void silicon_source_add(silicon_source_t *s, const kernel_t *k)
{
    rb_grow(&s->kernel, &s->cap_kernels, s->n_kernels + 1, sizeof(s->kernel[0]));
    s->kernel[s->n_kernels++] = *k;
    silicon_source_again(s, s->n_kernels - 1);
}

void silicon_source_again(silicon_source_t *s, size_t kernel)
{
    const kernel_t *k = &s->kernel[kernel];

    if (s->n_launches == 0)
        for (size_t i = 0; i < k->n_copy; i++)
            silicon_source_copy(s, k->copy[i]);
    rb_grow(&s->launch, &s->cap_launches, s->n_launches + 1, sizeof(s->launch[0]));
    s->launch[s->n_launches++] = kernel;
}

void silicon_source_keep(silicon_source_t *s, const suite_t *suite)
{
    s->suite = *suite;
}

trace_source_t *silicon_source_trace(silicon_source_t *s)
{
    return &s->base;
}
