#include "sim/parts/word_counts.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

void word_counts_free(word_counts_t *c)
{
    free(c->slot);
    *c = (word_counts_t){0};
}

/* The slot of a word, or the free one where it belongs. */
static word_count_t *slot_of(const word_counts_t *c, uint64_t key)
{
    size_t i = mix64(key) & (c->cap - 1);

    while (c->slot[i].word != 0 && c->slot[i].word != key)
        i = (i + 1) & (c->cap - 1);
    return &c->slot[i];
}

static void grow(word_counts_t *c)
{
    enum { FIRST = 64 };
    word_counts_t more = {.cap = c->cap > 0 ? 2 * c->cap : FIRST, .n = c->n};

    more.slot = rb_calloc(more.cap, sizeof(*more.slot));
    for (size_t i = 0; i < c->cap; i++)
        if (c->slot[i].word != 0)
            *slot_of(&more, c->slot[i].word) = c->slot[i];
    free(c->slot);
    *c = more;
}

word_count_t *word_counts_find(const word_counts_t *c, uint64_t addr)
{
    if (c->n == 0)
        return NULL;
    word_count_t *s = slot_of(c, (addr & ~UINT64_C(3)) + 1);
    return s->word != 0 ? s : NULL;
}

word_count_t *word_counts_add(word_counts_t *c, uint64_t addr)
{
    const uint64_t key = (addr & ~UINT64_C(3)) + 1;

    if (c->n * 2 >= c->cap)
        grow(c);
    word_count_t *s = slot_of(c, key);
    if (s->word == 0 && c->n >= WORD_COUNTS_MOST)
        return NULL;
    c->n += s->word == 0;
    s->word = key;
    return s;
}

bool word_counts_fulfil(const word_counts_t *c, const trace_block_t *block, uint32_t wait,
                        uint64_t from, uint64_t to)
{
    const stream_wait_t *s = &block->waits[wait - 1];

    for (uint32_t i = 0; i < s->n_words; i++) {
        const wait_word_t *w = &block->wait_words[s->first_word + i];
        if (w->word >= from && w->word < to && !word_count_fulfils(word_counts_find(c, w->word), w))
            return false;
    }
    return true;
}

void word_counts_write(word_counts_t *c, const trace_block_t *block, uint32_t wait, uint64_t addr)
{
    bool takes = false, asked = wait == 0;

    for (uint32_t i = 0; wait != 0 && i < block->waits[wait - 1].n_words; i++) {
        const wait_word_t *w = &block->wait_words[block->waits[wait - 1].first_word + i];
        asked = asked || w->word == (addr & ~UINT64_C(3));
        takes = takes || (w->word == (addr & ~UINT64_C(3)) && w->writes == WAIT_UNTIL_FREE);
    }
    word_count_t *n = asked ? word_counts_add(c, addr) : NULL;
    if (n == NULL)
        return;
    n->taken += takes;
    n->writes += !takes;
}
