/*
 * State of a cache, shared by cache.c, cache_checkpoint.c and the replacement policies.
 */
#ifndef RUBATO_PARTS_CACHE_INTERNAL_H
#define RUBATO_PARTS_CACHE_INTERNAL_H

#include <stddef.h>

#include "sim/core/divider.h"
#include "sim/parts/cache.h"
#include "sim/parts/narrow_set.h"
#include "sim/parts/wide_set.h"

enum { CACHE_MAX_WAYS = UINT16_MAX };

struct cache {
    uint32_t sets, ways;
    uint32_t capacity; /* lines allocated */
    uint32_t count;    /* lines present */
    uint32_t line_shift;
    uint32_t set_bits;    /* log2 of sets, if a power of two */
    uint32_t fold_pieces; /* power of two; the fold's first step merges this many set_bits */
    divider_t by_sets;
    bool sets_pow2, hash_sets;
    replacement_policy_t policy;
    uint32_t random_state;
    uint32_t planes;        /* bits of state per way that the policy keeps */
    uint32_t plane_words;   /* words of one such bit of all ways of a set */
    uint64_t *policy_state; /* owned; planes x plane_words per set */
    size_t cap_policy_state;
    bool narrow;         /* which of the two kinds of sets it has */
    uint8_t *narrow_set; /* owned; narrow_set_t of so many */
    size_t narrow_bytes;
    size_t cap_narrow;
    wide_set_t *wide_set; /* owned */
    size_t cap_wide;
    uint32_t table_bits; /* wide: log2 of a set's chunks */
    tag_chunk_t *table;  /* owned; way by line; of all wide sets, one after the other */
    size_t cap_table;
    cache_tag_t *tag; /* owned; way w of set s is number s * ways + w: narrow, so many words on; */
    wide_way_t *way;  /* wide: its first word */
    size_t cap_tag, cap_way;
    cache_written_t *written; /* owned; per tag; NULL: lines are never written */
    cache_tag_t dropped;      /* what a cache without lines hands out, */
    cache_written_t dropped_written;
};

/* The set of a line. */
uint32_t cache_set_of(const cache_t *c, uint64_t line);

/* Changes the shape; contents must be cleared after it. */
void cache_shape(cache_t *c, uint32_t sets, uint32_t ways);
void cache_clear(cache_t *c);

/* The next way of the set that has room becomes the newest and holds the line from now on. */
cache_tag_t *cache_way_add(cache_t *c, cache_key_t k);

cache_line_t cache_line_copy(const cache_t *c, const cache_tag_t *t);

static inline narrow_set_t *cache_narrow(const cache_t *c, uint32_t set)
{
    return (narrow_set_t *)(void *)(c->narrow_set + set * c->narrow_bytes);
}

static inline wide_way_t *cache_wide_ways(const cache_t *c, uint32_t set)
{
    return &c->way[(size_t)set * c->ways];
}

static inline cache_tag_t *cache_tag_at(const cache_t *c, uint32_t set, uint32_t way)
{
    size_t n = (size_t)set * c->ways + way;
    return c->narrow ? &c->tag[n] : &c->way[n].tag;
}

static inline uint32_t cache_set_count(const cache_t *c, uint32_t set)
{
    return c->narrow ? cache_narrow(c, set)->count : c->wide_set[set].count;
}

/* A way becomes the newest of its set. */
static inline void cache_way_touch(cache_t *c, uint32_t set, uint32_t way)
{
    if (c->narrow)
        narrow_touch(cache_narrow(c, set), c->ways, way);
    else
        wide_touch(&c->wide_set[set], cache_wide_ways(c, set), way);
}

/* The way at the end of the order of use of a full set. */
static inline uint32_t cache_oldest_way(const cache_t *c, uint32_t set)
{
    return c->narrow ? narrow_oldest(cache_narrow(c, set), c->ways) : c->wide_set[set].oldest;
}

/* The oldest way of a full set becomes its newest. Returns it. */
static inline uint32_t cache_renew_oldest(cache_t *c, uint32_t set)
{
    return c->narrow ? narrow_renew_oldest(cache_narrow(c, set), c->ways)
                     : wide_renew_oldest(&c->wide_set[set], cache_wide_ways(c, set));
}

/* A way becomes the oldest of its set. */
static inline void cache_way_age(cache_t *c, uint32_t set, uint32_t way)
{
    if (c->narrow)
        narrow_age(cache_narrow(c, set), c->ways, way);
    else
        wide_age(&c->wide_set[set], cache_wide_ways(c, set), way);
}

/* Words of policy state of a set. */
static inline size_t cache_state_words(const cache_t *c)
{
    return (size_t)c->planes * c->plane_words;
}

/* One bit of policy state of every way of a set: bit w % 64 of word w / 64 is way w's. */
static inline uint64_t *cache_plane(const cache_t *c, uint32_t set, uint32_t plane)
{
    return c->policy_state + set * cache_state_words(c) + (size_t)plane * c->plane_words;
}

static inline bool plane_get(const uint64_t *plane, uint32_t way)
{
    return plane[way / 64] >> way % 64 & 1;
}

static inline void plane_put(uint64_t *plane, uint32_t way, bool bit)
{
    uint64_t mask = UINT64_C(1) << way % 64;
    plane[way / 64] = bit ? plane[way / 64] | mask : plane[way / 64] & ~mask;
}

/* The bits of a plane's word that belong to ways. */
static inline uint64_t plane_mask(const cache_t *c, uint32_t word)
{
    return narrow_mask(c->ways - word * 64);
}

/* The next number of the cache's random generator (Marsaglia's xorshift32). */
static inline uint32_t cache_random(cache_t *c)
{
    uint32_t x = c->random_state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    c->random_state = x;
    return x;
}

/* The way of a set at that place of its order of use, 0: the newest; before: the one at the place
 * before. */
static inline uint32_t cache_way_by_use(const cache_t *c, uint32_t set, uint32_t place,
                                        uint32_t before)
{
    if (c->narrow)
        return narrow_order(cache_narrow(c, set), c->ways)[place];
    return place == 0 ? c->wide_set[set].newest : cache_wide_ways(c, set)[before].older;
}

#endif
