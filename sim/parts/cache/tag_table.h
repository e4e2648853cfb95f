/*
 * Hash table from keys to small numbers, for structures that are looked up often and are rarely in
 * the host's cache. The table stores 15 bits of each key's hash; the owner checks whether a number
 * really belongs to the key. It consists of chunks of half a host cache line, each searched at
 * once. A chunk counts the entries that overflowed to later chunks (as in Facebook's F14, Bronson
 * and Shi 2019), so a removal moves nothing.
 */
#ifndef RUBATO_PARTS_TAG_TABLE_H
#define RUBATO_PARTS_TAG_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { TAG_LANES = 7, TAG_CHUNK_FILL = 5 /* of these, if the table holds what it is made for */ };

typedef struct {
    uint16_t tag[TAG_LANES + 1]; /* 0: empty lane; the last is always 0 */
    uint16_t value[TAG_LANES];   /* the owner's numbers */
    uint16_t passed;             /* entries stored in a later chunk because this one was full */
} tag_chunk_t;

_Static_assert(sizeof(tag_chunk_t) == 32, "two chunks fill one line of the host's cache");

/* 16 bits of a hash (Knuth's multiplicative, golden ratio) of a key; never 0. */
static inline uint16_t tag_of(uint64_t key)
{
    return (uint16_t)(key * 0x9E3779B97F4A7C15u >> 48) | 1;
}

/* Chunks for n keys (fewer than 65,536): a power of two. */
static inline uint32_t tag_table_chunks(uint32_t n)
{
    uint32_t chunks = 1;
    while ((uint64_t)TAG_CHUNK_FILL * chunks < n)
        chunks *= 2;
    return chunks;
}

/* The chunk where the search for a key starts. */
static inline uint32_t tag_table_home(uint16_t tag, uint32_t chunks)
{
    return (uint32_t)tag * chunks >> 16;
}

static inline uint32_t tag_table_next(uint32_t c, uint32_t chunks)
{
    return (c + 1) & (chunks - 1);
}

/* Bit i is set if lane i of eight equals value. */
static inline uint32_t tag_lanes_equal(const uint16_t lane[TAG_LANES + 1], uint16_t value)
{
#ifdef __SSE2__
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)lane);
    __m128i equal = _mm_cmpeq_epi16(all, _mm_set1_epi16((short)value));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(equal, _mm_setzero_si128()));
#else
    uint32_t chunks = 1;
    for (uint32_t i = 0; i <= TAG_LANES; i++)
        bits |= (uint32_t)(lane[i] == value) << i;
    return bits;
#endif
}

/* Whether this number belongs to the key. */
typedef bool (*tag_table_is_t)(const void *owner, uint32_t value, uint64_t key);

/* The number of a key in a chunk; `none` if it is not there. */
static inline __attribute__((always_inline)) uint32_t
tag_chunk_find(const tag_chunk_t *chunk, uint16_t tag, uint64_t key, tag_table_is_t is,
               const void *owner, uint32_t none)
{
    for (uint32_t hit = tag_lanes_equal(chunk->tag, tag); hit != 0; hit &= hit - 1) {
        uint32_t value = chunk->value[__builtin_ctz(hit)];
        if (is(owner, value, key))
            return value;
    }
    return none;
}

/* The slow paths in tag_table.c. Almost every key is in its home chunk or absent; these functions
 * continue the search, the insertion and the removal in later chunks. */
uint32_t tag_table_find_on(const tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint64_t key,
                           tag_table_is_t is, const void *owner, uint32_t none);
void tag_table_put_on(tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint16_t value);
void tag_table_take_on(tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint16_t value);

/* The number of a key; `none` if it is absent. */
static inline __attribute__((always_inline)) uint32_t
tag_table_find(const tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint64_t key,
               tag_table_is_t is, const void *owner, uint32_t none)
{
    const tag_chunk_t *home = &table[tag_table_home(tag, chunks)];
    uint32_t value = tag_chunk_find(home, tag, key, is, owner, none);
    if (value != none || home->passed == 0)
        return value;
    return tag_table_find_on(table, chunks, tag, key, is, owner, none);
}

/* Inserts a number into a chunk. false: the chunk is full. */
static inline bool tag_chunk_put(tag_chunk_t *chunk, uint16_t tag, uint16_t value)
{
    uint32_t room = tag_lanes_equal(chunk->tag, 0) & ((1u << TAG_LANES) - 1);
    if (room == 0)
        return false;
    uint32_t i = (uint32_t)__builtin_ctz(room);
    chunk->tag[i] = tag;
    chunk->value[i] = value;
    return true;
}

/* Inserts the number of an absent key; there must be room. */
static inline void tag_table_put(tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint16_t value)
{
    if (!tag_chunk_put(&table[tag_table_home(tag, chunks)], tag, value))
        tag_table_put_on(table, chunks, tag, value);
}

/* Removes a number from a chunk. false: it is not there. */
static inline bool tag_chunk_take(tag_chunk_t *chunk, uint16_t tag, uint16_t value)
{
    uint32_t hit = tag_lanes_equal(chunk->tag, tag);
    while (hit != 0 && chunk->value[__builtin_ctz(hit)] != value)
        hit &= hit - 1;
    if (hit == 0)
        return false;
    chunk->tag[__builtin_ctz(hit)] = 0;
    return true;
}

/* Removes a number that is present with that tag. */
static inline void tag_table_take(tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint16_t value)
{
    if (!tag_chunk_take(&table[tag_table_home(tag, chunks)], tag, value))
        tag_table_take_on(table, chunks, tag, value);
}

#endif
