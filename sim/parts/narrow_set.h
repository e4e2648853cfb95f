/*
 * A set of a cache with few ways: what is needed to find a line and to choose which one goes stands
 * together, for 24 ways in one line of the host's cache. A way is found by eight bits of its line,
 * compared for all ways at once; whether it really holds the line is the owner's to say. The order
 * of use is a list of ways.
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
    uint8_t lane[]; /* tags of the ways, then the ways from newest to oldest */
} narrow_set_t;

_Static_assert(sizeof(narrow_set_t) + 2 * 24 == NARROW_ALIGN, "24 ways: a line of the host's");

static inline size_t narrow_set_bytes(uint32_t ways)
{
    size_t bytes = sizeof(narrow_set_t) + 2 * (size_t)ways;
    return (bytes + NARROW_ALIGN - 1) / NARROW_ALIGN * NARROW_ALIGN;
}

/* Bit i: lane[i] is value; of NARROW_LANES bytes. */
static inline uint32_t narrow_lanes_equal(const uint8_t *lane, uint8_t value)
{
#ifdef __SSE2__
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)lane);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)value)));
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < NARROW_LANES; i++)
        bits |= (uint32_t)(lane[i] == value) << i;
    return bits;
#endif
}

/* The first count bits. */
static inline uint64_t narrow_mask(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Bit i: lane[i] is value; of count bytes that are part of ways. Fewer than NARROW_LANES ways are
 * followed by bytes enough to be read with them. */
static inline uint64_t narrow_equal(const uint8_t *lane, uint32_t ways, uint32_t count,
                                    uint8_t value)
{
    uint64_t bits = narrow_lanes_equal(lane, value);
    for (uint32_t i = NARROW_LANES; i < ways; i += NARROW_LANES) {
        uint32_t at = i + NARROW_LANES <= ways ? i : ways - NARROW_LANES;
        bits |= (uint64_t)narrow_lanes_equal(lane + at, value) << at;
    }
    return bits & narrow_mask(count);
}

/* Bit per way: it may hold a line with that tag. */
static inline uint64_t narrow_find(const narrow_set_t *s, uint32_t ways, uint8_t tag)
{
    return narrow_equal(s->lane, ways, s->count, tag);
}

static inline uint8_t *narrow_order(narrow_set_t *s, uint32_t ways)
{
    return s->lane + ways;
}

/* The way used longest ago of a set in which all hold lines. */
static inline uint32_t narrow_oldest(narrow_set_t *s, uint32_t ways)
{
    return narrow_order(s, ways)[ways - 1];
}

/* The way at place of the order goes to its front. */
static inline void narrow_to_front(narrow_set_t *s, uint32_t ways, uint32_t place, uint32_t way)
{
    uint8_t *order = narrow_order(s, ways);
    memmove(order + 1, order, place);
    order[0] = (uint8_t)way;
}

/* A way is used. */
static inline void narrow_touch(narrow_set_t *s, uint32_t ways, uint32_t way)
{
    const uint8_t *order = narrow_order(s, ways);
    if (order[0] == way)
        return;
    uint64_t place = narrow_equal(order, ways, s->count, (uint8_t)way);
    narrow_to_front(s, ways, (uint32_t)__builtin_ctzll(place), way);
}

/* The oldest way of a set in which all hold lines becomes the newest. Returns it. */
static inline uint32_t narrow_renew_oldest(narrow_set_t *s, uint32_t ways)
{
    uint32_t way = narrow_oldest(s, ways);
    narrow_to_front(s, ways, ways - 1, way);
    return way;
}

/* A way becomes the oldest. */
static inline void narrow_age(narrow_set_t *s, uint32_t ways, uint32_t way)
{
    uint8_t *order = narrow_order(s, ways);
    uint64_t found = narrow_equal(order, ways, s->count, (uint8_t)way);
    uint32_t place = (uint32_t)__builtin_ctzll(found);
    memmove(order + place, order + place + 1, s->count - 1 - place);
    order[s->count - 1] = (uint8_t)way;
}

/* One more way holds a line, the newest. There must be one that holds none. */
static inline uint32_t narrow_add(narrow_set_t *s, uint32_t ways)
{
    uint32_t way = s->count++;
    narrow_to_front(s, ways, way, way);
    return way;
}

/* The modified way that was used longest ago; there must be one. */
static inline uint32_t narrow_oldest_modified(narrow_set_t *s, uint32_t ways)
{
    const uint8_t *order = narrow_order(s, ways);
    uint32_t place = s->count - 1u;
    while (!(s->modified >> order[place] & 1))
        place--;
    return order[place];
}

#endif
