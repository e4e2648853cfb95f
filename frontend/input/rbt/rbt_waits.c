#include "frontend/input/rbt/rbt_waits.h"

#include <stdlib.h>

#include "sim/core/find_first.h"
#include "sim/core/log.h"
#include "sim/isa/stream_store.h"

enum { BLOCK_BYTES_MIN = 2, WAIT_BYTES_MIN = 7, WORD_BYTES_MIN = 2, MOST_BYTES = 32 << 20 };

void rbt_waits_put_free(rbt_waits_put_t *w)
{
    free(w->done.p);
    free(w->open.p);
}

static void put_wait(rbt_waits_put_t *w, const trace_block_t *block, const stream_wait_t *t,
                     const stream_wait_t *before)
{
    rbt_buf_t *out = &w->open;
    const bool same = before != NULL && before->warp == t->warp;

    rbt_put_varint(out, t->warp - (before != NULL ? before->warp : 0));
    rbt_put_varint(out, t->begin - (same ? before->begin : 0));
    rbt_put_varint(out, t->test);
    rbt_put_varint(out, t->tail);
    rbt_put_varint(out, t->pc);
    rbt_put_varint(out, t->polls);
    rbt_put_varint(out, t->n_words);
    for (uint32_t i = 0; i < t->n_words; i++) {
        const wait_word_t *word = &block->wait_words[t->first_word + i];
        rbt_put_signed(out, word->word - w->last_word);
        rbt_put_varint(out, word->writes == WAIT_UNTIL_FREE ? 0 : word->writes);
        w->last_word = word->word;
    }
}

void rbt_waits_put_block(rbt_waits_put_t *w, uint64_t place, const trace_block_t *block)
{
    w->watch |= block->watch;
    if (block->n_waits == 0)
        return;
    if (w->done.n + w->open.n > MOST_BYTES) {
        rb_warn_once("the trace has so many waits of warps for each other that the file does not "
                     "hold all: the others end at their first poll");
        return;
    }
    rbt_put_varint(&w->open, place - w->next_block);
    rbt_put_varint(&w->open, block->n_waits);
    for (uint32_t i = 0; i < block->n_waits; i++)
        put_wait(w, block, &block->waits[i], i > 0 ? &block->waits[i - 1] : NULL);
    w->next_block = place + 1;
    w->n_blocks++;
}

void rbt_waits_put_launch(rbt_waits_put_t *w, uint64_t place)
{
    if (w->watch != 0) {
        rbt_put_varint(&w->done, place - w->next_launch);
        rbt_put_varint(&w->done, w->watch);
        rbt_put_varint(&w->done, w->n_blocks);
        rbt_put_bytes(&w->done, w->open.p, w->open.n);
        w->next_launch = place + 1;
        w->n_launches++;
    }
    w->open.n = 0;
    w->n_blocks = w->next_block = w->last_word = 0;
    w->watch = 0;
}

void rbt_waits_encode(const rbt_waits_put_t *w, rbt_buf_t *out)
{
    rbt_put_varint(out, w->n_launches);
    rbt_put_bytes(out, w->done.p, w->done.n);
}

/* --- reading --------------------------------------------------------------------------------- */

static void get_wait(rbt_in_t *in, rbt_waits_t *w, const rbt_waits_block_t *b, uint64_t *last_word)
{
    rb_grow(&w->waits, &w->cap_waits, w->n_waits + 1, sizeof(*w->waits));
    stream_wait_t *t = &w->waits[w->n_waits];
    const stream_wait_t *before = w->n_waits > b->first_wait ? t - 1 : NULL;

    *t = (stream_wait_t){.warp = (uint32_t)rbt_get_count(in, UINT16_MAX)};
    t->warp += before != NULL ? before->warp : 0;
    t->begin = rbt_get_varint(in);
    t->begin += before != NULL && before->warp == t->warp ? before->begin : 0;
    t->test = (uint16_t)rbt_get_count(in, UINT16_MAX);
    t->tail = (uint16_t)rbt_get_count(in, UINT16_MAX);
    t->pc = (uint32_t)rbt_get_count(in, UINT32_MAX);
    t->polls = (uint32_t)rbt_get_count(in, UINT32_MAX);
    t->n_words = (uint32_t)rbt_get_count(in, rbt_in_left(in) / WORD_BYTES_MIN);
    t->first_word = (uint32_t)(w->n_words - b->first_word);
    rb_grow(&w->words, &w->cap_words, w->n_words + t->n_words + 1, sizeof(*w->words));
    for (uint32_t i = 0; i < t->n_words && !in->bad; i++) {
        *last_word += rbt_get_signed(in);
        const uint32_t writes = (uint32_t)rbt_get_count(in, UINT32_MAX - 1);
        w->words[w->n_words++] =
            (wait_word_t){.word = *last_word, .writes = writes == 0 ? WAIT_UNTIL_FREE : writes};
    }
    w->n_waits++;
}

static void get_block(rbt_in_t *in, rbt_waits_t *w, uint64_t *next, uint64_t *last_word)
{
    rbt_waits_block_t b = {.first_wait = w->n_waits, .first_word = w->n_words};

    b.place = *next + rbt_get_varint(in);
    b.n_waits = (uint32_t)rbt_get_count(in, rbt_in_left(in) / WAIT_BYTES_MIN);
    for (uint32_t i = 0; i < b.n_waits && !in->bad; i++)
        get_wait(in, w, &b, last_word);
    const trace_block_t block = {.n_warps = UINT32_MAX,
                                 .n_waits = b.n_waits,
                                 .waits = in->bad ? NULL : w->waits + b.first_wait};
    in->bad = in->bad || !stream_waits_hold(&block, (uint32_t)(w->n_words - b.first_word));
    rb_grow(&w->blocks, &w->cap_blocks, w->n_blocks + 1, sizeof(*w->blocks));
    w->blocks[w->n_blocks++] = b;
    *next = b.place + 1;
}

bool rbt_waits_get(rbt_in_t *in, rbt_waits_t *w)
{
    const uint64_t n = rbt_get_count(in, rbt_in_left(in));
    uint64_t next = 0;

    for (uint64_t i = 0; i < n && !in->bad; i++) {
        rbt_waits_launch_t l = {.first_block = w->n_blocks};
        uint64_t next_block = 0, last_word = 0;
        l.place = next + rbt_get_varint(in);
        l.watch = (uint32_t)rbt_get_count(in, WATCH_GLOBAL | WATCH_SHARED);
        l.n_blocks = rbt_get_count(in, rbt_in_left(in) / BLOCK_BYTES_MIN);
        for (size_t k = 0; k < l.n_blocks && !in->bad; k++)
            get_block(in, w, &next_block, &last_word);
        rb_grow(&w->launches, &w->cap_launches, w->n_launches + 1, sizeof(*w->launches));
        w->launches[w->n_launches++] = l;
        next = l.place + 1;
    }
    return !in->bad && in->at == in->end;
}

void rbt_waits_free(rbt_waits_t *w)
{
    free(w->launches);
    free(w->blocks);
    free(w->waits);
    free(w->words);
}

const rbt_waits_launch_t *rbt_waits_of(const rbt_waits_t *w, uint64_t launch)
{
    size_t i;

    FIND_FIRST(i, 0, w->n_launches, w->launches[i].place >= launch);
    return i < w->n_launches && w->launches[i].place == launch ? &w->launches[i] : NULL;
}

void rbt_waits_give(const rbt_waits_t *w, uint64_t launch, uint64_t place, trace_block_t *block)
{
    const rbt_waits_launch_t *l = rbt_waits_of(w, launch);
    const size_t first = l != NULL ? l->first_block : 0, end = l != NULL ? first + l->n_blocks : 0;
    size_t i;

    block->watch = l != NULL ? l->watch : 0;
    block->n_waits = 0;
    FIND_FIRST(i, first, end, w->blocks[i].place >= place);
    if (i == end || w->blocks[i].place != place)
        return;
    block->n_waits = w->blocks[i].n_waits;
    block->waits = w->waits + w->blocks[i].first_wait;
    block->wait_words = w->words + w->blocks[i].first_word;
}
