/* A trace source whose launches come from functions of the library's caller. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/library_internal.h"
#include "frontend/tool/library/source_code.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"
#include "sim/gpu/source/made_block.h"
#include "sim/isa/isa.h"

enum { WARP_LANES = 32, BLOCK_THREADS = 1024, BLOCKS_MAX_LOG2 = 40, RUN_MAX = 65535 };

typedef struct {
    trace_source_t base; /* must be first: the source's address is ours */
    rubato_source calls;
    memcpy_op_t *copies; /* owned; of the last requested launch */
    size_t cap_copies;
} source_calls_t;

struct trace_launch {
    const rubato_source *calls;
    uint64_t id;
    rubato_kernel kernel;
    launch_info_t info;
    inst_t *code; /* owned */
    uint32_t n_warps;
    made_pool_t blocks;
};

struct rubato_warp {
    made_block_t *target;
    const trace_launch_t *launch;
    uint64_t block;
    uint32_t number;
    rb_err_t err; /* the first error */
};

/* --- what the caller's functions say -------------------------------------------------------- */

/* Reports an error of one of the caller's functions. */
static rb_code_t failed(rubato_code code, const rubato_error *said, uint64_t id, rb_err_t *err)
{
    const bool known = code > RUBATO_OK && code <= RUBATO_STOPPED;
    return rb_fail(err, known ? (rb_code_t)code : RB_TRACE, "launch %llu: %s",
                   (unsigned long long)id,
                   said->text[0] != '\0' ? said->text : "its source failed without a message");
}

static rb_code_t check_shape(const rubato_kernel *k, uint64_t id, rb_err_t *err)
{
    uint64_t threads = 1, blocks = 1;
    bool too_many = false, crowded = false;
    for (int d = 0; d < 3; d++) {
        crowded = crowded || __builtin_mul_overflow(threads, k->block[d], &threads);
        too_many = too_many || __builtin_mul_overflow(blocks, k->grid[d], &blocks);
    }
    if (k->grid[0] == 0 || k->grid[1] == 0 || k->grid[2] == 0 || crowded || threads == 0 ||
        threads > BLOCK_THREADS)
        return rb_fail(err, RB_TRACE,
                       "launch %llu: a grid needs at least one block, a block 1 to %d threads",
                       (unsigned long long)id, BLOCK_THREADS);
    if (too_many || blocks > (uint64_t)1 << BLOCKS_MAX_LOG2)
        return rb_fail(err, RB_TRACE, "launch %llu: a grid has at most 2^%d blocks",
                       (unsigned long long)id, BLOCKS_MAX_LOG2);
    if (isa_arch_name(k->arch) == NULL)
        return rb_fail(err, RB_TRACE, "launch %llu: unknown architecture %u, e.g. 70",
                       (unsigned long long)id, k->arch);
    if (k->name == NULL || k->code == NULL || k->n_code == 0)
        return rb_fail(err, RB_TRACE, "launch %llu: a kernel needs a name and instructions",
                       (unsigned long long)id);
    return RB_OK;
}

static rb_code_t ask(const rubato_source *calls, uint64_t id, rubato_kernel *k, rb_err_t *err)
{
    rubato_error said = {0};
    *k = (rubato_kernel){0};
    if (id == 0 || id > calls->n_launches)
        return rb_fail(err, RB_TRACE, "there is no launch %llu", (unsigned long long)id);
    rubato_code code = calls->launch(calls->ctx, id, k, &said);
    return code == RUBATO_OK ? check_shape(k, id, err) : failed(code, &said, id, err);
}

/* Launches of the same kernel have the same code: FNV-1a of its name. */
static uint64_t code_id(const rubato_kernel *k)
{
    return fnv_text(FNV_START ^ k->arch, k->name);
}

static void fill_info(const rubato_kernel *k, uint64_t id, launch_info_t *info)
{
    *info = (launch_info_t){.id = id,
                            .trace_id = id,
                            .name = k->name,
                            .file = "(source)",
                            .code_id = code_id(k),
                            .regs = k->registers,
                            .shared_bytes = k->shared_bytes,
                            .arch = k->arch,
                            .n_blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2]};
    memcpy(info->grid, k->grid, sizeof(info->grid));
    memcpy(info->block, k->block, sizeof(info->block));
}

/* --- warps ---------------------------------------------------------------------------------- */

static void mistake(rubato_warp *w, const char *what, uint32_t inst)
{
    rb_fail(&w->err, RB_TRACE, "launch %llu, block %llu, warp %u: instruction %u %s",
            (unsigned long long)w->launch->id, (unsigned long long)w->block, w->number, inst, what);
}

static bool takes_addresses(const inst_t *in)
{
    return in->space != MEM_NONE && in->width != 0;
}

void rubato_warp_run(rubato_warp *warp, uint32_t first, uint32_t count, uint32_t mask)
{
    const trace_launch_t *l = warp->launch;
    if (first >= l->kernel.n_code || count > l->kernel.n_code - first) {
        mistake(warp, "is beyond the kernel's code", first);
        return;
    }
    for (uint32_t i = first; i < first + count; i++)
        if (mask != 0 && takes_addresses(&l->code[i])) {
            mistake(warp, "takes addresses: see rubato_warp_access()", i);
            return;
        }
    for (uint32_t done = 0; done < count; done += RUN_MAX) {
        const uint32_t n = count - done < RUN_MAX ? count - done : RUN_MAX;
        made_run_put(warp->target, &l->code[first + done], n, mask);
    }
}

void rubato_warp_access(rubato_warp *warp, uint32_t inst, uint32_t mask, const uint64_t *addresses)
{
    const trace_launch_t *l = warp->launch;
    const unsigned lanes = (unsigned)__builtin_popcount(mask);
    if (inst >= l->kernel.n_code || !takes_addresses(&l->code[inst])) {
        mistake(warp, "takes no addresses", inst);
        return;
    }
    if (addresses == NULL && lanes > 0) {
        mistake(warp, "needs addresses, but they are NULL", inst);
        return;
    }
    made_run_put(warp->target, &l->code[inst], 1, mask);
    if (lanes > 0)
        warp->target->n_addrs +=
            addr_pack(addresses, lanes, made_addrs_reserve(warp->target, ADDR_RECORD_MAX));
}

/* --- the source ----------------------------------------------------------------------------- */

static uint64_t n_launches(const trace_source_t *s)
{
    return ((const source_calls_t *)(const void *)s)->calls.n_launches;
}

static source_calls_t *calls_of(trace_source_t *s)
{
    return (source_calls_t *)(void *)s;
}

static rb_code_t launch_info(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    rubato_kernel k;
    RB_TRY(ask(&calls_of(s)->calls, id, &k, err));
    fill_info(&k, id, info);
    return RB_OK;
}

/* launch_info(), which is called first, reports errors. */
static size_t copies(const trace_source_t *base, uint64_t id, const memcpy_op_t **ops)
{
    source_calls_t *s = (source_calls_t *)(uintptr_t)(const void *)base;
    rubato_kernel k;
    if (ask(&s->calls, id, &k, NULL) != RB_OK || k.copies == NULL)
        return 0;
    rb_grow(&s->copies, &s->cap_copies, k.n_copies, sizeof(*s->copies));
    for (size_t i = 0; i < k.n_copies; i++)
        s->copies[i] = (memcpy_op_t){.addr = k.copies[i].address, .bytes = k.copies[i].bytes};
    *ops = s->copies;
    return k.n_copies;
}

static rb_code_t open_launch(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    rubato_kernel k;
    inst_t *code;
    RB_TRY(ask(&calls_of(s)->calls, id, &k, err));
    RB_TRY(source_code_read(&k, id, &code, err));
    trace_launch_t *l = rb_calloc(1, sizeof(*l));
    l->calls = &calls_of(s)->calls;
    l->id = id;
    l->kernel = k;
    l->code = code;
    l->n_warps = (k.block[0] * k.block[1] * k.block[2] + WARP_LANES - 1) / WARP_LANES;
    fill_info(&k, id, &l->info);
    made_pool_init(&l->blocks);
    *out = l;
    return RB_OK;
}

static rb_code_t make_warp(trace_launch_t *l, made_block_t *b, uint64_t index, uint32_t number,
                           rb_err_t *err)
{
    rubato_warp w = {.target = b, .launch = l, .block = index, .number = number};
    rubato_error said = {0};
    made_warp_begin(b);
    rubato_code code = l->calls->warp(l->calls->ctx, l->id, index, number, &w, &said);
    made_warp_end(b, number);
    if (code != RUBATO_OK)
        return failed(code, &said, l->id, err);
    return w.err.code != RB_OK ? rb_fail(err, w.err.code, "%s", w.err.text) : RB_OK;
}

static rb_code_t get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    *out = NULL;
    if (index >= l->info.n_blocks)
        return RB_OK;
    made_block_t *b = made_pool_take(&l->blocks, l->n_warps);
    made_block_begin(b, index, l->kernel.grid);
    for (uint32_t i = 0; i < l->n_warps; i++)
        RB_TRY(make_warp(l, b, index, i, err));
    RB_TRY(made_block_end(b, err));
    *out = &b->block;
    return RB_OK;
}

static void free_block(trace_launch_t *l, trace_block_t *b)
{
    made_pool_give_back(&l->blocks, b);
}

static void close_launch(trace_launch_t *l)
{
    made_pool_free(&l->blocks);
    free(l->code);
    free(l);
}

static const char *inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    const size_t i = (size_t)(inst - l->code);
    if (i >= l->kernel.n_code)
        return NULL;
    *len = (uint32_t)strlen(l->kernel.code[i].opcode);
    return l->kernel.code[i].opcode;
}

static void progress(const trace_source_t *s, uint64_t *done, uint64_t *total)
{
    (void)s;
    *done = *total = 0;
}

static void destroy(trace_source_t *base)
{
    source_calls_t *s = calls_of(base);
    if (s->calls.destroy != NULL)
        s->calls.destroy(s->calls.ctx);
    free(s->copies);
    free(s);
}

static const trace_source_ops_t source_calls_ops = {
    .name = "calls",
    .n_launches = n_launches,
    .launch_info = launch_info,
    .copies = copies,
    .open = open_launch,
    .get_block = get_block,
    .free_block = free_block,
    .close = close_launch,
    .inst_text = inst_text,
    .progress = progress,
    .destroy = destroy,
};

trace_source_t *source_calls_create(const rubato_source *source, rb_err_t *err)
{
    if (source->launch == NULL || source->warp == NULL || source->n_launches == 0) {
        rb_fail(err, RB_USAGE, "a source needs launch(), warp() and at least one launch");
        return NULL;
    }
    source_calls_t *s = rb_calloc(1, sizeof(*s));
    s->base.ops = &source_calls_ops;
    s->calls = *source;
    return &s->base;
}
