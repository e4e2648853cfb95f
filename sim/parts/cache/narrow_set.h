/*
 * A set of a cache with up to 64 ways. All that is needed to find a line and to choose a victim is
 * contiguous; with 24 ways it fits one line of the host's cache. A lookup compares eight bits of
 * the tags of all ways at once; the owner checks whether a matching way really holds the line. The
 * order of use is an array of ways.
 */
#ifndef RUBATO_PARTS_NARROW_SET_H
#define RUBATO_PARTS_NARROW_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

enum { NARROW_WAYS = 64 /* at most */, NARROW_ALIGN = 64, NARROW_LANES = 16 };

/* Ways [0, count) hold lines. */
typedef struct {
    uint64_t modified; /* bit per way */
    uint8_t count;
    uint8_t clock;      /* the newest stamp so far */
    uint8_t evicted[6]; /* tags of the last lines that were noted, the newest first */
    uint8_t
        lane[]; /* 8-bit tags of the ways, then their stamps: different, the least for the oldest
                     */
} narrow_set_t;

/* When the clock has ended, the ways get the stamps from this one on. There is room below it for
 * ways that are made the oldest. */
enum { NARROW_RESTART = 96 };

_Static_assert(sizeof(narrow_set_t) + 2 * 24 == NARROW_ALIGN,
               "24 ways fit one line of the host's cache");

static inline size_t narrow_set_bytes(uint32_t ways)
{
    size_t bytes = sizeof(narrow_set_t) + 2 * (size_t)ways;
    return (bytes + NARROW_ALIGN - 1) / NARROW_ALIGN * NARROW_ALIGN;
}

/* Bit i is set if lane[i] == value (a byte), for NARROW_LANES bytes. The multiplication keeps the
 * compiler from passing the byte through memory, where a wider read of it stalls the processor. */
static inline uint32_t narrow_lanes_equal(const uint8_t *lane, uint32_t value)
{
#ifdef __SSE4_1__
    const __m128i all = _mm_loadu_si128((const __m128i *)(const void *)lane);
    const __m128i wanted = _mm_set1_epi64x((long long)(value * UINT64_C(0x0101010101010101)));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, wanted));
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < NARROW_LANES; i++)
        bits |= (uint32_t)(lane[i] == value) << i;
    return bits;
#endif
}

/* A mask of the lowest count bits. */
static inline uint64_t narrow_mask(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Bit i is set if lane[i] == value, for the first count of `ways` bytes. With fewer than
 * NARROW_LANES ways, reading NARROW_LANES bytes stays inside the set. */
static inline uint64_t narrow_equal(const uint8_t *lane, uint32_t ways, uint32_t count,
                                    uint32_t value)
{
    uint64_t bits = narrow_lanes_equal(lane, value);
    if (ways > NARROW_LANES)
        bits |= (uint64_t)narrow_lanes_equal(lane + ways - NARROW_LANES, value)
                << (ways - NARROW_LANES);
    for (uint32_t i = NARROW_LANES; i + NARROW_LANES < ways; i += NARROW_LANES)
        bits |= (uint64_t)narrow_lanes_equal(lane + i, value) << i;
    return bits & narrow_mask(count);
}

/* Bit mask of the ways that may hold a line with that tag. */
static inline uint64_t narrow_find(const narrow_set_t *s, uint32_t ways, uint32_t tag)
{
    return narrow_equal(s->lane, ways, s->count, tag);
}

static inline uint8_t *narrow_stamps(narrow_set_t *s, uint32_t ways)
{
    return s->lane + ways;
}

#ifdef __SSE4_1__
/* The stamps from `at` on; those of no way are the greatest. */
static inline __m128i narrow_stamps_at(const uint8_t *stamp, uint32_t ways, uint32_t at)
{
    const __m128i lane = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(stamp + at));
    if (ways >= NARROW_LANES)
        return v;
    return _mm_or_si128(v, _mm_cmpgt_epi8(lane, _mm_set1_epi8((char)(ways - 1))));
}
#endif

/* The least stamp of a full set. */
static inline uint32_t narrow_least(const uint8_t *stamp, uint32_t ways)
{
#ifdef __SSE4_1__
    __m128i least = narrow_stamps_at(stamp, ways, 0);
    if (ways > NARROW_LANES)
        least = _mm_min_epu8(least, narrow_stamps_at(stamp, ways, ways - NARROW_LANES));
    for (uint32_t i = NARROW_LANES; i + NARROW_LANES < ways; i += NARROW_LANES)
        least = _mm_min_epu8(least, narrow_stamps_at(stamp, ways, i));
    const __m128i pairs = _mm_min_epu8(least, _mm_srli_epi16(least, 8)); /* in the low bytes */
    const __m128i words = _mm_and_si128(pairs, _mm_set1_epi16(255));
    return (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(words)) & 255;
#else
    uint32_t least = stamp[0];
    for (uint32_t i = 1; i < ways; i++)
        least = stamp[i] < least ? stamp[i] : least;
    return least;
#endif
}

/* The least recently used way of a full set. */
static inline uint32_t narrow_oldest(narrow_set_t *s, uint32_t ways)
{
    const uint8_t *stamp = narrow_stamps(s, ways);
    return (uint32_t)__builtin_ctzll(narrow_equal(stamp, ways, ways, narrow_least(stamp, ways)));
}

/* Gives the ways new stamps in the same order. */
void narrow_restart(narrow_set_t *s, uint32_t ways);

/* Makes a way the newest. */
static inline void narrow_touch(narrow_set_t *s, uint32_t ways, uint32_t way)
{
    uint8_t *stamp = narrow_stamps(s, ways);
    if (s->clock == UINT8_MAX)
        narrow_restart(s, ways);
    stamp[way] = ++s->clock;
}

/* Makes the oldest way of a full set the newest and returns it. */
static inline uint32_t narrow_renew_oldest(narrow_set_t *s, uint32_t ways)
{
    const uint32_t way = narrow_oldest(s, ways);
    narrow_touch(s, ways, way);
    return way;
}

/* Notes the 8-bit tag of a line that was evicted. */
static inline void narrow_note_evicted(narrow_set_t *s, uint32_t tag)
{
    memmove(s->evicted + 1, s->evicted, sizeof(s->evicted) - 1);
    s->evicted[0] = (uint8_t)tag;
}

static inline void narrow_forget_evicted(narrow_set_t *s)
{
    memset(s->evicted, 0, sizeof(s->evicted));
}

/* Whether a line with that tag was noted recently: with an eighth more ways, it would still be there. */
static inline bool narrow_just_evicted(const narrow_set_t *s, uint32_t ways, uint32_t tag)
{
    bool found = false;
    for (uint32_t i = 0; i < ways / 8 && i < sizeof(s->evicted); i++)
        found = found || s->evicted[i] == (uint8_t)tag;
    return found;
}

/* Makes a way the oldest. */
void narrow_age(narrow_set_t *s, uint32_t ways, uint32_t way);

/* Adds a line in the next empty way and makes it the newest. The set must not be full. */
static inline uint32_t narrow_add(narrow_set_t *s, uint32_t ways)
{
    const uint32_t way = s->count;
    narrow_touch(s, ways, way); /* before it counts, because it has no stamp yet */
    s->count++;
    return way;
}

/* The least recently used modified way; there must be one. */
uint32_t narrow_oldest_modified(narrow_set_t *s, uint32_t ways);

/* The most recently used way among those used before another one; before: that one, or ways for
 * the first. There must be one. */
uint32_t narrow_used_before(narrow_set_t *s, uint32_t ways, uint32_t before);

/* The ways that hold lines, the most recently used first. */
void narrow_order(const narrow_set_t *s, uint32_t ways, uint8_t *order);

#endif
