#include "sim/gpu/feed.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { AHEAD_FACTOR = 2 }; /* capacity of the ring, as a multiple of what a window may need */

/*
 * Host memory for the blocks of a launch. Those on the chip or decoded ahead of it are kept whole as
 * far as that takes at most WHOLE_BYTES; longer ones are packed, of which PACKED_BYTES are kept in
 * memory and the rest in a temporary file. Pieces that are unpacked come on top: about 12 KB per
 * resident warp.
 */
enum { WHOLE_BYTES = 64 << 20, PACKED_BYTES = 96 << 20, SHORTEST_LONG = 8 << 10 };

static uint64_t feed_ready(const feed_t *f)
{
    return atomic_load(&f->decoded) - atomic_load(&f->taken);
}

void feed_init(feed_t *f)
{
    memset(f, 0, sizeof(*f));
    pthread_mutex_init(&f->lock, NULL);
}

void feed_destroy(feed_t *f)
{
    pthread_mutex_destroy(&f->lock);
}

static void open_store(feed_t *f, const feed_plan_t *plan)
{
    stream_limits_t limits = {.whole_bytes = WHOLE_BYTES / (plan->resident + f->capacity),
                              .memory_bytes = PACKED_BYTES,
                              .keep = plan->keep,
                              .dir = plan->dir};
    if (limits.whole_bytes < SHORTEST_LONG)
        limits.whole_bytes = SHORTEST_LONG;
    stream_store_init(&f->store, &limits);
    if (f->source->ops->use_store != NULL)
        f->source->ops->use_store(f->launch, &f->store);
}

rb_code_t feed_open(feed_t *f, trace_source_t *source, uint64_t id, const feed_plan_t *plan,
                    rb_err_t *err)
{
    trace_launch_t *launch = NULL;
    RB_TRY(source->ops->open(source, id, &launch, err));
    pthread_mutex_lock(&f->lock);
    f->source = source;
    f->launch = launch;
    f->capacity = plan->ahead * AHEAD_FACTOR;
    open_store(f, plan);
    f->ring = rb_calloc(f->capacity, sizeof(trace_block_t *));
    f->next_index = 0;
    f->filter = plan->filter;
    f->err = (rb_err_t){0};
    atomic_store(&f->decoded, 0);
    atomic_store(&f->taken, 0);
    atomic_store(&f->ended, false);
    atomic_store(&f->failed, false);
    pthread_mutex_unlock(&f->lock);
    return RB_OK;
}

void feed_close(feed_t *f)
{
    pthread_mutex_lock(&f->lock);
    while (feed_more(f))
        feed_free(f, feed_take(f));
    f->source->ops->close(f->launch);
    stream_store_free(&f->store);
    f->source = NULL;
    f->launch = NULL;
    free(f->ring);
    f->ring = NULL;
    pthread_mutex_unlock(&f->lock);
}

static bool wanted(const feed_t *f, uint64_t block)
{
    return f->filter->wanted(f->filter->ctx, block);
}

void feed_change_begin(feed_t *f)
{
    pthread_mutex_lock(&f->lock);
}

void feed_change_end(feed_t *f)
{
    uint64_t from = atomic_load(&f->taken), end = atomic_load(&f->decoded), to = from;
    for (uint64_t at = from; at < end; at++) {
        trace_block_t *b = f->ring[at % f->capacity];
        if (wanted(f, b->index))
            f->ring[to++ % f->capacity] = b;
        else
            feed_free(f, b);
    }
    atomic_store(&f->decoded, to);
    pthread_mutex_unlock(&f->lock);
}

/* Advances over unwanted blocks. false: no other block is left. */
static bool pass_unwanted(feed_t *f)
{
    while (f->next_index < f->filter->n_blocks && !wanted(f, f->next_index))
        f->next_index++;
    return f->next_index < f->filter->n_blocks;
}

/* Decodes one block; the lock is held. false: end or failure. */
static bool decode_one(feed_t *f)
{
    if (atomic_load(&f->ended) || atomic_load(&f->failed))
        return false;
    if (f->filter != NULL && !pass_unwanted(f)) {
        atomic_store(&f->ended, true);
        return false;
    }
    trace_block_t *b = NULL;
    if (f->source->ops->get_block(f->launch, f->next_index, &b, &f->err) != RB_OK) {
        atomic_store(&f->failed, true);
        return false;
    }
    if (b == NULL) {
        atomic_store(&f->ended, true);
        return false;
    }
    f->next_index++;
    uint64_t at = atomic_load(&f->decoded);
    f->ring[at % f->capacity] = b;
    atomic_store(&f->decoded, at + 1);
    return true;
}

bool feed_ensure(feed_t *f, uint32_t n)
{
    if (feed_ready(f) < n && !atomic_load(&f->ended)) {
        pthread_mutex_lock(&f->lock);
        while (feed_ready(f) < n && decode_one(f))
            continue;
        pthread_mutex_unlock(&f->lock);
    }
    return !atomic_load(&f->failed) && !atomic_load(&f->store.failed);
}

rb_code_t feed_check(feed_t *f, rb_err_t *err)
{
    if (atomic_load(&f->failed))
        return rb_fail(err, f->err.code, "%s", f->err.text);
    if (atomic_load(&f->store.failed))
        return rb_fail(err, f->store.err.code, "%s", f->store.err.text);
    return RB_OK;
}

bool feed_ahead(feed_t *f)
{
    if (pthread_mutex_trylock(&f->lock) != 0)
        return false;
    bool did = f->source != NULL && feed_ready(f) < f->capacity && decode_one(f);
    pthread_mutex_unlock(&f->lock);
    return did;
}

bool feed_more(const feed_t *f)
{
    return feed_ready(f) > 0;
}

trace_block_t *feed_take(feed_t *f)
{
    RB_INVARIANT(feed_ready(f) > 0, "a block that is not decoded is dispatched");
    uint64_t at = atomic_load(&f->taken);
    trace_block_t *b = f->ring[at % f->capacity];
    atomic_store(&f->taken, at + 1);
    return b;
}

void feed_free(feed_t *f, trace_block_t *b)
{
    f->source->ops->free_block(f->launch, b);
}
