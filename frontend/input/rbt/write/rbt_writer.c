/*
 * An .rbt file is a sequence of zstd frames, which any zstd tool can test:
 *
 *   header   skippable frame: magic, version
 *   frames   of thread blocks, each of one launch and readable by itself (rbt_frame_put.h); a large
 *            block continues in the next frames, in pieces of warps
 *   pages    of the index, each after the frames it describes (rbt_index_put.h), and pages of
 *            launches
 *   code     of each distinct kernel (rbt_code.h)
 *   root     of the index: names, and where pages and code are (rbt_root_put.h)
 *   footer   skippable frame: where the root is
 *
 * All numbers are little-endian. Each frame carries zstd's checksum of its content; each reference
 * to a frame also has the XXH64 of its packed bytes; header and footer have checksums of their own.
 * rbt.5 describes every byte.
 */
#include "frontend/input/rbt/write/rbt_writer.h"

#include <stdlib.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "frontend/input/rbt/rbt_graph.h"
#include "frontend/input/rbt/write/rbt_launch_put.h"

enum { PAGE_LAUNCHES = 1024 };

struct rbt_writer {
    rbt_pack_t *pack;
    rb_err_t failed; /* the first error; all later calls return it */
    rbt_root_put_t root;
    bool launch_open;
    rbt_launch_put_t launch;
    rbt_launch_row_t *rows; /* owned; launches of the open page */
    size_t n_rows;
    uint64_t rows_blocks; /* total blocks of these launches */
    uint64_t n_launches;
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
    rbt_page_put_placed(&w->launch.page, place);
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
    rbt_launch_put_free(&w->launch);
    free(w->rows);
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
    w->launch.pack = w->pack;
    w->launch.root = &w->root;
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

void rbt_writer_graph(rbt_writer_t *w, const stream_graph_t *graph)
{
    w->root.graph.n = 0;
    w->root.has_graph = true;
    rbt_graph_put(graph, &w->root.graph);
}

/* --- launches -------------------------------------------------------------------------------- */

rb_code_t rbt_writer_launch(rbt_writer_t *w, const launch_info_t *info, double weight,
                            rbt_inst_text_fn text, void *text_ctx, rb_err_t *err)
{
    if (w->failed.code != RB_OK)
        return fail(w, w->failed.code, err);
    RB_INVARIANT(!w->launch_open, "a launch is begun inside another");
    rbt_launch_put_begin(&w->launch, info, w->n_launches, weight, text, text_ctx);
    w->launch_open = true;
    w->n_launches++;
    return RB_OK;
}

void rbt_writer_lines(rbt_writer_t *w, rbt_inst_line_fn line)
{
    RB_INVARIANT(w->launch_open || w->failed.code != RB_OK, "lines are given outside of a launch");
    w->launch.walk.line = line;
}

static rb_code_t end_launch_page(rbt_writer_t *w, rb_err_t *err)
{
    rbt_place_t place;

    if (w->n_rows == 0)
        return RB_OK;
    RB_TRY(rbt_launch_put_page(&w->launch, err)); /* the frames of a page must be contiguous */
    RB_TRY(rbt_pack_drain(w->pack, err));
    w->raw.n = 0;
    rbt_launches_encode(w->rows, w->n_rows, &w->raw);
    RB_TRY(rbt_pack_now(w->pack, &w->raw, &place, err));
    rbt_root_put_launch_page(&w->root, &place, w->n_rows, w->rows_blocks);
    w->n_rows = 0;
    w->rows_blocks = 0;
    return RB_OK;
}

rb_code_t rbt_writer_launch_end(rbt_writer_t *w, rb_err_t *err)
{
    if (w->failed.code == RB_OK && rbt_launch_put_end(&w->launch, &w->failed) == RB_OK) {
        w->rows[w->n_rows++] = w->launch.row;
        w->rows_blocks += w->launch.row.n_blocks;
        rbt_waits_put_launch(&w->root.waits, w->n_launches - 1);
        w->launch_open = false;
        if (w->n_rows == PAGE_LAUNCHES)
            (void)end_launch_page(w, &w->failed);
    }
    return w->failed.code == RB_OK ? RB_OK : fail(w, w->failed.code, err);
}

rb_code_t rbt_writer_block(rbt_writer_t *w, const trace_block_t *block, rb_err_t *err)
{
    RB_INVARIANT(w->launch_open, "a block is written outside of a launch");
    rbt_waits_put_block(&w->root.waits, w->launch.row.n_blocks, block);
    if (w->failed.code == RB_OK && rbt_launch_put_block(&w->launch, block, &w->failed) == RB_OK)
        return RB_OK;
    return fail(w, w->failed.code, err);
}

/* --- the end --------------------------------------------------------------------------------- */

/* Files without sections are version 2, which older readers know. */
static uint32_t footer_version(const rbt_writer_t *w)
{
    if (w->root.has_graph || w->root.waits.n_launches > 0)
        return RBT_VERSION_SECTIONS;
    for (size_t i = 0; i < w->root.n_kernels; i++)
        if (w->root.kernels[i].code.n_files > 0)
            return RBT_VERSION_SECTIONS;
    return RBT_VERSION;
}

static rb_code_t put_footer(rbt_writer_t *w, const rbt_place_t *root, rb_err_t *err)
{
    rbt_buf_t *b = &w->raw;

    b->n = 0;
    rbt_put_u32(b, RBT_SKIP_FOOTER);
    rbt_put_u32(b, RBT_FOOTER_BYTES - 8);
    rbt_put_bytes(b, rbt_footer_magic, RBT_MAGIC_BYTES);
    rbt_put_u32(b, footer_version(w));
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
