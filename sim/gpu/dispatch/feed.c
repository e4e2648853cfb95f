#include "sim/gpu/dispatch/feed.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum {
    AHEAD_FACTOR = 2,         /* blocks ahead, as a multiple of what a window may need */
    RING_MORE = 2048,         /* with several threads, room for this many short blocks ... */
    CLAIM_BLOCKS = 256,       /* most blocks to claim at a time */
    INSTS_OF_THREAD = 1 << 17 /* ... of this many warp instructions for each thread */
};

/*
 * Host memory for the blocks of a launch. Those on the chip or decoded ahead of it are kept whole as
 * far as that takes at most WHOLE_BYTES; longer ones are packed, of which PACKED_BYTES are kept in
 * memory and the rest in a temporary file. Pieces that are unpacked come on top: about 12 KB per
 * resident warp.
 */
enum { WHOLE_BYTES = 96 << 20, PACKED_BYTES = 96 << 20, SHORTEST_LONG = 8 << 10 };

static uint64_t feed_ready(const feed_t *f)
{
    return atomic_load(&f->decoded) - atomic_load(&f->taken);
}

static feed_entry_t *entry_at(const feed_t *f, uint64_t at)
{
    return &f->ring[at % f->capacity];
}

void feed_init(feed_t *f)
{
    memset(f, 0, sizeof(*f));
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->decoded_more, NULL);
}

void feed_destroy(feed_t *f)
{
    pthread_cond_destroy(&f->decoded_more);
    pthread_mutex_destroy(&f->lock);
}

static void open_store(feed_t *f, const feed_plan_t *plan)
{
    stream_limits_t limits = {.whole_bytes = WHOLE_BYTES / (plan->resident + f->ahead),
                              .memory_bytes = PACKED_BYTES,
                              .keep = plan->keep,
                              .dir = f->source->tmpdir};
    if (limits.whole_bytes < SHORTEST_LONG)
        limits.whole_bytes = SHORTEST_LONG;
    stream_store_init(&f->store, &limits);
    if (f->source->ops->use_store != NULL)
        f->source->ops->use_store(f->launch, &f->store);
}

static void set_sizes(feed_t *f, const feed_plan_t *plan)
{
    const bool several = plan->threads > 1 && f->source->ops->claim != NULL;
    f->ahead = plan->ahead * AHEAD_FACTOR;
    f->ahead_insts = several ? (uint64_t)plan->threads * INSTS_OF_THREAD : 0;
    f->capacity = several && f->ahead < RING_MORE ? RING_MORE : f->ahead;
}

rb_code_t feed_open(feed_t *f, trace_source_t *source, uint64_t id, const feed_plan_t *plan,
                    rb_err_t *err)
{
    trace_launch_t *launch = NULL;
    RB_TRY(source->ops->open(source, id, &launch, err));
    pthread_mutex_lock(&f->lock);
    f->source = source;
    f->launch = launch;
    set_sizes(f, plan);
    open_store(f, plan);
    f->ring = rb_calloc(f->capacity, sizeof(*f->ring));
    f->next_index = 0;
    f->filter = plan->filter;
    f->err = (rb_err_t){0};
    f->failed_at = UINT64_MAX;
    f->missing = false;
    f->claimed = 0;
    f->doubts = (stream_doubts_t){0};
    atomic_store(&f->decoded, 0);
    atomic_store(&f->taken, 0);
    atomic_store(&f->insts_decoded, 0);
    atomic_store(&f->insts_taken, 0);
    atomic_store(&f->ended, false);
    atomic_store(&f->failed, false);
    pthread_mutex_unlock(&f->lock);
    return RB_OK;
}

/* Waits until no thread decodes; the lock is held. */
static void await_rest(feed_t *f)
{
    while (f->busy > 0)
        pthread_cond_wait(&f->decoded_more, &f->lock);
}

/* Blocks that are left behind one that failed. */
static void free_left(feed_t *f)
{
    for (uint64_t at = atomic_load(&f->taken); at < f->claimed; at++)
        if (entry_at(f, at)->block != NULL)
            feed_free(f, entry_at(f, at)->block);
}

void feed_close(feed_t *f)
{
    pthread_mutex_lock(&f->lock);
    await_rest(f);
    free_left(f);
    f->source->ops->close(f->launch);
    stream_store_free(&f->store);
    f->source = NULL;
    f->launch = NULL;
    free(f->ring);
    f->ring = NULL;
    pthread_mutex_unlock(&f->lock);
}

trace_launch_t *feed_pause(feed_t *f)
{
    pthread_mutex_lock(&f->lock);
    await_rest(f);
    return f->launch;
}

void feed_go_on(feed_t *f)
{
    pthread_mutex_unlock(&f->lock);
}

static bool wanted(const feed_t *f, uint64_t block)
{
    return f->filter->wanted(f->filter->ctx, block);
}

void feed_change_begin(feed_t *f)
{
    pthread_mutex_lock(&f->lock);
    await_rest(f);
}

void feed_change_end(feed_t *f)
{
    uint64_t from = atomic_load(&f->taken), end = atomic_load(&f->decoded), to = from;
    for (uint64_t at = from; at < end; at++) {
        trace_block_t *b = entry_at(f, at)->block;
        if (wanted(f, b->index)) {
            *entry_at(f, to++) = *entry_at(f, at);
        } else {
            atomic_fetch_sub(&f->insts_decoded, b->n_insts);
            feed_free(f, b);
        }
    }
    f->claimed = to;
    atomic_store(&f->decoded, to);
    pthread_mutex_unlock(&f->lock);
}

/* Advances over unwanted blocks, and limits *max to the wanted ones that follow each other. */
static void pass_unwanted(feed_t *f, uint64_t *max)
{
    uint64_t n = 0;
    while (f->next_index < f->filter->n_blocks && !wanted(f, f->next_index))
        f->next_index++;
    while (n < *max && f->next_index + n < f->filter->n_blocks && wanted(f, f->next_index + n))
        n++;
    *max = n;
}

/* How many more blocks to claim now. */
static uint64_t room(const feed_t *f)
{
    const uint64_t held = f->claimed - atomic_load(&f->taken);
    if (held < f->ahead)
        return (f->ahead_insts > 0 ? f->capacity : f->ahead) - held;
    const uint64_t insts = atomic_load(&f->insts_decoded) - atomic_load(&f->insts_taken);
    return insts < f->ahead_insts && held < f->capacity ? f->capacity - held : 0;
}

/* Keeps the error of the first block that failed; the lock is held. */
static void fail_at(feed_t *f, uint64_t at, const rb_err_t *err)
{
    if (at < f->failed_at) {
        f->failed_at = at;
        f->err = *err;
    }
    atomic_store(&f->failed, true);
}

/* Makes the decoded blocks available that follow those that are; the lock is held. */
static void publish(feed_t *f)
{
    uint64_t at = atomic_load(&f->decoded);
    for (; at < f->claimed && entry_at(f, at)->block != NULL; at++)
        atomic_fetch_add(&f->insts_decoded, entry_at(f, at)->block->n_insts);
    atomic_store(&f->decoded, at);
}

/* What each of n decoded blocks holds; owned by the caller. */
static stream_doubts_t *find_doubts(trace_block_t **blocks, uint64_t n)
{
    stream_doubts_memo_t memo = {0};
    stream_doubts_t *doubts = rb_calloc(n, sizeof(*doubts));
    for (uint64_t i = 0; i < n; i++)
        stream_doubts_block(&doubts[i], &memo, blocks[i]);
    return doubts;
}

/* Decodes the next block with the lock held, of a source that cannot do it otherwise. */
static bool decode_one(feed_t *f)
{
    trace_block_t *b = NULL;
    rb_err_t err = {0};
    if (f->source->ops->get_block(f->launch, f->next_index, &b, &err) != RB_OK) {
        fail_at(f, f->next_index, &err);
        return false;
    }
    if (b == NULL) {
        atomic_store(&f->ended, true);
        return false;
    }
    f->next_index++;
    feed_entry_t *e = entry_at(f, f->claimed++);
    stream_doubts_memo_t memo = {0};
    *e = (feed_entry_t){.block = b};
    stream_doubts_block(&e->doubts, &memo, b);
    publish(f);
    return true;
}

/* Decodes n claimed blocks without the lock, and puts them into the ring. */
static void decode_claim(feed_t *f, trace_claim_t *claim, uint64_t n)
{
    const uint64_t at = f->claimed, index = f->next_index;
    uint64_t done = n;
    rb_err_t err = {0};
    for (uint64_t i = 0; i < n; i++)
        entry_at(f, at + i)->block = NULL;
    f->claimed += n;
    f->next_index += n;
    f->busy++;
    pthread_mutex_unlock(&f->lock);
    trace_block_t **blocks = rb_calloc(n, sizeof(trace_block_t *));
    const rb_code_t code = f->source->ops->decode(f->launch, claim, blocks, &done, &err);
    stream_doubts_t *doubts = find_doubts(blocks, done);
    pthread_mutex_lock(&f->lock);
    f->busy--;
    for (uint64_t i = 0; i < done; i++)
        *entry_at(f, at + i) = (feed_entry_t){blocks[i], doubts[i]};
    free(blocks);
    free(doubts);
    if (code != RB_OK)
        fail_at(f, index + done, &err);
    publish(f);
    pthread_cond_broadcast(&f->decoded_more);
}

/* Decodes some blocks; the lock is held, but may be released meanwhile. false: end, failure, no
 * room, or others must be decoded first. */
static bool decode_some(feed_t *f)
{
    uint64_t max = room(f), n = 0;
    if (max > 0)
        max = f->source->ops->claim == NULL ? 1 : max < CLAIM_BLOCKS ? max : CLAIM_BLOCKS;
    if (max == 0 || atomic_load(&f->ended) || atomic_load(&f->failed))
        return false;
    if (f->filter != NULL)
        pass_unwanted(f, &max);
    if (max == 0) {
        atomic_store(&f->ended, true);
        return false;
    }
    if (f->source->ops->claim == NULL)
        return decode_one(f);
    claim_status_t status = CLAIM_END;
    trace_claim_t *claim = NULL;
    rb_err_t err = {0};
    if (f->source->ops->claim(f->launch, f->next_index, max, &status, &claim, &n, &err) != RB_OK)
        fail_at(f, f->next_index, &err);
    else if (status == CLAIM_MADE)
        decode_claim(f, claim, n);
    else if (status == CLAIM_END)
        atomic_store(&f->ended, true);
    return status == CLAIM_MADE;
}

/* Whether a thread that waits for n blocks may get more of them; the lock is held. */
static bool expects_more(const feed_t *f, uint32_t n)
{
    const bool more = atomic_load(&f->failed)
                          ? f->busy > 0 /* with blocks before the one that failed */
                          : !atomic_load(&f->ended) || atomic_load(&f->decoded) < f->claimed;
    return feed_ready(f) < n && more;
}

/* Whether all blocks of the launch are decoded; also without the lock, because none is claimed after the
 * end. */
static bool all_decoded(const feed_t *f)
{
    return !atomic_load(&f->failed) && atomic_load(&f->ended) &&
           atomic_load(&f->decoded) == f->claimed;
}

bool feed_ensure(feed_t *f, uint32_t n)
{
    if (feed_ready(f) < n && !all_decoded(f)) {
        pthread_mutex_lock(&f->lock);
        while (expects_more(f, n))
            if (!decode_some(f) && expects_more(f, n))
                pthread_cond_wait(&f->decoded_more, &f->lock);
        pthread_mutex_unlock(&f->lock);
    }
    f->missing = feed_ready(f) < n && atomic_load(&f->failed);
    return !f->missing && !atomic_load(&f->store.failed);
}

rb_code_t feed_check(feed_t *f, rb_err_t *err)
{
    if (f->missing) {
        pthread_mutex_lock(&f->lock);
        await_rest(f);
        pthread_mutex_unlock(&f->lock);
        return rb_fail(err, f->err.code, "%s", f->err.text);
    }
    if (atomic_load(&f->store.failed))
        return rb_fail(err, f->store.err.code, "%s", f->store.err.text);
    return RB_OK;
}

bool feed_ahead(feed_t *f)
{
    if (pthread_mutex_trylock(&f->lock) != 0)
        return false;
    const bool did = f->source != NULL && decode_some(f);
    pthread_mutex_unlock(&f->lock);
    return did;
}

bool feed_more(const feed_t *f)
{
    return feed_ready(f) > 0;
}

bool feed_all_taken(feed_t *f)
{
    pthread_mutex_lock(&f->lock);
    const bool all = atomic_load(&f->ended) && atomic_load(&f->taken) == f->claimed;
    pthread_mutex_unlock(&f->lock);
    return all;
}

trace_block_t *feed_take(feed_t *f)
{
    RB_INVARIANT(feed_ready(f) > 0, "a block that is not decoded is dispatched");
    const uint64_t at = atomic_load(&f->taken);
    trace_block_t *b = entry_at(f, at)->block;
    atomic_fetch_add(&f->insts_taken, b->n_insts);
    stream_doubts_add(&f->doubts, &entry_at(f, at)->doubts);
    atomic_store(&f->taken, at + 1);
    return b;
}

void feed_free(feed_t *f, trace_block_t *b)
{
    f->source->ops->free_block(f->launch, b);
}
