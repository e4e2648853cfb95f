#include "frontend/input/rbt/write/rbt_launch_put.h"

#include <stdlib.h>
#include <string.h>

#include "sim/isa/isa.h"

enum { PAGE_BLOCKS = 4096, PAGE_FRAMES = 1024 };

/* A block that shares its frame with others is also cut at these limits. */
enum { HARD_INSTS = 400 << 10, HARD_BYTES = 2 << 20 };

void rbt_launch_put_free(rbt_launch_put_t *l)
{
    rbt_walk_free(&l->walk);
    rbt_pointers_free(&l->pointers);
    rbt_frame_put_free(&l->frame);
    rbt_page_put_free(&l->page);
    free(l->bb_counts);
    free(l->counts);
    free(l->raw.p);
}

/* --- frames and pages ------------------------------------------------------------------------ */

rb_code_t rbt_launch_put_page(rbt_launch_put_t *l, rb_err_t *err)
{
    rbt_place_t place;

    if (l->page.n_blocks == 0)
        return RB_OK;
    RB_TRY(rbt_pack_drain(l->pack, err));
    l->raw.n = 0;
    rbt_page_put_encode(&l->page, l->root->kernels, &l->raw);
    RB_TRY(rbt_pack_now(l->pack, &l->raw, &place, err));
    rbt_root_put_block_page(l->root, &place, l->page.offset, l->page.n_blocks, l->page.n_frames);
    rbt_page_put_clear(&l->page);
    return RB_OK;
}

/* Ends a page between frames when it is full. */
static rb_code_t end_full_page(rbt_launch_put_t *l, rb_err_t *err)
{
    if (l->page.n_blocks >= PAGE_BLOCKS || l->page.n_frames >= PAGE_FRAMES)
        return rbt_launch_put_page(l, err);
    return RB_OK;
}

/* Counts executions of basic blocks from the paths of the frame. */
static void count_paths(rbt_launch_put_t *l)
{
    const rbt_frame_put_t *f = &l->frame;
    size_t n = l->walk.code->n_bbs, had = l->cap_bb_counts;

    rb_grow(&l->bb_counts, &l->cap_bb_counts, n, sizeof(l->bb_counts[0]));
    if (l->cap_bb_counts > had)
        memset(l->bb_counts + had, 0, (l->cap_bb_counts - had) * sizeof(l->bb_counts[0]));
    for (size_t i = 0; i < f->n_paths; i++)
        for (const rbt_step_t *s = f->steps + f->paths[i].at, *end = s + f->paths[i].n; s < end;
             s++)
            l->bb_counts[s->bb] += s->repeat * f->paths[i].uses;
}

static rb_code_t end_frame(rbt_launch_put_t *l, bool more, rb_err_t *err)
{
    rbt_frame_put_t *f = &l->frame;
    rbt_cuts_t cuts;

    l->raw.n = 0;
    count_paths(l);
    rbt_frame_put_end(f, more, &l->raw, &cuts);
    rbt_page_put_frame(&l->page, l->raw.n, f->n_blocks - f->continues);
    l->frame_open = false;
    return rbt_pack_add(l->pack, &l->raw, &cuts, err);
}

static void begin_frame(rbt_launch_put_t *l, bool continues)
{
    rbt_frame_put_begin(&l->frame, l->number, l->row.n_blocks, continues);
    l->frame_open = true;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* The block being written. */
typedef struct {
    uint64_t linear;
    rbt_summary_t sum;
    uint32_t types[RBT_WARPS_MAX]; /* warp types + 1 */
} open_block_t;

static void put_accesses(rbt_launch_put_t *l, open_block_t *b, uint32_t shape, const uint64_t *rec)
{
    rbt_frame_put_t *f = &l->frame;
    const rbt_shape_t *s = &f->shapes[shape];

    for (size_t i = 0; i < s->n_accesses; i++, rec += addr_words(rec)) {
        size_t at = s->access + i;
        const rbt_access_t *a = &f->accesses[at];
        const inst_t *inst = &l->walk.code->insts[a->inst].inst;
        rbt_space_t space = rbt_summary_space(&l->info, inst, rec);

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

static void add_counts(rbt_launch_put_t *l, const rbt_path_t *path)
{
    const rbt_step_t *steps = l->frame.steps + path->at;

    rb_grow(&l->counts, &l->cap_counts, l->n_counts + path->n, sizeof(l->counts[0]));
    for (uint32_t i = 0; i < path->n; i++)
        l->counts[l->n_counts++] = (rbt_bb_count_t){.bb = steps[i].bb, .n = steps[i].repeat};
}

/* Sorts the counts and merges equal basic blocks; returns the warp type. */
static uint32_t type_of_counts(rbt_launch_put_t *l)
{
    size_t n = 0;

    qsort(l->counts, l->n_counts, sizeof(l->counts[0]), by_bb);
    for (size_t i = 0; i < l->n_counts; i++)
        if (n > 0 && l->counts[n - 1].bb == l->counts[i].bb)
            l->counts[n - 1].n += l->counts[i].n;
        else
            l->counts[n++] = l->counts[i];
    l->n_counts = 0;
    return rbt_page_put_type(&l->page, (uint32_t)l->row.kernel, l->counts, n);
}

static void put_piece(rbt_launch_put_t *l, open_block_t *b, uint32_t warp, uint32_t shape,
                      const uint64_t *rec)
{
    const rbt_shape_t *s = &l->frame.shapes[shape];

    rbt_frame_put_piece(&l->frame, warp, shape);
    put_accesses(l, b, shape, rec);
    b->sum.warp_insts += s->n_insts;
    b->sum.thread_insts += s->thread_insts;
    b->sum.atomics += s->n_atomics;
}

static void put_short_warp(rbt_launch_put_t *l, open_block_t *b, uint32_t warp,
                           const warp_stream_t *s)
{
    uint32_t shape = rbt_frame_put_known(&l->frame, s);

    if (shape == UINT32_MAX) {
        (void)rbt_walk_piece(&l->walk, NULL);
        shape = rbt_frame_put_shape(&l->frame, &l->walk.piece, l->walk.code, s);
    }
    put_piece(l, b, warp, shape, s->addrs);
    rbt_path_t *path = &l->frame.paths[l->frame.shapes[shape].path];

    if (path->type == UINT32_MAX) {
        add_counts(l, path);
        path->type = type_of_counts(l);
    }
    b->types[warp] = path->type + 1;
}

/* Continues in a new frame if this one is full and has only this block, or is far above the
 * limits. */
static rb_code_t cut(rbt_launch_put_t *l, const open_block_t *b, rb_err_t *err)
{
    size_t bytes = 0;

    if (!rbt_frame_put_is_full(&l->frame))
        return RB_OK;
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        bytes += l->frame.cols[i].n;
    if (l->frame.n_blocks > 1 && bytes < HARD_BYTES && l->frame.n_insts < HARD_INSTS)
        return RB_OK;
    rbt_frame_put_block_end(&l->frame);
    RB_TRY(end_frame(l, true, err));
    begin_frame(l, true);
    rbt_frame_put_block(&l->frame, b->linear);
    return RB_OK;
}

static rb_code_t put_long_warp(rbt_launch_put_t *l, open_block_t *b, uint32_t warp, rb_err_t *err)
{
    const uint64_t *rec;

    for (bool first = true; rbt_walk_piece(&l->walk, &rec); first = false) {
        if (!first)
            RB_TRY(cut(l, b, err));
        uint32_t shape = rbt_frame_put_shape(&l->frame, &l->walk.piece, l->walk.code, NULL);

        put_piece(l, b, warp, shape, rec);
        add_counts(l, &l->frame.paths[l->frame.shapes[shape].path]);
    }
    b->types[warp] = type_of_counts(l) + 1;
    return RB_OK;
}

static rb_code_t put_warps(rbt_launch_put_t *l, open_block_t *b, const trace_block_t *block,
                           rb_err_t *err)
{
    bool any = false;

    for (uint32_t k = 0; k < block->n_warps; k++) {
        if (block->warps[k].n_runs == 0)
            continue;
        const warp_stream_t *s = rbt_walk_begin(&l->walk, &block->warps[k]);
        if (any)
            RB_TRY(cut(l, b, err));
        any = true;
        if (rbt_warp_is_short(s))
            put_short_warp(l, b, k, s);
        else
            RB_TRY(put_long_warp(l, b, k, err));
        if (l->walk.code->n_insts > RBT_CODE_INSTS)
            return rb_fail(err, RB_TRACE, "%s: launch %llu: more than %d different instructions",
                           l->info.file, (unsigned long long)l->info.id, RBT_CODE_INSTS);
    }
    return RB_OK;
}

rb_code_t rbt_launch_put_block(rbt_launch_put_t *l, const trace_block_t *block, rb_err_t *err)
{
    const launch_info_t *info = &l->info;
    uint64_t y = block->id[1] + (uint64_t)info->grid[1] * block->id[2];
    open_block_t b = {.linear = block->id[0] + info->grid[0] * y};
    rbt_launch_row_t *row = &l->row;

    RB_INVARIANT(block->n_warps <= RBT_WARPS_MAX, "a block has %u warps", block->n_warps);
    if (!l->frame_open)
        begin_frame(l, false);
    rbt_frame_put_block(&l->frame, b.linear);
    RB_TRY(put_warps(l, &b, block, err));
    rbt_frame_put_block_end(&l->frame);
    rbt_block_row_t entry = {
        .linear = b.linear,
        .type = rbt_page_put_block_type(&l->page, b.types, block->n_warps),
        .sum = b.sum,
    };

    rbt_page_put_block(&l->page, &entry);
    row->n_blocks++;
    row->warp_insts += b.sum.warp_insts;
    row->thread_insts += b.sum.thread_insts;
    row->atomics += b.sum.atomics;
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++) {
        row->requests[i] += b.sum.requests[i];
        row->sectors[i] += b.sum.sectors[i];
    }
    if (!rbt_frame_put_is_full(&l->frame))
        return RB_OK;
    RB_TRY(end_frame(l, false, err));
    return end_full_page(l, err);
}

/* --- the launch ------------------------------------------------------------------------------ */

static uint64_t weight_bits(double weight)
{
    uint64_t bits;

    memcpy(&bits, &weight, sizeof(bits));
    return bits;
}

void rbt_launch_put_begin(rbt_launch_put_t *l, const launch_info_t *info, uint64_t number,
                          double weight, rbt_inst_text_fn text, void *text_ctx)
{
    const uint32_t kernel = rbt_root_put_kernel(l->root, info);

    l->info = *info;
    l->number = number;
    l->row = (rbt_launch_row_t){
        .id = info->id,
        .trace_id = info->trace_id,
        .kernel = kernel,
        .grid = {info->grid[0], info->grid[1], info->grid[2]},
        .block = {info->block[0], info->block[1], info->block[2]},
        .regs = info->regs,
        .shared_bytes = info->shared_bytes,
        .stream = info->stream,
        .shared_base = info->shared_base,
        .local_base = info->local_base,
        .weight = weight_bits(weight),
    };
    l->walk.code = &l->root->kernels[kernel].code;
    l->walk.pointers = &l->pointers;
    l->walk.text = text;
    l->walk.text_ctx = text_ctx;
    l->walk.line = NULL;
    rbt_pointers_clear(&l->pointers);
}

/* Derives the instruction classes of the launch from its basic blocks. */
static void count_classes(rbt_launch_put_t *l)
{
    const rbt_collect_t *code = l->walk.code;

    for (size_t i = 0; i < code->n_bbs && i < l->cap_bb_counts; i++) {
        const uint32_t *ids = code->ids + code->bbs[i].at;

        if (l->bb_counts[i] == 0)
            continue;
        for (uint32_t k = 0; k < code->bbs[i].n; k++)
            l->row.classes[code->insts[ids[k]].inst.cls] += l->bb_counts[i];
        l->bb_counts[i] = 0;
    }
}

rb_code_t rbt_launch_put_end(rbt_launch_put_t *l, rb_err_t *err)
{
    if (l->frame_open)
        RB_TRY(end_frame(l, false, err));
    count_classes(l);
    return end_full_page(l, err);
}
