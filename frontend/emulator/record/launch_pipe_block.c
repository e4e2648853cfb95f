#include "frontend/emulator/record/launch_pipe_block.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/record/launch_pipe_check.h"
#include "sim/core/alloc.h"

/* A warp that arrives in pieces. */
typedef struct part {
    trace_run_t *runs; /* owned, as words */
    uint64_t *words;
    size_t n_runs, cap_runs, n_words, cap_words;
} part_t;

static void free_lent(pipe_block_lent_t *b)
{
    for (uint32_t i = 0; b->parts != NULL && i < b->block.n_warps; i++) {
        free(b->parts[i].runs);
        free(b->parts[i].words);
    }
    free(b->parts);
    free(b->warps);
    free(b->runs);
    free(b->addrs);
    free(b->waits);
    free(b->wait_words);
    free(b);
}

/* Converts received runs of a block to the model's format. */
static rb_code_t make_runs(const pipe_blocks_t *s, pipe_block_lent_t *b, const pipe_run_t *from,
                           size_t n, rb_err_t *err)
{
    b->runs = rb_calloc(n + 1, sizeof(*b->runs));
    for (size_t i = 0; i < n; i++) {
        if (from[i].count == 0 || from[i].first >= s->n_insts ||
            from[i].count > s->n_insts - from[i].first)
            return pipe_garbled(s->in, err);
        b->runs[i] = (trace_run_t){
            .first = s->insts + from[i].first, .mask = from[i].mask, .count = from[i].count};
    }
    return RB_OK;
}

static rb_code_t get_runs(const pipe_blocks_t *s, pipe_block_lent_t *b, size_t n, rb_err_t *err)
{
    pipe_run_t *from = NULL;
    rb_code_t rc = pipe_get_list(s->in, &from, n, sizeof(*from), err);

    if (rc == RB_OK)
        rc = make_runs(s, b, from, n, err);
    free(from);
    return rc;
}

static rb_code_t get_warps(const pipe_blocks_t *s, pipe_block_lent_t *b, size_t *n_runs,
                           size_t *n_words, rb_err_t *err)
{
    uint32_t n = b->block.n_warps;
    pipe_warp_t *from = NULL;
    rb_code_t rc = pipe_get_list(s->in, &from, n, sizeof(*from), err);

    b->warps = rb_calloc(n + 1u, sizeof(*b->warps));
    *n_runs = *n_words = 0;
    for (uint32_t i = 0; rc == RB_OK && i < n; i++) {
        b->warps[i] = (warp_stream_t){.n_runs = from[i].n_runs,
                                      .n_addr_words = from[i].n_addr_words,
                                      .n_insts = from[i].n_insts};
        *n_runs += from[i].n_runs;
        *n_words += from[i].n_addr_words;
    }
    free(from);
    return rc;
}

static rb_code_t get_parts(const pipe_blocks_t *s, pipe_block_lent_t *b, rb_err_t *err)
{
    size_t n_runs, n_words, run = 0, word = 0;

    RB_TRY(get_warps(s, b, &n_runs, &n_words, err));
    if (sizeof(pipe_block_t) + b->block.n_warps * sizeof(pipe_warp_t) +
            n_runs * sizeof(pipe_run_t) + n_words * sizeof(uint64_t) !=
        s->in->next.bytes)
        return pipe_garbled(s->in, err);
    RB_TRY(get_runs(s, b, n_runs, err));
    RB_TRY(pipe_get_list(s->in, &b->addrs, n_words, sizeof(*b->addrs), err));
    for (uint32_t i = 0; i < b->block.n_warps; i++) {
        b->warps[i].runs = b->runs + run;
        b->warps[i].addrs = b->addrs + word;
        run += b->warps[i].n_runs;
        word += b->warps[i].n_addr_words;
    }
    b->block.warps = b->warps;
    return launch_pipe_streams_hold(&b->block) ? RB_OK : pipe_garbled(s->in, err);
}

/* Packs a block that has arrived whole but is long. */
static rb_code_t pack_block(const pipe_blocks_t *s, pipe_block_lent_t *b, rb_err_t *err)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < b->block.n_warps; i++)
        bytes += stream_bytes(b->warps[i].n_runs, b->warps[i].n_addr_words);
    if (s->store == NULL || bytes <= s->store->limits.whole_bytes)
        return RB_OK;
    b->pieces = stream_store_take(s->store, b->block.n_warps);
    for (uint32_t i = 0; i < b->block.n_warps; i++)
        long_block_put(b->pieces, i, b->warps[i].runs, b->warps[i].n_runs, b->warps[i].addrs);
    free(b->runs);
    free(b->addrs);
    b->runs = NULL;
    b->addrs = NULL;
    return long_block_end(b->pieces, b->warps, err);
}

/* Appends a piece to its warp of a block that is kept whole. */
static void keep_piece(part_t *p, const warp_stream_t *piece)
{
    rb_grow(&p->runs, &p->cap_runs, p->n_runs + piece->n_runs, sizeof(*p->runs));
    rb_grow(&p->words, &p->cap_words, p->n_words + piece->n_addr_words + 1, sizeof(*p->words));
    memcpy(p->runs + p->n_runs, piece->runs, piece->n_runs * sizeof(*p->runs));
    if (piece->n_addr_words > 0)
        memcpy(p->words + p->n_words, piece->addrs, piece->n_addr_words * sizeof(*p->words));
    p->n_runs += piece->n_runs;
    p->n_words += piece->n_addr_words;
}

/* Reads the lists of a piece to b->runs and b->addrs, and puts it where it belongs. */
static rb_code_t take_lists(const pipe_blocks_t *s, pipe_block_lent_t *b, const pipe_piece_t *head,
                            rb_err_t *err)
{
    warp_stream_t piece = {.n_runs = head->n_runs, .n_addr_words = head->n_addr_words};

    RB_TRY(get_runs(s, b, head->n_runs, err));
    RB_TRY(pipe_get_list(s->in, &b->addrs, head->n_addr_words, sizeof(*b->addrs), err));
    piece.runs = b->runs;
    piece.addrs = b->addrs;
    if (!launch_pipe_words_hold(&piece, &b->warps[head->warp].n_insts))
        return pipe_garbled(s->in, err);
    if (b->pieces != NULL)
        long_block_put(b->pieces, head->warp, piece.runs, piece.n_runs, piece.addrs);
    else
        keep_piece(&b->parts[head->warp], &piece);
    return RB_OK;
}

static rb_code_t take_piece(const pipe_blocks_t *s, pipe_block_lent_t *b, rb_err_t *err)
{
    pipe_piece_t head;

    if (s->in->next.bytes < sizeof(head))
        return pipe_garbled(s->in, err);
    RB_TRY(pipe_get_body(s->in, &head, sizeof(head), err));
    if (head.warp >= b->block.n_warps || head.n_runs == 0 || head.n_runs > PACK_RUNS ||
        head.n_addr_words > PACK_WORDS ||
        sizeof(head) + head.n_runs * sizeof(pipe_run_t) + head.n_addr_words * sizeof(uint64_t) !=
            s->in->next.bytes)
        return pipe_garbled(s->in, err);
    rb_code_t rc = take_lists(s, b, &head, err);
    free(b->runs);
    free(b->addrs);
    b->runs = NULL;
    b->addrs = NULL;
    return rc;
}

/* Completes a long block after its last piece. */
static rb_code_t end_long(const pipe_blocks_t *s, pipe_block_lent_t *b, rb_err_t *err)
{
    uint64_t insts = 0;

    for (uint32_t i = 0; i < b->block.n_warps; i++) {
        insts += b->warps[i].n_insts;
        if (b->parts == NULL)
            continue;
        b->warps[i].runs = b->parts[i].runs;
        b->warps[i].addrs = b->parts[i].words;
        b->warps[i].n_runs = (uint32_t)b->parts[i].n_runs;
        b->warps[i].n_addr_words = (uint32_t)b->parts[i].n_words;
    }
    if (insts != b->block.n_insts)
        return pipe_garbled(s->in, err);
    return b->pieces != NULL ? long_block_end(b->pieces, b->warps, err) : RB_OK;
}

/* Reads the pieces of a block. */
static rb_code_t get_pieces(const pipe_blocks_t *s, pipe_block_lent_t *b, rb_err_t *err)
{
    b->warps = rb_calloc(b->block.n_warps, sizeof(*b->warps));
    b->block.warps = b->warps;
    if (s->store != NULL)
        b->pieces = stream_store_take(s->store, b->block.n_warps);
    else
        b->parts = rb_calloc(b->block.n_warps, sizeof(*b->parts));
    for (;;) {
        RB_TRY(pipe_peek(s->in, err));
        if (s->in->ended)
            return pipe_broken(s->in, err);
        if (s->in->next.kind == PIPE_BLOCK_END)
            break;
        if (s->in->next.kind != PIPE_PIECE)
            return pipe_garbled(s->in, err);
        RB_TRY(take_piece(s, b, err));
    }
    RB_TRY(pipe_skip(s->in, err));
    return end_long(s, b, err);
}

void pipe_block_drop(pipe_blocks_t *s, pipe_block_lent_t *b)
{
    if (b->pieces != NULL)
        stream_store_give(s->store, b->pieces);
    free_lent(b);
}

rb_code_t pipe_block_waits(pipe_blocks_t *s, rb_err_t *err)
{
    pipe_waits_t *head = &s->waits_head;

    if (s->waits != NULL || s->in->next.bytes < sizeof(*head))
        return pipe_garbled(s->in, err);
    RB_TRY(pipe_get_body(s->in, head, sizeof(*head), err));
    if (s->in->next.bytes !=
        sizeof(*head) + head->n_waits * sizeof(*s->waits) + head->n_words * sizeof(*s->wait_words))
        return pipe_garbled(s->in, err);
    RB_TRY(pipe_get_list(s->in, &s->waits, head->n_waits, sizeof(*s->waits), err));
    return pipe_get_list(s->in, &s->wait_words, head->n_words, sizeof(*s->wait_words), err);
}

/* Gives the waits that were read before it to a block. */
static bool take_waits(pipe_blocks_t *s, pipe_block_lent_t *b)
{
    const pipe_waits_t head = s->waits_head;

    b->block.watch = head.watch;
    b->block.n_waits = head.n_waits;
    b->block.waits = b->waits = s->waits;
    b->block.wait_words = b->wait_words = s->wait_words;
    s->waits = NULL;
    s->wait_words = NULL;
    s->waits_head = (pipe_waits_t){0};
    return stream_waits_hold(&b->block, head.n_words);
}

rb_code_t pipe_block_take(pipe_blocks_t *s, uint64_t first, pipe_block_lent_t **out, rb_err_t *err)
{
    const bool is_long = s->in->next.kind == PIPE_LONG_BLOCK;
    pipe_block_t head;

    if (s->in->next.bytes < sizeof(head))
        return pipe_garbled(s->in, err);
    RB_TRY(pipe_get_body(s->in, &head, sizeof(head), err));
    if (head.index != s->next++ || !launch_pipe_block_holds(s->info, &head))
        return pipe_garbled(s->in, err);
    pipe_block_lent_t *b = rb_calloc(1, sizeof(*b));
    b->block.index = head.index;
    b->block.n_warps = head.n_warps;
    b->block.n_insts = head.n_insts;
    memcpy(b->block.id, head.id, sizeof(head.id));
    *out = NULL;
    rb_code_t rc = !take_waits(s, b) ? pipe_garbled(s->in, err)
                   : is_long         ? get_pieces(s, b, err)
                                     : get_parts(s, b, err);
    if (rc == RB_OK && !is_long && head.index >= first)
        rc = pack_block(s, b, err);
    if (rc == RB_OK && s->sum != NULL)
        wait_loops_add(s->sum, s->info->name, b->waits, b->block.n_waits);
    if (rc == RB_OK && head.index >= first) {
        *out = b;
        return RB_OK;
    }
    pipe_block_drop(s, b);
    return rc;
}
