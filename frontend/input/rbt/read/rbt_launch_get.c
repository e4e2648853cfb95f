#include "frontend/input/rbt/read/rbt_launch_get.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frontend/input/rbt/read/rbt_launch_state.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"
#include "sim/core/log.h"

launch_info_t rbt_launch_info(const rbt_file_t *f, const rbt_launch_row_t *r)
{
    const rbt_kernel_t *k = &f->kernels[r->kernel];
    launch_info_t info = {
        .id = r->id,
        .trace_id = r->trace_id,
        .name = k->name,
        .file = f->path,
        .code_id = k->code_id,
        .regs = (uint32_t)r->regs,
        .shared_bytes = (uint32_t)r->shared_bytes,
        .arch = k->arch,
        .stream = r->stream,
        .shared_base = r->shared_base,
        .local_base = r->local_base,
        .n_blocks = r->grid[0] * r->grid[1] * r->grid[2],
    };

    for (unsigned i = 0; i < 3; i++) {
        info.grid[i] = (uint32_t)r->grid[i];
        info.block[i] = (uint32_t)r->block[i];
    }
    return info;
}

rb_code_t rbt_launch_open(trace_launch_t **out, rbt_file_t *file, uint64_t position,
                          const rbt_launch_t *launch, rbt_pages_t *pages,
                          _Atomic uint64_t *bytes_done, rb_err_t *err)
{
    const rbt_code_t *code;
    rbt_unpacker_t *unpacker;

    *out = NULL;
    RB_TRY(rbt_file_code(file, launch->row.kernel, &code, err));
    unpacker = rbt_pages_take_unpacker(pages);
    if (unpacker == NULL)
        return rb_fail(err, RB_NOMEM, "no memory for zstd");
    trace_launch_t *l = rb_calloc(1, sizeof(*l));

    *l = (trace_launch_t){.file = file,
                          .bytes_done = bytes_done,
                          .position = position,
                          .info = rbt_launch_info(file, &launch->row),
                          .first_block = launch->first_block,
                          .n_blocks = launch->row.n_blocks,
                          .code = code,
                          .unpacker = unpacker,
                          .pages = pages};
    l->launch = *launch;
    rbt_pool_init(&l->pool);
    pthread_mutex_init(&l->claims.lock, NULL);
    *out = l;
    return RB_OK;
}

void rbt_launch_close(trace_launch_t *l)
{
    while (l->claims.unused != NULL) {
        trace_launch_t *reader = l->claims.unused;

        l->claims.unused = reader->next_reader;
        rbt_launch_close(reader);
    }
    pthread_mutex_destroy(&l->claims.lock);
    rbt_pages_give(l->pages, l->page);
    rbt_frame_get_free(&l->frame);
    rbt_pool_free(&l->pool);
    rbt_pages_give_unpacker(l->pages, l->unpacker);
    free(l);
}

/* --- blocks ---------------------------------------------------------------------------------- */

static rb_code_t fail_frame(const trace_launch_t *l, const char *why, rb_err_t *err)
{
    uint64_t offset = l->page->page.frames[l->frame_number].place.offset;

    return rbt_file_fail(l->file, offset, "frame of thread blocks", why, err);
}

/* Keeps the furthest point reached: several launches may be open at the same time. */
static void set_progress(_Atomic uint64_t *bytes_done, uint64_t done)
{
    uint64_t seen = atomic_load_explicit(bytes_done, memory_order_relaxed);

    while (done > seen && !atomic_compare_exchange_weak(bytes_done, &seen, done))
        continue;
}

static const char *check_head(const trace_launch_t *l, const rbt_frame_ref_t *ref)
{
    const rbt_frame_get_t *f = &l->frame;
    uint64_t page_first = l->file->block_pages[l->page->number].first_block;
    uint64_t first = page_first + ref->first_block - f->continues;

    if (f->launch != l->position || f->n_blocks != ref->n_blocks + f->continues ||
        f->first_block != first - l->first_block)
        return "it does not hold the blocks that the index lists";
    return NULL;
}

/* Reads a frame of the page; its first block becomes the next one. */
static rb_code_t load_frame(trace_launch_t *l, size_t number, rb_err_t *err)
{
    const rbt_frame_ref_t *ref = &l->page->page.frames[number];
    rbt_frame_get_t *f = &l->frame;

    l->has_frame = false;
    l->frame_number = number;
    RB_TRY(rbt_file_read(l->file, &ref->place, RBT_FRAME_BYTES, "frame of thread blocks",
                         l->unpacker, &f->bytes, err));
    const char *wrong = rbt_frame_get_begin(f, l->code);

    if (wrong == NULL)
        wrong = check_head(l, ref);
    if (wrong != NULL)
        return fail_frame(l, wrong, err);
    l->next = f->first_block;
    l->has_frame = true;
    set_progress(l->bytes_done, ref->place.offset + ref->place.packed);
    return RB_OK;
}

rb_code_t rbt_launch_load_page(trace_launch_t *l, size_t number, rb_err_t *err)
{
    if (l->page != NULL && l->page->number == number)
        return RB_OK;
    rbt_pages_give(l->pages, l->page);
    l->page = NULL;
    l->has_frame = false;
    return rbt_pages_take(l->pages, l->file, number, l->unpacker, &l->page, err);
}

size_t rbt_launch_frame_of(const rbt_page_t *p, uint64_t k)
{
    size_t after;

    FIND_FIRST(after, 1, p->n_frames, p->frames[after].first_block > k);
    return after - 1;
}

/* Loads the frame of a block, positioned at or before the block. */
static rb_code_t seek(trace_launch_t *l, uint64_t index, rb_err_t *err)
{
    uint64_t block = l->first_block + index;

    RB_TRY(rbt_launch_load_page(l, rbt_file_block_page(l->file, block), err));
    uint64_t k = block - l->file->block_pages[l->page->number].first_block;
    size_t frame = rbt_launch_frame_of(&l->page->page, k);

    if (l->has_frame && l->frame_number == frame && l->next <= index)
        return RB_OK;
    return load_frame(l, frame, err);
}

/* Reads the rest of a block that continues in the next frames. */
static rb_code_t continue_block(trace_launch_t *l, uint64_t linear, rb_err_t *err)
{
    if (l->frame_number + 1 >= l->page->page.n_frames)
        return fail_frame(l, "the rest of its last block is missing", err);
    RB_TRY(load_frame(l, l->frame_number + 1, err));
    if (!l->frame.continues || l->frame.n_blocks == 0)
        return fail_frame(l, "it does not continue the block of the previous frame", err);
    const char *wrong = rbt_frame_get_block(&l->frame);

    if (wrong == NULL && l->frame.linear != linear)
        wrong = "it continues another block";
    return wrong != NULL ? fail_frame(l, wrong, err) : RB_OK;
}

static rb_code_t get_pieces(trace_launch_t *l, rbt_block_t *b, rb_err_t *err)
{
    const rbt_shape_get_t *shape;

    for (;;) {
        const char *wrong = rbt_frame_get_piece(&l->frame, &shape);

        if (wrong == NULL && shape == NULL)
            return RB_OK;
        if (wrong == NULL)
            wrong = rbt_block_piece(b, &l->frame, shape);
        if (wrong != NULL)
            return fail_frame(l, wrong, err);
    }
}

static rb_code_t begin_block(trace_launch_t *l, rbt_block_t *b, rb_err_t *err)
{
    const uint32_t *grid = l->info.grid, *dim = l->info.block;
    const char *wrong = rbt_frame_get_block(&l->frame);
    uint64_t linear = l->frame.linear;

    if (wrong == NULL && linear >= l->info.n_blocks)
        wrong = "a thread block lies outside of the grid";
    if (wrong != NULL)
        return fail_frame(l, wrong, err);
    uint32_t id[3] = {(uint32_t)(linear % grid[0]), (uint32_t)(linear / grid[0] % grid[1]),
                      (uint32_t)(linear / grid[0] / grid[1])};

    rbt_block_begin(b, l->next, id, (dim[0] * dim[1] * dim[2] + 31) / 32, l->store);
    rbt_block_hold(b, l->frame.runs);
    return RB_OK;
}

static rb_code_t read_block(trace_launch_t *l, rbt_block_t *b, rb_err_t *err)
{
    uint64_t index = l->next, linear;

    RB_TRY(begin_block(l, b, err));
    linear = l->frame.linear;
    for (;;) {
        RB_TRY(get_pieces(l, b, err));
        if (l->frame.blocks_begun < l->frame.n_blocks)
            break;
        const char *wrong = rbt_frame_get_end(&l->frame);

        if (wrong != NULL)
            return fail_frame(l, wrong, err);
        if (!l->frame.goes_on)
            break;
        RB_TRY(continue_block(l, linear, err));
        rbt_block_hold(b, l->frame.runs);
    }
    l->next = index + 1;
    return rbt_block_end(b, err);
}

void rbt_launch_warn_missing(trace_launch_t *l)
{
    if (l->n_blocks < l->info.n_blocks && !l->told_missing)
        rb_warn("%s: launch %" PRIu64 ": %" PRIu64 " of the grid's %" PRIu64
                " thread blocks are not in the trace; only the others are simulated",
                l->info.file, l->info.id, l->info.n_blocks - l->n_blocks, l->info.n_blocks);
    l->told_missing = true;
}

rb_code_t rbt_launch_read(trace_launch_t *l, uint64_t index, rbt_block_t *b, rb_err_t *err)
{
    RB_TRY(seek(l, index, err));
    for (;;) {
        if (l->frame.blocks_begun == l->frame.n_blocks)
            return fail_frame(l, "it holds fewer blocks than the index says", err);
        bool wanted = l->next == index;

        RB_TRY(read_block(l, b, err));
        if (wanted)
            return RB_OK;
        rbt_block_release(b);
    }
}

rb_code_t rbt_launch_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    *out = NULL;
    if (l->failed.code != RB_OK)
        return rb_fail(err, l->failed.code, "%s", l->failed.text);
    if (index >= l->n_blocks) {
        rbt_launch_warn_missing(l);
        return RB_OK;
    }
    rbt_block_t *b = rbt_pool_take(&l->pool);

    if (rbt_launch_read(l, index, b, &l->failed) != RB_OK) {
        rbt_pool_give_back(&l->pool, b);
        return rb_fail(err, l->failed.code, "%s", l->failed.text);
    }
    rbt_waits_give(&l->file->waits, l->position, index, &b->pub);
    *out = &b->pub;
    return RB_OK;
}

void rbt_launch_use_store(trace_launch_t *l, stream_store_t *store)
{
    l->store = store;
}

void rbt_launch_give_back(trace_launch_t *l, trace_block_t *b)
{
    if (b != NULL)
        rbt_pool_give_back(&l->pool, (rbt_block_t *)(void *)b);
}

/* --- the index ------------------------------------------------------------------------------- */

/* Finds the row of stored block index, loading its page. */
static rb_code_t find_row(trace_launch_t *l, uint64_t index, const rbt_block_row_t **row,
                          rb_err_t *err)
{
    const rbt_file_t *f = l->file;
    uint64_t block = l->first_block + index;

    RB_TRY(rbt_launch_load_page(l, rbt_file_block_page(f, block), err));
    *row = &l->page->page.blocks[block - f->block_pages[l->page->number].first_block];
    return RB_OK;
}

rb_code_t rbt_launch_block_facts(trace_launch_t *l, uint64_t index, block_facts_t *out,
                                 bool *stored, rb_err_t *err)
{
    const rbt_block_row_t *row;

    *stored = index < l->n_blocks;
    if (!*stored)
        return RB_OK;
    RB_TRY(find_row(l, index, &row, err));
    *out = (block_facts_t){
        .warp_insts = row->sum.warp_insts,
        .thread_insts = row->sum.thread_insts,
        .requests = rbt_sum_requests(row->sum.requests),
    };
    return RB_OK;
}

rb_code_t rbt_launch_warp_profile(trace_launch_t *l, uint64_t index, uint32_t warp,
                                  const bb_count_t **counts, size_t *n, rb_err_t *err)
{
    const rbt_block_row_t *row;

    *n = 0;
    if (index >= l->n_blocks)
        return RB_OK;
    RB_TRY(find_row(l, index, &row, err));
    const rbt_page_t *p = &l->page->page;
    const rbt_block_type_t *type = &p->block_types[row->type];
    uint32_t warp_type = warp < type->n ? p->warps[type->at + warp] : 0;

    if (warp_type == 0)
        return RB_OK;
    const rbt_warp_type_t *t = &p->types[warp_type - 1];

    for (size_t i = t->at; i < t->at + t->n; i++)
        if (p->counts[i].bb >= l->code->n_bbs)
            return rbt_file_fail(l->file, l->file->block_pages[l->page->number].place.offset,
                                 "page of the index", "it names basic blocks that do not exist",
                                 err);
    *counts = p->counts + t->at;
    *n = t->n;
    return RB_OK;
}

void rbt_launch_basic_block(const trace_launch_t *l, uint32_t bb, basic_block_t *out)
{
    const rbt_bb_t *b = &l->code->bbs[bb];
    const rbt_span_t *span = &l->code->spans[b->span];

    *out = (basic_block_t){.pc = l->code->insts[span->first].pc,
                           .n_insts = b->n_insts,
                           .first = &l->code->insts[span->first],
                           .known = span->count};
}

const char *rbt_launch_inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    return rbt_code_text(l->code, inst, len);
}

bool rbt_launch_inst_line(trace_launch_t *l, const inst_t *inst, source_line_t *out)
{
    return rbt_code_line(l->code, inst, out);
}
