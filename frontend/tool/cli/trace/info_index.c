#include "frontend/tool/cli/trace/info_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/tool/io/text_format.h"
#include "sim/core/alloc.h"

/* Iterates over the launches and, if a view needs them, over their blocks in the index. */
typedef struct {
    rbt_file_t *f;
    rbt_unpacker_t *unpacker;
    rbt_page_t page;
    size_t page_number; /* SIZE_MAX: no page is loaded */
    FILE *out;
} walk_t;

static void print_sums(const uint64_t *of_space, FILE *out)
{
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++)
        fprintf(out, " %10" PRIu64, of_space[i]);
}

static void print_space_heads(const char *what, FILE *out)
{
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++)
        fprintf(out, " %.3s:%-6s", what, rbt_space_names[i]);
}

/* --- launches -------------------------------------------------------------------------------- */

static void print_launch_heads(FILE *out)
{
    fprintf(out, "%8s %10s %8s %14s %16s %10s", "launch", "blocks", "weight", "warp_insts",
            "thread_insts", "atomics");
    print_space_heads("req", out);
    print_space_heads("sec", out);
    fprintf(out, "  kernel; warp instructions by class\n");
}

static rb_code_t print_launch(walk_t *w, const rbt_launch_t *l, rb_err_t *err)
{
    const rbt_launch_row_t *r = &l->row;
    char name[64];
    double weight;

    (void)err;
    memcpy(&weight, &r->weight, sizeof(weight));
    fprintf(w->out, "%8" PRIu64 " %10" PRIu64 " %8g %14" PRIu64 " %16" PRIu64 " %10" PRIu64, r->id,
            r->n_blocks, weight, r->warp_insts, r->thread_insts, r->atomics);
    print_sums(r->requests, w->out);
    print_sums(r->sectors, w->out);
    fprintf(w->out, "  %s;", format_kernel(name, sizeof(name), w->f->kernels[r->kernel].name));
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
        if (r->classes[c] > 0)
            fprintf(w->out, " %s=%" PRIu64, isa_class_name((op_class_t)c), r->classes[c]);
    fputc('\n', w->out);
    return RB_OK;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static rb_code_t find_row(walk_t *w, uint64_t block, const rbt_block_row_t **row, rb_err_t *err)
{
    size_t page = rbt_file_block_page(w->f, block);

    if (w->page_number != page) {
        rbt_page_free(&w->page);
        w->page_number = SIZE_MAX;
        RB_TRY(rbt_page_read(&w->page, w->f, page, w->unpacker, err));
        w->page_number = page;
    }
    *row = &w->page.blocks[block - w->f->block_pages[page].first_block];
    return RB_OK;
}

static void print_block_heads(FILE *out)
{
    fprintf(out, "%8s %8s %18s %12s %14s %10s", "launch", "block", "x,y,z", "warp_insts",
            "thread_insts", "atomics");
    print_space_heads("req", out);
    print_space_heads("sec", out);
    fprintf(out, "  warp types of the index page (-: no such warp)\n");
}

static void print_warps(const walk_t *w, const rbt_block_row_t *row)
{
    const rbt_block_type_t *t = &w->page.block_types[row->type];
    const uint32_t *warps = w->page.warps + t->at;

    for (size_t i = 0, end; i < t->n; i = end) {
        for (end = i + 1; end < t->n && warps[end] == warps[i];)
            end++;
        fputs(i == 0 ? "  " : " ", w->out);
        if (warps[i] == 0)
            fputc('-', w->out);
        else
            fprintf(w->out, "%" PRIu32, warps[i] - 1);
        if (end > i + 1)
            fprintf(w->out, "x%zu", end - i);
    }
}

static rb_code_t print_blocks(walk_t *w, const rbt_launch_t *l, rb_err_t *err)
{
    const uint64_t *grid = l->row.grid;

    for (uint64_t i = 0; i < l->row.n_blocks; i++) {
        const rbt_block_row_t *r;
        char id[64];

        RB_TRY(find_row(w, l->first_block + i, &r, err));
        snprintf(id, sizeof(id), "%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->linear % grid[0],
                 r->linear / grid[0] % grid[1], r->linear / grid[0] / grid[1]);
        fprintf(w->out, "%8" PRIu64 " %8" PRIu64 " %18s %12" PRIu64 " %14" PRIu64 " %10" PRIu64,
                l->row.id, i, id, r->sum.warp_insts, r->sum.thread_insts, r->sum.atomics);
        print_sums(r->sum.requests, w->out);
        print_sums(r->sum.sectors, w->out);
        print_warps(w, r);
        fputc('\n', w->out);
    }
    return RB_OK;
}

/* --- basic blocks ---------------------------------------------------------------------------- */

static void print_bbv_heads(FILE *out)
{
    fprintf(out, "%8s %8s %8s %8s %16s\n", "launch", "bb", "pc", "length", "executions");
}

/* Adds the executions of the warps of a block. */
static rb_code_t add_block(walk_t *w, const rbt_launch_t *l, uint64_t index, uint64_t *counts,
                           size_t n, rb_err_t *err)
{
    const rbt_block_row_t *row;

    RB_TRY(find_row(w, l->first_block + index, &row, err));
    const rbt_block_type_t *t = &w->page.block_types[row->type];

    for (size_t k = 0; k < t->n; k++) {
        uint32_t number = w->page.warps[t->at + k];

        if (number == 0)
            continue;
        const rbt_warp_type_t *type = &w->page.types[number - 1];

        for (size_t i = 0; i < type->n; i++) {
            const rbt_bb_count_t *c = &w->page.counts[type->at + i];

            if (type->kernel != l->row.kernel || c->bb >= n)
                return rb_fail(err, RB_TRACE,
                               "%s: launch %" PRIu64 ": the index has a basic block that is not "
                               "in the code",
                               w->f->path, l->row.id);
            counts[c->bb] += c->n;
        }
    }
    return RB_OK;
}

static rb_code_t print_bbv(walk_t *w, const rbt_launch_t *l, rb_err_t *err)
{
    const rbt_code_t *code;

    RB_TRY(rbt_file_code(w->f, l->row.kernel, &code, err));
    uint64_t *counts = rb_calloc(code->n_bbs + 1, sizeof(*counts));
    rb_code_t rc = RB_OK;

    for (uint64_t i = 0; i < l->row.n_blocks && rc == RB_OK; i++)
        rc = add_block(w, l, i, counts, code->n_bbs, err);
    for (size_t b = 0; b < code->n_bbs && rc == RB_OK; b++) {
        const inst_t *first = &code->insts[code->spans[code->bbs[b].span].first];

        if (counts[b] > 0)
            fprintf(w->out, "%8" PRIu64 " %8zu     %04x %8" PRIu32 " %16" PRIu64 "\n", l->row.id, b,
                    first->pc, code->bbs[b].n_insts, counts[b]);
    }
    free(counts);
    return rc;
}

/* --- code ------------------------------------------------------------------------------------ */

static void print_inst(const rbt_code_t *code, uint32_t i, FILE *out)
{
    const inst_t *in = &code->insts[i];
    uint32_t len = 0;
    const char *text = rbt_code_text(code, in, &len);

    if (text == NULL) {
        text = isa_opcode(in->opcode)->mnemonic;
        len = (uint32_t)strlen(text);
    }
    fprintf(out, "    %04x  %-10s %.*s\n", in->pc, isa_class_name((op_class_t)in->cls), (int)len,
            text);
}

static rb_code_t print_code(walk_t *w, rb_err_t *err)
{
    for (size_t k = 0; k < w->f->n_kernels; k++) {
        const rbt_code_t *code;
        char name[256];

        RB_TRY(rbt_file_code(w->f, k, &code, err));
        fprintf(w->out, "kernel %zu: %s, sm_%" PRIu32 ", %zu instructions, %zu basic blocks\n", k,
                format_kernel(name, sizeof(name), w->f->kernels[k].name), w->f->kernels[k].arch,
                code->n_insts, code->n_bbs);
        for (size_t b = 0; b < code->n_bbs; b++) {
            const rbt_bb_t *bb = &code->bbs[b];

            fprintf(w->out, "  basic block %zu: %" PRIu32 " instructions\n", b, bb->n_insts);
            for (uint32_t s = 0; s < bb->n_spans; s++)
                for (uint32_t i = 0; i < code->spans[bb->span + s].count; i++)
                    print_inst(code, code->spans[bb->span + s].first + i, w->out);
        }
    }
    return RB_OK;
}

/* --- all ------------------------------------------------------------------------------------- */

static rb_code_t each_launch(walk_t *w,
                             rb_code_t (*print)(walk_t *, const rbt_launch_t *, rb_err_t *),
                             rb_err_t *err)
{
    for (size_t p = 0; p < w->f->n_launch_pages; p++) {
        rbt_launch_t *l = rbt_launches_read(w->f, p, w->unpacker, err);
        rb_code_t rc = RB_OK;

        if (l == NULL)
            return err->code;
        for (uint64_t i = 0; i < w->f->launch_pages[p].n_launches && rc == RB_OK; i++)
            rc = print(w, &l[i], err);
        free(l);
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t print_view(walk_t *w, index_view_t view, rb_err_t *err)
{
    switch (view) {
    case INDEX_LAUNCHES:
        print_launch_heads(w->out);
        return each_launch(w, print_launch, err);
    case INDEX_BLOCKS:
        print_block_heads(w->out);
        return each_launch(w, print_blocks, err);
    case INDEX_BBV:
        print_bbv_heads(w->out);
        return each_launch(w, print_bbv, err);
    default:
        return print_code(w, err);
    }
}

rb_code_t info_index(trace_source_t *source, index_view_t view, FILE *out, rb_err_t *err)
{
    if (!rbt_is_source(source))
        return rb_fail(err, RB_USAGE,
                       "only native traces have an index: 'rubato convert' makes one");
    walk_t w = {.f = rbt_source_file(source), .page_number = SIZE_MAX, .out = out};

    w.unpacker = ZSTD_createDCtx();
    rb_code_t rc = w.unpacker != NULL ? print_view(&w, view, err)
                                      : rb_fail(err, RB_NOMEM, "no memory for zstd");

    rbt_page_free(&w.page);
    ZSTD_freeDCtx(w.unpacker);
    return rc;
}
