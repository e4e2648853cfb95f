#include "frontend/input/rbt/read/rbt_verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "frontend/input/rbt/rbt_bb_map.h"
#include "frontend/input/rbt/read/rbt_launch_get.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "sim/gpu/source/read_blocks.h"

/* A launch being checked. */
typedef struct {
    const rbt_file_t *f;
    trace_source_t *source;
    rbt_launch_t launch;
    launch_info_t info;
    const rbt_code_t *code;
    rbt_unpacker_t *unpacker;
    rbt_page_t page;
    size_t page_number; /* SIZE_MAX: no page is loaded */
    rbt_summary_t sum;  /* of the blocks so far */
    uint64_t classes[OP_CLASS_COUNT];
    rbt_bb_map_t *maps; /* owned; one per kernel; code is NULL until needed */
    size_t op;          /* in the order of the work: behind the launches examined so far */
} examination_t;

static rb_code_t fail_block(const examination_t *x, uint64_t index, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: launch %" PRIu64 ", block %" PRIu64 ": %s", x->f->path,
                   x->info.id, index, what);
}

static rb_code_t find_row(examination_t *x, uint64_t index, const rbt_block_row_t **row,
                          rb_err_t *err)
{
    uint64_t block = x->launch.first_block + index;
    size_t page = rbt_file_block_page(x->f, block);

    if (x->page_number != page) {
        rbt_page_free(&x->page);
        x->page_number = SIZE_MAX;
        RB_TRY(rbt_page_read(&x->page, x->f, page, x->unpacker, err));
        x->page_number = page;
    }
    *row = &x->page.blocks[block - x->f->block_pages[page].first_block];
    return RB_OK;
}

/* Adds a piece of a warp to the totals that the index should have. */
static void count_piece(examination_t *x, const warp_stream_t *w, rbt_summary_t *s)
{
    const uint64_t *rec = w->addrs;

    for (uint32_t r = 0; r < w->n_runs; r++) {
        const trace_run_t *run = &w->runs[r];

        s->warp_insts += run->count;
        s->thread_insts += (uint64_t)run->count * (unsigned)__builtin_popcount(run->mask);
        for (unsigned k = 0; k < run->count; k++)
            x->classes[run->first[k].cls]++;
        for (unsigned k = 0; k < run->count && run->mask != 0; k++) {
            const inst_t *in = run->first + k;
            uint16_t lines, sectors;

            if (!rbt_has_addresses(in))
                continue;
            rbt_space_t space = rbt_summary_space(&x->info, in, rec);

            rbt_summary_count(in, space, run->mask, rec, &lines, &sectors);
            s->requests[space] += lines;
            s->sectors[space] += sectors;
            s->atomics += in->access == ACC_ATOMIC || in->access == ACC_REDUCTION;
            rec += addr_words(rec);
        }
    }
}

static void count_warp(examination_t *x, warp_stream_t *w, rbt_summary_t *s)
{
    for (bool some = stream_first(w); some; some = stream_next(w))
        count_piece(x, w, s);
}

static bool same_summary(const rbt_summary_t *a, const rbt_summary_t *b)
{
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++)
        if (a->requests[i] != b->requests[i] || a->sectors[i] != b->sectors[i])
            return false;
    return a->warp_insts == b->warp_insts && a->thread_insts == b->thread_insts &&
           a->atomics == b->atomics;
}

/* Checks that exactly the warps of the block type exist and execute what their types say. */
static rb_code_t check_types(examination_t *x, const trace_block_t *b, const rbt_block_row_t *row,
                             rb_err_t *err)
{
    const rbt_block_type_t *t = &x->page.block_types[row->type];
    rbt_bb_map_t *map = &x->maps[x->launch.row.kernel];

    if (map->code == NULL)
        rbt_bb_map_init(map, x->code);
    if (t->n != b->n_warps)
        return fail_block(x, b->index, "the index has another number of warps", err);
    for (uint32_t w = 0; w < b->n_warps; w++) {
        uint32_t number = x->page.warps[t->at + w];
        const rbt_warp_type_t *type = number > 0 ? &x->page.types[number - 1] : NULL;

        if ((type != NULL ? type->n_insts : 0) != b->warps[w].n_insts)
            return fail_block(x, b->index, "the index has another length of a warp", err);
        if (type == NULL)
            continue;
        for (size_t i = type->at; i < type->at + type->n; i++)
            if (type->kernel != x->launch.row.kernel || x->page.counts[i].bb >= x->code->n_bbs)
                return fail_block(x, b->index, "a warp type has a basic block that is not there",
                                  err);
        if (!rbt_bb_map_agrees(map, &b->warps[w], x->page.counts + type->at, type->n))
            return fail_block(x, b->index, "a warp executes other basic blocks than its type", err);
    }
    return RB_OK;
}

static rb_code_t check_block(examination_t *x, const trace_block_t *b, rb_err_t *err)
{
    const uint32_t *grid = x->info.grid;
    const rbt_block_row_t *row;
    rbt_summary_t sum = {0};

    RB_TRY(find_row(x, b->index, &row, err));
    if (row->linear != b->id[0] + (uint64_t)grid[0] * (b->id[1] + (uint64_t)grid[1] * b->id[2]))
        return fail_block(x, b->index, "the index has another block id", err);
    for (uint32_t w = 0; w < b->n_warps; w++)
        count_warp(x, &b->warps[w], &sum);
    if (!same_summary(&sum, &row->sum))
        return fail_block(x, b->index, "the totals of the index differ from those of the block",
                          err);
    rbt_summary_add(&x->sum, &sum);
    return check_types(x, b, row, err);
}

/* Checks that the launch is among the operations of the file, which are in the same order. */
static rb_code_t check_operation(examination_t *x, rb_err_t *err)
{
    const stream_graph_t *g = &x->f->graph;

    if (!x->f->has_graph)
        return RB_OK;
    while (x->op < g->n &&
           (g->ops[x->op].kind != STREAM_OP_LAUNCH || g->ops[x->op].launch < x->launch.row.id))
        x->op++;
    return x->op < g->n && g->ops[x->op].launch == x->launch.row.id
               ? RB_OK
               : rb_fail(err, RB_TRACE, "%s: launch %" PRIu64 " is not among its operations",
                         x->f->path, x->launch.row.id);
}

static rb_code_t check_launch(examination_t *x, rbt_verified_t *v, rb_err_t *err)
{
    const trace_source_ops_t *ops = x->source->ops;
    uint64_t position = v->launches + 1;
    block_reading_t reading;
    stream_doubts_memo_t memo = {0};
    rb_code_t code = RB_OK;

    x->info = rbt_launch_info(x->f, &x->launch.row);
    x->sum = (rbt_summary_t){0};
    memset(x->classes, 0, sizeof(x->classes));
    RB_TRY(block_reading_open(&reading, x->source, position, err));
    code = rbt_file_code(rbt_source_file(x->source), x->launch.row.kernel, &x->code, err);
    for (uint64_t i = 0; i < x->launch.row.n_blocks && code == RB_OK; i++) {
        trace_block_t *b = NULL;

        code = ops->get_block(reading.launch, i, &b, err);
        if (code == RB_OK)
            code = check_block(x, b, err);
        if (code == RB_OK)
            stream_doubts_block(&v->doubts, &memo, b);
        ops->free_block(reading.launch, b);
    }
    block_reading_close(&reading);
    RB_TRY(code);
    const rbt_launch_row_t *row = &x->launch.row;
    rbt_summary_t stored = {
        .warp_insts = row->warp_insts, .thread_insts = row->thread_insts, .atomics = row->atomics};

    memcpy(stored.requests, row->requests, sizeof(stored.requests));
    memcpy(stored.sectors, row->sectors, sizeof(stored.sectors));
    if (!same_summary(&stored, &x->sum) ||
        memcmp(x->classes, row->classes, sizeof(x->classes)) != 0)
        return rb_fail(err, RB_TRACE,
                       "%s: launch %" PRIu64 ": its totals are not the sums over its blocks",
                       x->f->path, x->info.id);
    RB_TRY(check_operation(x, err));
    v->launches++;
    v->blocks += row->n_blocks;
    v->warp_insts += row->warp_insts;
    return RB_OK;
}

/* Checks that frames, pages and code account for every byte of the file. */
static rb_code_t check_bytes(const rbt_file_t *f, rb_err_t *err)
{
    uint64_t n = RBT_HEADER_BYTES + f->root.packed + RBT_FOOTER_BYTES;

    for (size_t i = 0; i < f->n_block_pages; i++)
        n += f->block_pages[i].place.offset - f->block_pages[i].first_frame +
             f->block_pages[i].place.packed;
    for (size_t i = 0; i < f->n_launch_pages; i++)
        n += f->launch_pages[i].place.packed;
    for (size_t i = 0; i < f->n_kernels; i++)
        n += f->kernels[i].place.packed;
    if (n != f->bytes)
        return rb_fail(err, RB_TRACE, "%s: its index accounts for %" PRIu64 " of %" PRIu64 " bytes",
                       f->path, n, f->bytes);
    return RB_OK;
}

static rb_code_t check_all(examination_t *x, rbt_verified_t *v, rb_err_t *err)
{
    for (size_t p = 0; p < x->f->n_launch_pages; p++) {
        rbt_launch_t *launches = rbt_launches_read(x->f, p, x->unpacker, err);
        rb_code_t code = RB_OK;

        if (launches == NULL)
            return err->code;
        for (uint64_t i = 0; i < x->f->launch_pages[p].n_launches && code == RB_OK; i++) {
            x->launch = launches[i];
            code = check_launch(x, v, err);
        }
        free(launches);
        RB_TRY(code);
    }
    for (size_t k = 0; k < x->f->n_kernels; k++) {
        const rbt_code_t *code;

        RB_TRY(rbt_file_code(rbt_source_file(x->source), k, &code, err));
    }
    return check_bytes(x->f, err);
}

rb_code_t rbt_verify(const char *path, rbt_verified_t *v, rb_err_t *err)
{
    examination_t x = {.source = rbt_open(path, err), .page_number = SIZE_MAX};

    *v = (rbt_verified_t){0};
    if (x.source == NULL)
        return err->code;
    x.f = rbt_source_file(x.source);
    x.unpacker = ZSTD_createDCtx();
    x.maps = rb_calloc(x.f->n_kernels + 1, sizeof(*x.maps));
    rb_code_t code =
        x.unpacker != NULL ? check_all(&x, v, err) : rb_fail(err, RB_NOMEM, "no memory for zstd");

    for (size_t k = 0; k < x.f->n_kernels; k++)
        rbt_bb_map_free(&x.maps[k]);
    free(x.maps);
    rbt_page_free(&x.page);
    ZSTD_freeDCtx(x.unpacker);
    x.source->ops->destroy(x.source);
    return code;
}
