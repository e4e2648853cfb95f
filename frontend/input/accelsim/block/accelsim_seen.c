#include "frontend/input/accelsim/block/accelsim_seen.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

static seen_word_t *word_at(accelsim_seen_t *s, uint64_t place)
{
    for (hash_walk_t w = hash_map_walk(&s->map, place); hash_walk_next(&w);)
        if (s->words[w.number].place == place)
            return &s->words[w.number];
    rb_grow(&s->words, &s->cap, s->n + 1, sizeof(s->words[0]));
    s->words[s->n] = (seen_word_t){.place = place};
    hash_map_add(&s->map, place, (uint32_t)s->n);
    return &s->words[s->n++];
}

bool accelsim_seen_add(accelsim_seen_t *s, uint64_t number)
{
    seen_word_t *word = word_at(s, number / 64);
    uint64_t bit = 1ull << number % 64;

    if (word->bits & bit)
        return false;
    word->bits |= bit;
    return true;
}

void accelsim_seen_free(accelsim_seen_t *s)
{
    hash_map_free(&s->map);
    free(s->words);
    *s = (accelsim_seen_t){0};
}
