#include "sim/gpu/source/made_block.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { MAX_RUN = UINT16_MAX };

void made_pool_init(made_pool_t *p)
{
    pthread_mutex_init(&p->lock, NULL);
    p->free = p->made = NULL;
    p->store = NULL;
    atomic_init(&p->runs, 0);
    atomic_init(&p->addrs, 0);
}

void made_pool_free(made_pool_t *p)
{
    while (p->made != NULL) {
        made_block_t *b = p->made;

        p->made = b->next_made;
        free(b->block.warps);
        free(b->runs);
        free(b->addrs);
        free(b);
    }
    pthread_mutex_destroy(&p->lock);
}

made_block_t *made_pool_take(made_pool_t *p, uint32_t n_warps)
{
    pthread_mutex_lock(&p->lock);
    made_block_t *b = p->free;

    if (b != NULL)
        p->free = b->next_free;
    pthread_mutex_unlock(&p->lock);
    if (b == NULL) {
        b = rb_calloc(1, sizeof(*b));
        b->block.n_warps = n_warps;
        b->block.warps = rb_calloc(n_warps, sizeof(b->block.warps[0]));
        b->pool = p;
        pthread_mutex_lock(&p->lock);
        b->next_made = p->made;
        p->made = b;
        pthread_mutex_unlock(&p->lock);
        rb_grow(&b->runs, &b->cap_runs, atomic_load(&p->runs), sizeof(b->runs[0]));
        rb_grow(&b->addrs, &b->cap_addrs, atomic_load(&p->addrs), sizeof(b->addrs[0]));
    }
    b->store = p->store;
    return b;
}

void made_pool_give_back(made_pool_t *p, trace_block_t *block)
{
    made_block_t *b = (made_block_t *)(void *)block;

    if (b->pieces != NULL)
        stream_store_give(b->store, b->pieces);
    b->pieces = NULL;
    pthread_mutex_lock(&p->lock);
    b->next_free = p->free;
    p->free = b;
    pthread_mutex_unlock(&p->lock);
}

void made_block_begin(made_block_t *b, uint64_t index, const uint32_t grid[3])
{
    trace_block_t *t = &b->block;

    b->n_runs = b->n_addrs = 0;
    t->index = index;
    t->n_insts = 0;
    b->warp = 0;
    t->id[0] = (uint32_t)(index % grid[0]);
    t->id[1] = (uint32_t)(index / grid[0] % grid[1]);
    t->id[2] = (uint32_t)(index / grid[0] / grid[1]);
}

/* Packs all that was put, and empties the buffers. */
static void pack(made_block_t *b)
{
    const trace_run_t *runs = b->runs;
    const uint64_t *addrs = b->addrs;

    if (b->pieces == NULL) {
        b->pieces = stream_store_take(b->store, b->block.n_warps);
        for (uint32_t i = 0; i < b->warp; i++) {
            const warp_stream_t *w = &b->block.warps[i];

            long_block_put(b->pieces, i, runs, w->n_runs, addrs);
            runs += w->n_runs;
            addrs = addrs != NULL ? addrs + w->n_addr_words : NULL;
        }
    }
    long_block_put(b->pieces, b->warp, runs, (uint32_t)(b->n_runs - b->first_run), addrs);
    b->n_runs = b->n_addrs = b->first_run = b->first_addr = 0;
}

/* Packs the block if it is long and this much has come together. */
static void pack_if_long(made_block_t *b)
{
    if (b->store != NULL && stream_bytes(b->n_runs, b->n_addrs) > b->store->limits.whole_bytes)
        pack(b);
}

void made_warp_begin(made_block_t *b)
{
    b->first_run = b->n_runs;
    b->first_addr = b->n_addrs;
    b->n_insts = 0;
}

void made_warp_end(made_block_t *b, uint32_t warp)
{
    if (b->pieces != NULL && b->n_runs > 0)
        pack(b);
    b->block.warps[warp] = (warp_stream_t){.n_runs = (uint32_t)(b->n_runs - b->first_run),
                                           .n_addr_words = (uint32_t)(b->n_addrs - b->first_addr),
                                           .n_insts = b->n_insts};
    b->block.n_insts += b->n_insts;
    b->warp = warp + 1;
}

/* The buffers of a long block are larger than what it keeps. */
static void free_buffers(made_block_t *b)
{
    free(b->runs);
    free(b->addrs);
    b->runs = NULL;
    b->addrs = NULL;
    b->cap_runs = b->cap_addrs = 0;
}

rb_code_t made_block_end(made_block_t *b, rb_err_t *err)
{
    if (b->pieces != NULL) {
        free_buffers(b);
        return long_block_end(b->pieces, b->block.warps, err);
    }
    const trace_run_t *runs = b->runs;
    const uint64_t *addrs = b->addrs;

    atomic_store(&b->pool->runs, b->n_runs);
    atomic_store(&b->pool->addrs, b->n_addrs);
    for (uint32_t i = 0; i < b->block.n_warps; i++) {
        warp_stream_t *w = &b->block.warps[i];

        w->runs = runs;
        w->addrs = addrs;
        if (runs != NULL)
            runs += w->n_runs;
        if (addrs != NULL)
            addrs += w->n_addr_words;
    }
    return RB_OK;
}

void made_run_put(made_block_t *b, const inst_t *first, uint32_t count, uint32_t mask)
{
    if (count == 0)
        return;
    pack_if_long(b);
    b->n_insts += count;
    if (b->n_runs > b->first_run) {
        trace_run_t *last = &b->runs[b->n_runs - 1];

        if (last->first + last->count == first && last->mask == mask &&
            last->count + count <= MAX_RUN) {
            last->count = (uint16_t)(last->count + count);
            return;
        }
    }
    if (b->n_runs == b->cap_runs)
        rb_grow(&b->runs, &b->cap_runs, b->n_runs + 1, sizeof(b->runs[0]));
    b->runs[b->n_runs++] = (trace_run_t){.first = first, .mask = mask, .count = (uint16_t)count};
}

uint64_t *made_addrs_reserve(made_block_t *b, size_t words)
{
    if (b->n_addrs + words > b->cap_addrs)
        rb_grow(&b->addrs, &b->cap_addrs, b->n_addrs + words, sizeof(b->addrs[0]));
    return b->addrs + b->n_addrs;
}
