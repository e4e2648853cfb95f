/* State of a cache, for the files cache_*.[ch] and the replacement policies. */
#ifndef RUBATO_PARTS_CACHE_INTERNAL_H
#define RUBATO_PARTS_CACHE_INTERNAL_H

#include <stddef.h>

#include "sim/core/divider.h"
#include "sim/parts/cache/cache.h"
#include "sim/parts/cache/narrow_set.h"
#include "sim/parts/cache/replacement.h"
#include "sim/parts/cache/wide_set.h"

enum { CACHE_MAX_WAYS = UINT16_MAX, CACHE_NO_WAY = CACHE_MAX_WAYS };

struct cache {
    uint32_t sets, ways;
    uint32_t capacity; /* lines allocated */
    uint32_t count;    /* lines present */
    uint32_t line_shift;
    uint32_t set_bits;    /* log2 of sets, if a power of two */
    uint32_t fold_pieces; /* power of two: how many pieces of set_bits the first step of the XOR
                           * fold merges */
    divider_t by_sets, by_ways;
    bool sets_pow2, hash_sets;
    replacement_policy_t policy;
    uint32_t random_state;
    const cache_request_t *request; /* the present access */
    uint64_t incoming;              /* a line that is inserted into a full set */
    uint32_t *policy_word;          /* owned; replacement_words[] of them */
    uint32_t planes;                /* bits of state per way that the policy keeps */
    uint32_t plane_words;           /* words of one bit of all ways of a set */
    uint64_t *policy_state;         /* owned; planes x plane_words per set */
    size_t cap_policy_state;
    bool narrow;         /* kind of its sets: narrow or wide */
    uint8_t *narrow_set; /* owned; one narrow_set_t per set, narrow_bytes each */
    size_t narrow_bytes;
    size_t cap_narrow;
    wide_set_t *wide_set; /* owned */
    size_t cap_wide;
    uint32_t chunks;    /* wide: of a set's table */
    tag_chunk_t *table; /* owned; wide: the hash tables (line -> way) of all sets */
    size_t cap_table;
    cache_tag_t *tag; /* owned; narrow: way w of set s is tag[s * ways + w] */
    wide_way_t *way;  /* owned; wide: the same */
    size_t cap_tag, cap_way;
    cache_written_t *written; /* owned; per tag; NULL: lines are never written */
    cache_t *victims;         /* owned; one set; NULL: none are kept */
    cache_tag_t dropped;      /* the tag that a cache without lines returns */
    cache_written_t dropped_written;
};

/* The set of a line. */
uint32_t cache_set_of(const cache_t *c, uint64_t line);

/* Changes the shape. The caller must clear the contents afterwards. */
void cache_shape(cache_t *c, uint32_t sets, uint32_t ways);
void cache_clear(cache_t *c);

/* The same by sets: empties one; then what is not a set's. */
void cache_clear_set(cache_t *c, uint32_t set);
void cache_clear_rest(cache_t *c);

/* Puts the line into the next empty way of its set and makes that way the newest. */
cache_tag_t *cache_way_add(cache_t *c, cache_key_t k);

cache_line_t cache_line_copy(const cache_t *c, const cache_tag_t *t);

static inline uint32_t cache_line_set(const cache_t *c, uint64_t line)
{
    uint64_t n = line >> c->line_shift;
    if (!c->sets_pow2)
        return (uint32_t)divider_rest(&c->by_sets, n);
    if (c->hash_sets) {
        /* XOR of all set_bits-wide pieces of n, halving the number of pieces in each step. */
        for (uint32_t pieces = c->fold_pieces; pieces > 0; pieces >>= 1)
            n ^= n >> (pieces * c->set_bits);
    }
    return (uint32_t)n & (c->sets - 1);
}

static inline cache_key_t cache_line_key(const cache_t *c, uint64_t line)
{
    uint32_t set = c->ways > 0 ? cache_line_set(c, line) : 0;
    return (cache_key_t){.line = line, .set = set, .tag = tag_of(line >> c->line_shift)};
}

/* The key of a line that is known to belong to a set. */
static inline cache_key_t cache_key_in_set(const cache_t *c, uint64_t line, uint32_t set)
{
    return (cache_key_t){.line = line, .set = set, .tag = tag_of(line >> c->line_shift)};
}

static inline narrow_set_t *cache_narrow(const cache_t *c, uint32_t set)
{
    return (narrow_set_t *)(void *)(c->narrow_set + set * c->narrow_bytes);
}

/* The eight tag bits that a narrow set compares. */
static inline uint32_t cache_narrow_tag(cache_key_t k)
{
    return (uint32_t)k.tag >> 8;
}

static inline uint32_t cache_narrow_find(const cache_t *c, cache_key_t k)
{
    const cache_tag_t *tags = &c->tag[(size_t)k.set * c->ways];
    uint64_t bits = narrow_find(cache_narrow(c, k.set), c->ways, cache_narrow_tag(k));
    for (; bits != 0; bits &= bits - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(bits);
        if (cache_tag_line(tags[way]) == k.line)
            return way;
    }
    return CACHE_NO_WAY;
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

/* Makes a way the newest of its set. */
static inline void cache_way_touch(cache_t *c, uint32_t set, uint32_t way)
{
    if (c->narrow)
        narrow_touch(cache_narrow(c, set), c->ways, way);
    else
        wide_touch(&c->wide_set[set], cache_wide_ways(c, set), way);
}

/* The least recently used way of a full set. */
static inline uint32_t cache_oldest_way(const cache_t *c, uint32_t set)
{
    return c->narrow ? narrow_oldest(cache_narrow(c, set), c->ways) : c->wide_set[set].oldest;
}

/* Makes the oldest way of a full set the newest and returns it. */
static inline uint32_t cache_renew_oldest(cache_t *c, uint32_t set)
{
    return c->narrow ? narrow_renew_oldest(cache_narrow(c, set), c->ways)
                     : wide_renew_oldest(&c->wide_set[set], cache_wide_ways(c, set));
}

/* Makes a way the oldest of its set. */
static inline void cache_way_age(cache_t *c, uint32_t set, uint32_t way)
{
    if (c->narrow)
        narrow_age(cache_narrow(c, set), c->ways, way);
    else
        wide_age(&c->wide_set[set], cache_wide_ways(c, set), way);
}

/* Words of policy state per set. */
static inline size_t cache_state_words(const cache_t *c)
{
    return (size_t)c->planes * c->plane_words;
}

/* One bit of policy state for every way of a set: way w has bit w % 64 of word w / 64. */
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

/* The bits of a word of a plane that belong to existing ways. */
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

/* The way at a place in a set's order of use (0: the newest). before: the way at the previous
 * place. */
static inline uint32_t cache_way_by_use(const cache_t *c, uint32_t set, uint32_t place,
                                        uint32_t before)
{
    if (c->narrow)
        return narrow_used_before(cache_narrow(c, set), c->ways, place == 0 ? c->ways : before);
    return place == 0 ? c->wide_set[set].newest : cache_wide_ways(c, set)[before].older;
}

#endif
