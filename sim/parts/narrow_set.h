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

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { NARROW_WAYS = 64 /* at most */, NARROW_ALIGN = 64, NARROW_LANES = 16 };

/* Ways [0, count) hold lines. */
typedef struct {
    uint64_t modified; /* bit per way */
    uint8_t count;
    uint8_t unused[7];
    uint8_t lane[]; /* 8-bit tags of the ways, then the ways from newest to oldest */
} narrow_set_t;

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
#ifdef __SSE2__
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

static inline uint8_t *narrow_order(narrow_set_t *s, uint32_t ways)
{
    return s->lane + ways;
}

/* The least recently used way of a full set. */
static inline uint32_t narrow_oldest(narrow_set_t *s, uint32_t ways)
{
    return narrow_order(s, ways)[ways - 1];
}

#ifdef __SSE2__
/* The 16 ways from place `at` of an order of use on, after the one at `place` has moved to the
 * front; places before `at` must exist or be overwritten later. */
static inline __m128i narrow_shifted(const uint8_t *order, uint32_t at, uint32_t place)
{
    const __m128i lane = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m128i moves = _mm_cmplt_epi8(lane, _mm_set1_epi8((char)(place + 1 - at)));
    const __m128i now = _mm_loadu_si128((const __m128i *)(const void *)(order + at));
    const __m128i before = _mm_loadu_si128((const __m128i *)(const void *)(order + at - 1));
    return _mm_or_si128(_mm_and_si128(moves, before), _mm_andnot_si128(moves, now));
}
#endif

/* Moves the ways before a place of the order one place back, over it. As in narrow_equal(), 16
 * bytes of the order can be read and written in any set of at most 32 ways. */
static inline void narrow_shift(uint8_t *order, uint32_t ways, uint32_t place)
{
#ifdef __SSE2__
    if (ways <= 2 * NARROW_LANES) {
        const uint32_t at = ways > NARROW_LANES ? ways - NARROW_LANES : 0;
        const __m128i first = narrow_shifted(order, 0, place);
        const __m128i last = narrow_shifted(order, at, place);
        _mm_storeu_si128((__m128i *)(void *)order, first);
        _mm_storeu_si128((__m128i *)(void *)(order + at), last);
        return;
    }
#endif
    (void)ways;
    memmove(order + 1, order, place);
}

/* Moves the way at a place of the order to its front. */
static inline void narrow_to_front(narrow_set_t *s, uint32_t ways, uint32_t place, uint32_t way)
{
    uint8_t *order = narrow_order(s, ways);
    narrow_shift(order, ways, place);
    order[0] = (uint8_t)way;
}

/* Makes a way the newest. */
static inline void narrow_touch(narrow_set_t *s, uint32_t ways, uint32_t way)
{
    const uint8_t *order = narrow_order(s, ways);
    if (order[0] == way)
        return;
    uint64_t place = narrow_equal(order, ways, s->count, way);
    narrow_to_front(s, ways, (uint32_t)__builtin_ctzll(place), way);
}

/* Makes the oldest way of a full set the newest and returns it. */
static inline uint32_t narrow_renew_oldest(narrow_set_t *s, uint32_t ways)
{
    uint32_t way = narrow_oldest(s, ways);
    narrow_to_front(s, ways, ways - 1, way);
    return way;
}

/* Makes a way the oldest. */
static inline void narrow_age(narrow_set_t *s, uint32_t ways, uint32_t way)
{
    uint8_t *order = narrow_order(s, ways);
    uint64_t found = narrow_equal(order, ways, s->count, way);
    uint32_t place = (uint32_t)__builtin_ctzll(found);
    memmove(order + place, order + place + 1, s->count - 1 - place);
    order[s->count - 1] = (uint8_t)way;
}

/* Adds a line in the next empty way and makes it the newest. The set must not be full. */
static inline uint32_t narrow_add(narrow_set_t *s, uint32_t ways)
{
    uint32_t way = s->count++;
    narrow_to_front(s, ways, way, way);
    return way;
}

/* The least recently used modified way; there must be one. */
static inline uint32_t narrow_oldest_modified(narrow_set_t *s, uint32_t ways)
{
    const uint8_t *order = narrow_order(s, ways);
    uint32_t place = s->count - 1u;
    while (!(s->modified >> order[place] & 1))
        place--;
    return order[place];
}

#endif
