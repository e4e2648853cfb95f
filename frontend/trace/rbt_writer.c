/*
 * An .rbt file is a sequence of zstd frames that any zstd can test:
 *
 *   header   skippable frame: magic, version
 *   frames   of thread blocks, each of one launch and readable by itself (rbt_frame_put.h); a block
 *            that is large is cut between frames, in pieces of warps
 *   pages    of the index, each behind the frames it describes (rbt_index_put.h), and pages of
 *            launches
 *   code     of each distinct kernel (rbt_code.h)
 *   root     of the index: names, and where pages and code are (below, put_root())
 *   footer   skippable frame: where the root is
 *
 * All numbers are little-endian. Each frame carries zstd's checksum of its content; whoever points
 * at a frame also keeps the XXH64 of its packed bytes, and header and footer one of their own.
 * rbt.5 describes every byte.
 */
#include "frontend/trace/rbt_writer.h"

#include <errno.h>
#include <stdlib.h>

#include "frontend/trace/rbt_checksum.h"
#include "frontend/trace/rbt_index_put.h"
#include "frontend/trace/rbt_root_put.h"
#include "sim/isa/isa.h"

enum { PAGE_BLOCKS = 4096, PAGE_FRAMES = 1024, PAGE_LAUNCHES = 1024 };

/* Where a block is cut even if it shares its frame with others. */
enum { HARD_INSTS = 400 << 10, HARD_BYTES = 2 << 20 };

/* The open launch. */
typedef struct {
    launch_info_t info;
    rbt_launch_row_t row;
    uint32_t kernel;
    uint64_t *bb_counts; /* owned: executions by basic block */
    size_t cap_bb_counts;
} open_launch_t;

struct rbt_writer {
    rbt_pack_t *pack;
    rb_err_t failed; /* the first error: all later calls give it */
    rbt_root_put_t root;
    rbt_walk_t walk;
    rbt_pointers_t pointers;
    rbt_frame_put_t frame;
    bool frame_open, launch_open;
    rbt_page_put_t page;
    rbt_launch_row_t *rows; /* owned: launches of the open page */
    size_t n_rows;
    uint64_t rows_blocks; /* blocks of them */
    uint64_t n_launches;
    open_launch_t launch;
    rbt_bb_count_t *counts; /* owned: of the warp being written */
    size_t n_counts, cap_counts;
    rbt_buf_t raw;
};

static rb_code_t fail(rbt_writer_t *w, rb_code_t code, rb_err_t *err)
{
    return rb_fail(err, code, "%s", w->failed.text);
}

static rb_code_t on_placed(void *ctx, const rbt_place_t *place, rb_err_t *err)
{
    rbt_writer_t *w = ctx;

    (void)err;
    rbt_page_put_placed(&w->page, place);
    return RB_OK;
}

static rb_code_t put_header(rbt_writer_t *w, rb_err_t *err)
{
    rbt_buf_t *b = &w->raw;

    b->n = 0;
    rbt_put_u32(b, RBT_SKIP_HEADER);
    rbt_put_u32(b, RBT_HEADER_BYTES - 8);
    rbt_put_bytes(b, rbt_header_magic, RBT_MAGIC_BYTES);
    rbt_put_u32(b, RBT_VERSION);
    rbt_put_u32(b, 0);
    rbt_put_u64(b, rbt_checksum(b->p + 8, b->n - 8));
    return rbt_pack_raw(w->pack, b->p, b->n, err);
}

static void destroy(rbt_writer_t *w)
{
    rbt_root_put_free(&w->root);
    rbt_walk_free(&w->walk);
    rbt_pointers_free(&w->pointers);
    rbt_frame_put_free(&w->frame);
    rbt_page_put_free(&w->page);
    free(w->rows);
    free(w->launch.bb_counts);
    free(w->counts);
    free(w->raw.p);
    free(w);
}

rbt_writer_t *rbt_writer_create(const char *path, const rbt_writer_options_t *opts, rb_err_t *err)
{
    static const rbt_writer_options_t none = {0};
    const rbt_writer_options_t *o = opts != NULL ? opts : &none;
    rbt_writer_t *w = rb_calloc(1, sizeof(*w));

    rbt_root_put_init(&w->root, o->producer != NULL ? o->producer : "rubato");
    w->rows = rb_calloc(PAGE_LAUNCHES, sizeof(*w->rows));
    w->pack = rbt_pack_create(path, o, on_placed, w, err);
    if (w->pack == NULL || put_header(w, err) != RB_OK) {
        rbt_writer_discard(w);
        return NULL;
    }
    return w;
}

const char *rbt_writer_temporary(const rbt_writer_t *w)
{
    return rbt_pack_temporary(w->pack);
}

void rbt_writer_discard(rbt_writer_t *w)
{
    if (w == NULL)
        return;
    rbt_pack_discard(w->pack);
    destroy(w);
}

rb_code_t rbt_writer_copy(rbt_writer_t *w, const memcpy_op_t *op, rb_err_t *err)
{
    (void)err;
    rbt_root_put_copy(&w->root, w->n_launches, op);
    return RB_OK;
}

void rbt_writer_plan(rbt_writer_t *w, const char *json)
{
    free(w->root.plan);
    w->root.plan = rb_strdup(json);
}

/* --- frames and pages ------------------------------------------------------------------------ */

static rb_code_t end_page(rbt_writer_t *w, rb_err_t *err)
{
    rbt_place_t place;

    if (w->page.n_blocks == 0)
        return RB_OK;
    RB_TRY(rbt_pack_drain(w->pack, err));
    w->raw.n = 0;
    rbt_page_put_encode(&w->page, w->root.kernels, &w->raw);
    RB_TRY(rbt_pack_now(w->pack, &w->raw, &place, err));
    rbt_root_put_block_page(&w->root, &place, w->page.offset, w->page.n_blocks, w->page.n_frames);
    rbt_page_put_clear(&w->page);
    return RB_OK;
}

/* Executions of basic blocks, from the paths of the frame. */
static void count_paths(rbt_writer_t *w)
{
    const rbt_frame_put_t *f = &w->frame;
    open_launch_t *l = &w->launch;
    size_t n = w->walk.code->n_bbs, had = l->cap_bb_counts;

    rb_grow(&l->bb_counts, &l->cap_bb_counts, n, sizeof(l->bb_counts[0]));
    if (l->cap_bb_counts > had)
        memset(l->bb_counts + had, 0, (l->cap_bb_counts - had) * sizeof(l->bb_counts[0]));
    for (size_t i = 0; i < f->n_paths; i++)
        for (const rbt_step_t *s = f->steps + f->paths[i].at, *end = s + f->paths[i].n; s < end;
             s++)
            l->bb_counts[s->bb] += s->repeat * f->paths[i].uses;
}

static rb_code_t end_frame(rbt_writer_t *w, bool more, rb_err_t *err)
{
    rbt_frame_put_t *f = &w->frame;
    rbt_cuts_t cuts;

    w->raw.n = 0;
    count_paths(w);
    rbt_frame_put_end(f, more, &w->raw, &cuts);
    rbt_page_put_frame(&w->page, w->raw.n, f->n_blocks - f->continues);
    w->frame_open = false;
    return rbt_pack_add(w->pack, &w->raw, &cuts, err);
}

static void begin_frame(rbt_writer_t *w, bool continues)
{
    const rbt_launch_row_t *row = &w->launch.row;

    rbt_frame_put_begin(&w->frame, w->n_launches - 1, row->n_blocks, continues);
    w->frame_open = true;
}

/* --- launches -------------------------------------------------------------------------------- */

static uint64_t weight_bits(double weight)
{
    uint64_t bits;

    memcpy(&bits, &weight, sizeof(bits));
    return bits;
}

rb_code_t rbt_writer_launch(rbt_writer_t *w, const launch_info_t *info, double weight,
                            rbt_inst_text_fn text, void *text_ctx, rb_err_t *err)
{
    open_launch_t *l = &w->launch;

    if (w->failed.code != RB_OK)
        return fail(w, w->failed.code, err);
    RB_INVARIANT(!w->launch_open, "a launch is begun inside another");
    l->info = *info;
    l->kernel = rbt_root_put_kernel(&w->root, info);
    l->row = (rbt_launch_row_t){
        .id = info->id,
        .trace_id = info->trace_id,
        .kernel = l->kernel,
        .grid = {info->grid[0], info->grid[1], info->grid[2]},
        .block = {info->block[0], info->block[1], info->block[2]},
        .regs = info->regs,
        .shared_bytes = info->shared_bytes,
        .stream = info->stream,
        .shared_base = info->shared_base,
        .local_base = info->local_base,
        .weight = weight_bits(weight),
    };
    w->walk.code = &w->root.kernels[l->kernel].code;
    w->walk.pointers = &w->pointers;
    w->walk.text = text;
    w->walk.text_ctx = text_ctx;
    rbt_pointers_clear(&w->pointers);
    w->launch_open = true;
    w->n_launches++;
    return RB_OK;
}

static rb_code_t end_launch_page(rbt_writer_t *w, rb_err_t *err)
{
    rbt_place_t place;

    if (w->n_rows == 0)
        return RB_OK;
    RB_TRY(end_page(w, err)); /* the frames of a page stand together */
    RB_TRY(rbt_pack_drain(w->pack, err));
    w->raw.n = 0;
    rbt_launches_encode(w->rows, w->n_rows, &w->raw);
    RB_TRY(rbt_pack_now(w->pack, &w->raw, &place, err));
    rbt_root_put_launch_page(&w->root, &place, w->n_rows, w->rows_blocks);
    w->n_rows = 0;
    w->rows_blocks = 0;
    return RB_OK;
}

/* Instruction classes of the launch, from its basic blocks. */
static void count_classes(rbt_writer_t *w)
{
    open_launch_t *l = &w->launch;
    const rbt_collect_t *code = w->walk.code;

    for (size_t i = 0; i < code->n_bbs && i < l->cap_bb_counts; i++) {
        const uint32_t *ids = code->ids + code->bbs[i].at;

        if (l->bb_counts[i] == 0)
            continue;
        for (uint32_t k = 0; k < code->bbs[i].n; k++)
            l->row.classes[code->insts[ids[k]].inst.cls] += l->bb_counts[i];
        l->bb_counts[i] = 0;
    }
}

rb_code_t rbt_writer_launch_end(rbt_writer_t *w, rb_err_t *err)
{
    if (w->failed.code == RB_OK && w->frame_open)
        (void)end_frame(w, false, &w->failed);
    if (w->failed.code == RB_OK) {
        count_classes(w);
        w->rows[w->n_rows++] = w->launch.row;
        w->rows_blocks += w->launch.row.n_blocks;
        w->launch_open = false;
        if (w->page.n_blocks >= PAGE_BLOCKS || w->page.n_frames >= PAGE_FRAMES)
            (void)end_page(w, &w->failed);
    }
    if (w->failed.code == RB_OK && w->n_rows == PAGE_LAUNCHES)
        (void)end_launch_page(w, &w->failed);
    return w->failed.code == RB_OK ? RB_OK : fail(w, w->failed.code, err);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* The block being written. */
typedef struct {
    uint64_t linear;
    rbt_summary_t sum;
    uint32_t types[RBT_WARPS_MAX]; /* of warps, + 1 */
} open_block_t;

static void put_accesses(rbt_writer_t *w, open_block_t *b, uint32_t shape, const uint64_t *rec)
{
    rbt_frame_put_t *f = &w->frame;
    const rbt_shape_t *s = &f->shapes[shape];

    for (size_t i = 0; i < s->n_accesses; i++, rec += addr_words(rec)) {
        size_t at = s->access + i;
        const rbt_access_t *a = &f->accesses[at];
        const inst_t *inst = &w->walk.code->insts[a->inst].inst;
        rbt_space_t space = rbt_summary_space(&w->launch.info, inst, rec);

        if (!rbt_frame_put_access(f, s, i, rec) || inst->space == MEM_GENERIC)
            rbt_summary_count(inst, space, a->mask, rec, &f->lines[at], &f->sectors[at]);
        b->sum.requests[space] += f->lines[at];
        b->sum.sectors[space] += f->sectors[at];
    }
}

static int by_bb(const void *a, const void *b)
{
    const rbt_bb_count_t *x = a, *y = b;

    return x->bb < y->bb ? -1 : x->bb > y->bb;
}

static void add_counts(rbt_writer_t *w, const rbt_path_t *path)
{
    const rbt_step_t *steps = w->frame.steps + path->at;

    rb_grow(&w->counts, &w->cap_counts, w->n_counts + path->n, sizeof(w->counts[0]));
    for (uint32_t i = 0; i < path->n; i++)
        w->counts[w->n_counts++] = (rbt_bb_count_t){.bb = steps[i].bb, .n = steps[i].repeat};
}

/* Sorts what was added and joins what belongs together. */
static uint32_t type_of_counts(rbt_writer_t *w)
{
    size_t n = 0;

    qsort(w->counts, w->n_counts, sizeof(w->counts[0]), by_bb);
    for (size_t i = 0; i < w->n_counts; i++)
        if (n > 0 && w->counts[n - 1].bb == w->counts[i].bb)
            w->counts[n - 1].n += w->counts[i].n;
        else
            w->counts[n++] = w->counts[i];
    w->n_counts = 0;
    return rbt_page_put_type(&w->page, w->launch.kernel, w->counts, n);
}

static void put_piece(rbt_writer_t *w, open_block_t *b, uint32_t warp, uint32_t shape,
                      const uint64_t *rec)
{
    const rbt_shape_t *s = &w->frame.shapes[shape];

    rbt_frame_put_piece(&w->frame, warp, shape);
    put_accesses(w, b, shape, rec);
    b->sum.warp_insts += s->n_insts;
    b->sum.thread_insts += s->thread_insts;
    b->sum.atomics += s->n_atomics;
}

static void put_short_warp(rbt_writer_t *w, open_block_t *b, uint32_t warp, const warp_stream_t *s)
{
    uint32_t shape = rbt_frame_put_known(&w->frame, s);

    if (shape == UINT32_MAX) {
        rbt_walk_begin(&w->walk, s);
        (void)rbt_walk_piece(&w->walk);
        shape = rbt_frame_put_shape(&w->frame, &w->walk.piece, w->walk.code, s);
    }
    put_piece(w, b, warp, shape, s->addrs);
    rbt_path_t *path = &w->frame.paths[w->frame.shapes[shape].path];

    if (path->type == UINT32_MAX) {
        add_counts(w, path);
        path->type = type_of_counts(w);
    }
    b->types[warp] = path->type + 1;
}

/* Goes on in a new frame if this one has enough, because of this block or above all measure. */
static rb_code_t cut(rbt_writer_t *w, const open_block_t *b, rb_err_t *err)
{
    size_t bytes = 0;

    if (!rbt_frame_put_is_full(&w->frame))
        return RB_OK;
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        bytes += w->frame.cols[i].n;
    if (w->frame.n_blocks > 1 && bytes < HARD_BYTES && w->frame.n_insts < HARD_INSTS)
        return RB_OK;
    rbt_frame_put_block_end(&w->frame);
    RB_TRY(end_frame(w, true, err));
    begin_frame(w, true);
    rbt_frame_put_block(&w->frame, b->linear);
    return RB_OK;
}

static rb_code_t put_long_warp(rbt_writer_t *w, open_block_t *b, uint32_t warp,
                               const warp_stream_t *s, rb_err_t *err)
{
    const uint64_t *rec = s->addrs;

    rbt_walk_begin(&w->walk, s);
    for (bool first = true; rbt_walk_piece(&w->walk); first = false) {
        if (!first)
            RB_TRY(cut(w, b, err));
        uint32_t shape = rbt_frame_put_shape(&w->frame, &w->walk.piece, w->walk.code, NULL);

        put_piece(w, b, warp, shape, rec);
        add_counts(w, &w->frame.paths[w->frame.shapes[shape].path]);
        rec = w->walk.addrs;
    }
    b->types[warp] = type_of_counts(w) + 1;
    return RB_OK;
}

static rb_code_t put_warps(rbt_writer_t *w, open_block_t *b, const trace_block_t *block,
                           rb_err_t *err)
{
    bool any = false;

    for (uint32_t k = 0; k < block->n_warps; k++) {
        const warp_stream_t *s = &block->warps[k];

        if (s->n_runs == 0)
            continue;
        if (any)
            RB_TRY(cut(w, b, err));
        any = true;
        if (rbt_warp_is_short(s))
            put_short_warp(w, b, k, s);
        else
            RB_TRY(put_long_warp(w, b, k, s, err));
        if (w->walk.code->n_insts > RBT_CODE_INSTS)
            return rb_fail(err, RB_TRACE, "%s: launch %llu: more than %d different instructions",
                           w->launch.info.file, (unsigned long long)w->launch.info.id,
                           RBT_CODE_INSTS);
    }
    return RB_OK;
}

static rb_code_t put_block(rbt_writer_t *w, const trace_block_t *block, rb_err_t *err)
{
    const launch_info_t *info = &w->launch.info;
    uint64_t y = block->id[1] + (uint64_t)info->grid[1] * block->id[2];
    open_block_t b = {.linear = block->id[0] + info->grid[0] * y};
    rbt_launch_row_t *row = &w->launch.row;

    RB_INVARIANT(block->n_warps <= RBT_WARPS_MAX, "a block has %u warps", block->n_warps);
    if (!w->frame_open)
        begin_frame(w, false);
    rbt_frame_put_block(&w->frame, b.linear);
    RB_TRY(put_warps(w, &b, block, err));
    rbt_frame_put_block_end(&w->frame);
    rbt_block_row_t entry = {
        .linear = b.linear,
        .type = rbt_page_put_block_type(&w->page, b.types, block->n_warps),
        .sum = b.sum,
    };

    rbt_page_put_block(&w->page, &entry);
    row->n_blocks++;
    row->warp_insts += b.sum.warp_insts;
    row->thread_insts += b.sum.thread_insts;
    row->atomics += b.sum.atomics;
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++) {
        row->requests[i] += b.sum.requests[i];
        row->sectors[i] += b.sum.sectors[i];
    }
    if (!rbt_frame_put_is_full(&w->frame))
        return RB_OK;
    RB_TRY(end_frame(w, false, err));
    if (w->page.n_blocks >= PAGE_BLOCKS || w->page.n_frames >= PAGE_FRAMES)
        return end_page(w, err);
    return RB_OK;
}

rb_code_t rbt_writer_block(rbt_writer_t *w, const trace_block_t *block, rb_err_t *err)
{
    RB_INVARIANT(w->launch_open, "a block is written outside of a launch");
    if (w->failed.code == RB_OK && put_block(w, block, &w->failed) == RB_OK)
        return RB_OK;
    return fail(w, w->failed.code, err);
}

/* --- the end --------------------------------------------------------------------------------- */

static rb_code_t put_footer(rbt_writer_t *w, const rbt_place_t *root, rb_err_t *err)
{
    rbt_buf_t *b = &w->raw;

    b->n = 0;
    rbt_put_u32(b, RBT_SKIP_FOOTER);
    rbt_put_u32(b, RBT_FOOTER_BYTES - 8);
    rbt_put_bytes(b, rbt_footer_magic, RBT_MAGIC_BYTES);
    rbt_put_u32(b, RBT_VERSION);
    rbt_put_u32(b, 0);
    rbt_put_u64(b, root->offset);
    rbt_put_u64(b, root->packed);
    rbt_put_u64(b, root->unpacked);
    rbt_put_u64(b, root->checksum);
    rbt_put_u64(b, w->n_launches);
    rbt_put_u64(b, rbt_checksum(b->p + 8, b->n - 8));
    return rbt_pack_raw(w->pack, b->p, b->n, err);
}

static rb_code_t put_code(rbt_writer_t *w, rb_err_t *err)
{
    for (size_t i = 0; i < w->root.n_kernels; i++) {
        rbt_kernel_put_t *k = &w->root.kernels[i];

        w->raw.n = 0;
        rbt_collect_encode(&k->code, &w->raw);
        if (w->raw.n > RBT_CODE_BYTES)
            return rb_fail(err, RB_TRACE, "%s: its code is too large", k->name);
        RB_TRY(rbt_pack_now(w->pack, &w->raw, &k->place, err));
    }
    return RB_OK;
}

static rb_code_t put_rest(rbt_writer_t *w, rb_err_t *err)
{
    rbt_place_t root;

    RB_TRY(end_launch_page(w, err));
    RB_TRY(rbt_pack_drain(w->pack, err));
    RB_TRY(put_code(w, err));
    w->raw.n = 0;
    rbt_root_put_encode(&w->root, &w->raw);
    RB_TRY(rbt_pack_now(w->pack, &w->raw, &root, err));
    return put_footer(w, &root, err);
}

rb_code_t rbt_writer_finish(rbt_writer_t *w, rb_err_t *err)
{
    RB_INVARIANT(!w->launch_open || w->failed.code != RB_OK, "a launch is not ended");
    if (w->failed.code != RB_OK || put_rest(w, &w->failed) != RB_OK) {
        rb_code_t code = fail(w, w->failed.code, err);

        rbt_writer_discard(w);
        return code;
    }
    rb_code_t code = rbt_pack_commit(w->pack, err);

    destroy(w);
    return code;
}
