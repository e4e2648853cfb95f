/*
 * A set of a cache with many ways: a hash table (tag_table.h) finds the way of a line, and the ways
 * are linked in order of use, so the host time does not depend on the associativity.
 */
#ifndef RUBATO_PARTS_WIDE_SET_H
#define RUBATO_PARTS_WIDE_SET_H

#include <stdint.h>

#include "sim/parts/cache/tag_table.h"

enum { WIDE_NONE = UINT16_MAX };

/* A way: its tag and its neighbours in the order of use. The order is a ring in which the newest is
 * followed by the oldest, so replacing the oldest needs no relinking. */
typedef struct {
    uint64_t tag; /* the owner's tag; first member, so that a pointer to it is a pointer to the
                   * way */
    uint16_t newer, older;
    uint32_t unused;
} wide_way_t;

/* Ways [0, count) of a set hold its lines. */
typedef struct {
    uint16_t newest, oldest;
    uint16_t count;
    uint16_t modified; /* how many of them are modified */
} wide_set_t;

static inline wide_set_t wide_empty(void)
{
    return (wide_set_t){.newest = WIDE_NONE, .oldest = WIDE_NONE};
}

/* Links a way between the newest and the oldest. The caller then makes it the newest or the oldest.
 * ways points to way 0 of the set. */
static inline void wide_link(wide_set_t *s, wide_way_t *ways, uint32_t way)
{
    const uint16_t w = (uint16_t)way;
    if (s->newest == WIDE_NONE) {
        ways[w].newer = ways[w].older = w;
        s->newest = s->oldest = w;
        return;
    }
    ways[w].newer = s->oldest;
    ways[w].older = s->newest;
    ways[s->newest].newer = w;
    ways[s->oldest].older = w;
}

/* Unlinks a way that is neither the newest nor the oldest. */
static inline void wide_unlink(wide_way_t *ways, uint32_t way)
{
    ways[ways[way].newer].older = ways[way].older;
    ways[ways[way].older].newer = ways[way].newer;
}

/* Makes a linked way the newest. */
static inline void wide_touch(wide_set_t *s, wide_way_t *ways, uint32_t way)
{
    if (way == s->newest)
        return;
    if (way == s->oldest) {
        s->oldest = ways[way].newer;
    } else {
        wide_unlink(ways, way);
        wide_link(s, ways, way);
    }
    s->newest = (uint16_t)way;
}

/* Makes a linked way the oldest. */
static inline void wide_age(wide_set_t *s, wide_way_t *ways, uint32_t way)
{
    if (way == s->oldest)
        return;
    if (way == s->newest) {
        s->newest = ways[way].older;
    } else {
        wide_unlink(ways, way);
        wide_link(s, ways, way);
    }
    s->oldest = (uint16_t)way;
}

/* Makes the oldest way the newest and returns it. */
static inline uint32_t wide_renew_oldest(wide_set_t *s, const wide_way_t *ways)
{
    uint16_t way = s->oldest;
    s->oldest = ways[way].newer;
    s->newest = way;
    return way;
}

/* Adds a line in the next empty way and makes it the newest. The set must not be full. */
static inline uint32_t wide_add(wide_set_t *s, wide_way_t *ways)
{
    uint32_t way = s->count++;
    wide_link(s, ways, way);
    s->newest = (uint16_t)way;
    return way;
}

#endif
