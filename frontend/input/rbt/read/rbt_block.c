#include "frontend/input/rbt/read/rbt_block.h"

#include <stdlib.h>

/* Limits for one block: 1 GiB each. */
enum { WORDS_MAX = 1 << 27, RUNS_MAX = 1 << 26 };

void rbt_pool_init(rbt_pool_t *p)
{
    *p = (rbt_pool_t){0};
    pthread_mutex_init(&p->lock, NULL);
}

static void release_runs(rbt_block_t *b)
{
    for (size_t i = 0; i < b->n_held; i++)
        rbt_runs_release(b->held[i]);
    b->n_held = 0;
}

void rbt_block_release(rbt_block_t *b)
{
    release_runs(b);
    if (b->pieces != NULL)
        stream_store_give(b->store, b->pieces);
    b->pieces = NULL;
}

void rbt_pool_free(rbt_pool_t *p)
{
    while (p->made != NULL) {
        rbt_block_t *b = p->made;

        p->made = b->next_made;
        release_runs(b); /* the store frees pieces that were not given back */
        free(b->runs);
        free(b->words);
        free(b->held);
        free(b);
    }
    pthread_mutex_destroy(&p->lock);
}

rbt_block_t *rbt_pool_take(rbt_pool_t *p)
{
    pthread_mutex_lock(&p->lock);
    rbt_block_t *b = p->first;

    if (b != NULL) {
        p->first = b->next;
    } else {
        b = rb_calloc(1, sizeof(*b));
        b->next_made = p->made;
        p->made = b;
    }
    pthread_mutex_unlock(&p->lock);
    return b;
}

void rbt_pool_give_back(rbt_pool_t *p, rbt_block_t *b)
{
    rbt_block_release(b);
    pthread_mutex_lock(&p->lock);
    b->next = p->first;
    p->first = b;
    pthread_mutex_unlock(&p->lock);
}

void rbt_block_begin(rbt_block_t *b, uint64_t index, const uint32_t id[3], uint32_t n_warps,
                     stream_store_t *store)
{
    b->pub = (trace_block_t){
        .index = index, .id = {id[0], id[1], id[2]}, .n_warps = n_warps, .warps = b->warps};
    memset(b->warps, 0, n_warps * sizeof(b->warps[0]));
    memset(b->n_pieces, 0, n_warps * sizeof(b->n_pieces[0]));
    b->n_runs = b->n_words = b->all_runs = 0;
    b->last_warp = 0;
    b->store = store;
}

void rbt_block_hold(rbt_block_t *b, rbt_runs_t *runs)
{
    if (b->pieces != NULL)
        return;
    rb_grow(&b->held, &b->cap_held, b->n_held + 1, sizeof(b->held[0]));
    b->held[b->n_held++] = rbt_runs_hold(runs);
}

static void copy_runs(rbt_block_t *b, const trace_run_t *runs, size_t n)
{
    rb_grow(&b->runs, &b->cap_runs, b->n_runs + n, sizeof(b->runs[0]));
    memcpy(b->runs + b->n_runs, runs, n * sizeof(*runs));
    b->n_runs += n;
}

/* Runs of a single piece are shared with the frame; those of several pieces are copied into one
 * array. */
static const char *add_runs(rbt_block_t *b, uint32_t warp, const trace_run_t *runs, size_t n,
                            uint64_t shape)
{
    warp_stream_t *w = &b->warps[warp];

    if (b->n_pieces[warp]++ == 0) {
        w->runs = runs;
        w->n_runs = (uint32_t)n;
        w->shape = shape;
        return NULL;
    }
    w->shape = 0;
    if (b->n_runs + w->n_runs + n > RUNS_MAX)
        return "a thread block has too many runs of instructions";
    if (b->n_pieces[warp] == 2) {
        b->first_run[warp] = b->n_runs;
        copy_runs(b, w->runs, w->n_runs);
    }
    copy_runs(b, runs, n);
    w->n_runs += (uint32_t)n;
    return NULL;
}

/* Adds a piece to a long block. */
static const char *pack_piece_of(rbt_block_t *b, rbt_frame_get_t *f, const rbt_shape_get_t *s)
{
    b->n_words = 0;
    const char *wrong = rbt_frame_get_addrs(f, &b->words, &b->n_words, &b->cap_words, WORDS_MAX);

    if (wrong == NULL)
        long_block_put(b->pieces, f->warp, f->runs->runs + s->run, (uint32_t)s->n_runs, b->words);
    return wrong;
}

/* Packs what has been read of a block. */
static void make_long(rbt_block_t *b)
{
    b->pieces = stream_store_take(b->store, b->pub.n_warps);
    for (uint32_t w = 0; w < b->pub.n_warps; w++)
        if (b->n_pieces[w] > 0)
            long_block_put(
                b->pieces, w, b->n_pieces[w] > 1 ? b->runs + b->first_run[w] : b->warps[w].runs,
                b->warps[w].n_runs, b->words != NULL ? b->words + b->first_word[w] : NULL);
    release_runs(b);
}

static bool is_long(const rbt_block_t *b)
{
    return b->store != NULL && stream_bytes(b->all_runs, b->n_words) > b->store->limits.whole_bytes;
}

const char *rbt_block_piece(rbt_block_t *b, rbt_frame_get_t *f, const rbt_shape_get_t *s)
{
    uint32_t warp = f->warp;

    if (warp >= b->pub.n_warps || warp < b->last_warp)
        return "a thread block has more warps than its threads, or they are out of order";
    b->last_warp = warp;
    b->warps[warp].n_insts += s->n_insts;
    b->pub.n_insts += s->n_insts;
    if (b->pieces != NULL)
        return pack_piece_of(b, f, s);
    b->all_runs += s->n_runs;
    if (b->n_pieces[warp] == 0)
        b->first_word[warp] = b->n_words;
    const char *wrong =
        add_runs(b, warp, f->runs->runs + s->run, s->n_runs, f->shapes_before + f->shape + 1);

    if (wrong == NULL)
        wrong = rbt_frame_get_addrs(f, &b->words, &b->n_words, &b->cap_words, WORDS_MAX);
    b->warps[warp].n_addr_words = (uint32_t)(b->n_words - b->first_word[warp]);
    if (wrong == NULL && is_long(b))
        make_long(b);
    return wrong;
}

/* The buffers of a long block are much larger than what it keeps. */
static void free_buffers(rbt_block_t *b)
{
    free(b->runs);
    free(b->words);
    b->runs = NULL;
    b->words = NULL;
    b->n_runs = b->cap_runs = b->n_words = b->cap_words = 0;
}

rb_code_t rbt_block_end(rbt_block_t *b, rb_err_t *err)
{
    if (b->pieces != NULL) {
        free_buffers(b);
        return long_block_end(b->pieces, b->warps, err);
    }
    for (uint32_t w = 0; w < b->pub.n_warps; w++) {
        if (b->n_pieces[w] > 1)
            b->warps[w].runs = b->runs + b->first_run[w];
        if (b->warps[w].n_addr_words > 0)
            b->warps[w].addrs = b->words + b->first_word[w];
    }
    return RB_OK;
}
