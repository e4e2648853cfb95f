#include "frontend/input/accelsim/block/accelsim_block.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frontend/input/accelsim/block/accelsim_warp.h"
#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

static const unsigned IDS_BEFORE_VERSION_3 = 4;

/* --- the pool -------------------------------------------------------------------------------- */

static accelsim_block_t *take_block(block_pool_t *pool)
{
    pthread_mutex_lock(&pool->lock);
    accelsim_block_t *b = pool->first;

    if (b != NULL) {
        pool->first = b->next;
    } else {
        b = rb_calloc(1, sizeof(*b));
        b->next_made = pool->made;
        pool->made = b;
    }
    pthread_mutex_unlock(&pool->lock);
    return b;
}

static void put_block(block_pool_t *pool, accelsim_block_t *b)
{
    pthread_mutex_lock(&pool->lock);
    b->next = pool->first;
    pool->first = b;
    pthread_mutex_unlock(&pool->lock);
}

static void give_back(block_reader_t *r, accelsim_block_t *b)
{
    if (b->pieces != NULL)
        stream_store_give(r->store, b->pieces);
    b->pieces = NULL;
    put_block(&r->pool, b);
}

void block_reader_give_back(block_reader_t *r, trace_block_t *b)
{
    if (b != NULL)
        give_back(r, (accelsim_block_t *)(void *)b);
}

void block_reader_init(block_reader_t *r, accelsim_lines_t *lines, const accelsim_header_t *header)
{
    *r = (block_reader_t){.lines = lines, .header = header, .info = &header->info};
    pthread_mutex_init(&r->pool.lock, NULL);
}

void block_reader_start(block_reader_t *r, const accelsim_machine_t *machine)
{
    accelsim_code_init(&r->code, r->header->info.arch, r->header->version);
    if (machine != NULL) {
        r->code.machine = machine->find(machine->ctx, r->header->name, r->header->info.arch);
        r->code.complete = machine->complete;
    }
    r->source_line = CODE_NO_LINE;
    r->prefix = r->header->line_info;
    if (!r->header->raw && r->header->version < 3)
        r->prefix += IDS_BEFORE_VERSION_3;
}

void block_reader_free(block_reader_t *r)
{
    while (r->pool.made != NULL) {
        accelsim_block_t *b = r->pool.made;

        r->pool.made = b->next_made;
        free(b->runs);
        free(b->words);
        free(b);
    }
    pthread_mutex_destroy(&r->pool.lock);
    accelsim_code_free(&r->code);
    accelsim_spans_free(&r->spans);
    accelsim_seen_free(&r->seen);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Reads "thread block = x,y,z"; an id that was read before is an error. */
static rb_code_t read_block_id(block_reader_t *r, uint32_t out[3], rb_err_t *err)
{
    const char *p = text_skip_blanks(r->lines->at + strlen("thread block"));
    const uint32_t *grid = r->info->grid;
    uint64_t id[3];

    if (*p != '=')
        return accelsim_lines_fail(r->lines, err, "'thread block = x,y,z' is expected");
    for (unsigned i = 0; i < 3; i++) {
        p = text_skip_blanks(p + 1);
        if (!text_u64(&p, &id[i]) || (i < 2 ? *p != ',' : !text_ends(p)))
            return accelsim_lines_fail(r->lines, err, "'thread block = x,y,z' is expected");
        if (id[i] >= grid[i])
            return accelsim_lines_fail(r->lines, err,
                                       "a thread block outside the grid of (%u,%u,%u)", grid[0],
                                       grid[1], grid[2]);
        out[i] = (uint32_t)id[i];
    }
    if (!accelsim_seen_add(&r->seen, (id[2] * grid[1] + id[1]) * grid[0] + id[0]))
        return accelsim_lines_fail(r->lines, err, "thread block %u,%u,%u appears a second time",
                                   out[0], out[1], out[2]);
    accelsim_lines_skip(r->lines);
    return RB_OK;
}

static void start_block(const block_reader_t *r, const block_head_t *head, accelsim_block_t *b)
{
    const uint32_t *dim = r->info->block;

    b->pub = (trace_block_t){.index = head->index,
                             .id = {head->id[0], head->id[1], head->id[2]},
                             .n_warps = (dim[0] * dim[1] * dim[2] + 31) / 32,
                             .warps = b->warps};
    memset(b->warps, 0, sizeof(b->warps));
    memset(b->present, 0, sizeof(b->present));
    b->n_runs = b->n_words = 0;
}

/* The buffers of a long block are larger than what it keeps. */
static void free_buffers(accelsim_block_t *b)
{
    free(b->runs);
    free(b->words);
    b->runs = NULL;
    b->words = NULL;
    b->cap_runs = b->cap_words = 0;
}

/* Sets the pointers of the block: its runs and records no longer move. */
static rb_code_t finish_block(accelsim_block_t *b, rb_err_t *err)
{
    if (b->pieces != NULL) {
        free_buffers(b);
        return long_block_end(b->pieces, b->warps, err);
    }
    for (unsigned w = 0; w < b->pub.n_warps; w++) {
        if (b->warps[w].n_runs > 0)
            b->warps[w].runs = b->runs + b->first_run[w];
        if (b->warps[w].n_addr_words > 0)
            b->warps[w].addrs = b->words + b->first_word[w];
    }
    return RB_OK;
}

/* Reads the rest of a block after its id. */
static rb_code_t read_block(block_reader_t *r, const block_head_t *head, accelsim_block_t *b,
                            rb_err_t *err)
{
    start_block(r, head, b);
    for (;;) {
        RB_TRY(accelsim_lines_next(r->lines, err));
        if (accelsim_lines_end(r->lines))
            return accelsim_warp_truncated(r, b, err);
        if (text_starts(r->lines->at, "warp"))
            RB_TRY(accelsim_warp_read(r, b, err));
        else if (text_starts(r->lines->at, "#END_TB"))
            break;
        else if (text_starts(r->lines->at, "cluster "))
            accelsim_lines_skip(r->lines); /* clusters of blocks (Hopper) are not modelled */
        else
            return accelsim_lines_fail(r->lines, err,
                                       "'warp = number' or #END_TB is expected, not '%.*s'",
                                       text_shown(r->lines->at), r->lines->at);
    }
    accelsim_lines_skip(r->lines);
    return finish_block(b, err);
}

/* Reads the next #BEGIN_TB and the id after it; *found is false at the end of the text. */
static rb_code_t begin_block(block_reader_t *r, uint32_t id[3], bool *found, rb_err_t *err)
{
    *found = false;
    for (;;) {
        RB_TRY(accelsim_lines_next(r->lines, err));
        if (accelsim_lines_end(r->lines))
            return RB_OK;
        if (text_starts(r->lines->at, "#BEGIN_TB"))
            break;
        if (*r->lines->at != '#' || text_starts(r->lines->at, "#END_TB"))
            return accelsim_lines_fail(r->lines, err, "#BEGIN_TB is expected, not '%.*s'",
                                       text_shown(r->lines->at), r->lines->at);
        accelsim_lines_skip(r->lines);
    }
    if (r->n_seen == r->info->n_blocks)
        return accelsim_lines_fail(r->lines, err,
                                   "more thread blocks than the grid of (%u,%u,%u) has",
                                   r->info->grid[0], r->info->grid[1], r->info->grid[2]);
    accelsim_lines_skip(r->lines);
    r->n_seen++;
    *found = true;
    RB_TRY(accelsim_lines_next(r->lines, err));
    if (accelsim_lines_end(r->lines))
        return accelsim_lines_fail(r->lines, err, "the file is truncated: it ends at #BEGIN_TB");
    if (!text_starts(r->lines->at, "thread block"))
        return accelsim_lines_fail(r->lines, err,
                                   "'thread block = x,y,z' is expected after #BEGIN_TB");
    return read_block_id(r, id, err);
}

/* Moves past the #END_TB of a block whose id has been read. No other line has a '#'. */
static rb_code_t skip_block(block_reader_t *r, rb_err_t *err)
{
    accelsim_lines_t *l = r->lines;

    for (;;) {
        RB_TRY(accelsim_lines_need(l, err));
        if (accelsim_lines_end(r->lines))
            return accelsim_lines_fail(l, err,
                                       "the file is truncated: it ends inside a thread block");
        const char *mark = memchr(l->at, '#', (size_t)(l->limit - l->at));
        const char *to = mark != NULL ? mark : l->limit;

        l->line += accelsim_lines_count(l->at, to);
        l->at = to;
        if (mark == NULL)
            continue;
        bool ends = text_starts(mark, "#END_TB");

        accelsim_lines_skip(l);
        if (ends)
            return RB_OK;
    }
}

/* Warns once, at the end: a trace may hold only part of a launch, but the user should know. */
static void warn_missing(block_reader_t *r)
{
    if (r->n_seen < r->info->n_blocks && !r->told_missing)
        rb_warn("%s: %" PRIu64 " of the grid's %" PRIu64
                " thread blocks are not in the trace; only the others are simulated",
                r->lines->path, r->info->n_blocks - r->n_seen, r->info->n_blocks);
    r->told_missing = true;
}

rb_code_t block_reader_seek(block_reader_t *r, uint64_t index, block_head_t *head, bool *found,
                            rb_err_t *err)
{
    RB_INVARIANT(index >= r->n_seen, "block %" PRIu64 " requested after block %" PRIu64, index,
                 r->n_seen);
    head->index = index;
    for (;;) {
        RB_TRY(begin_block(r, head->id, found, err));
        if (!*found)
            warn_missing(r);
        if (!*found || r->n_seen > index)
            return RB_OK;
        RB_TRY(skip_block(r, err));
    }
}

rb_code_t block_reader_rest(block_reader_t *r, block_reader_t *pool, const block_head_t *head,
                            trace_block_t **out, rb_err_t *err)
{
    accelsim_block_t *b = take_block(&pool->pool);
    const rb_code_t code = read_block(r, head, b, err);

    *out = code == RB_OK ? &b->pub : NULL;
    if (code != RB_OK)
        give_back(pool, b);
    return code;
}

static rb_code_t get_block(block_reader_t *r, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    block_head_t head;
    bool found;

    RB_TRY(block_reader_seek(r, index, &head, &found, err));
    return found ? block_reader_rest(r, r, &head, out, err) : RB_OK;
}

rb_code_t block_reader_get(block_reader_t *r, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    *out = NULL;
    if (r->failed.code == RB_OK && get_block(r, index, out, &r->failed) == RB_OK)
        return RB_OK;
    return rb_fail(err, r->failed.code, "%s", r->failed.text);
}
