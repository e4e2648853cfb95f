#include "frontend/input/accelsim/accelsim_seen.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

enum { FIRST_CAP = 64 };

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) spreads adjacent keys. */
static seen_word_t *find(const accelsim_seen_t *s, uint64_t place)
{
    size_t at = (size_t)((place * 0x9e3779b97f4a7c15u) >> 32) & (s->cap - 1);

    while (s->words[at].bits != 0 && s->words[at].place != place)
        at = (at + 1) & (s->cap - 1);
    return &s->words[at];
}

static void grow(accelsim_seen_t *s)
{
    accelsim_seen_t old = *s;

    s->cap = old.cap == 0 ? FIRST_CAP : 2 * old.cap;
    s->words = rb_calloc(s->cap, sizeof(s->words[0]));
    for (size_t i = 0; i < old.cap; i++)
        if (old.words[i].bits != 0)
            *find(s, old.words[i].place) = old.words[i];
    free(old.words);
}

bool accelsim_seen_add(accelsim_seen_t *s, uint64_t number)
{
    if (2 * (s->n + 1) >= s->cap)
        grow(s);
    seen_word_t *word = find(s, number / 64);
    uint64_t bit = 1ull << number % 64;

    if (word->bits & bit)
        return false;
    s->n += word->bits == 0;
    word->place = number / 64;
    word->bits |= bit;
    return true;
}

void accelsim_seen_free(accelsim_seen_t *s)
{
    free(s->words);
    *s = (accelsim_seen_t){0};
}
