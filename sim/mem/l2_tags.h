/*
 * The tags of an L2 slice without time: how an access changes them, and what it costs. For blocks
 * that are not simulated. A copy of a slice's tags can be used while the slice runs.
 */
#ifndef RUBATO_MEM_L2_TAGS_H
#define RUBATO_MEM_L2_TAGS_H

#include "sim/mem/mem_params.h"
#include "sim/parts/cache.h"

/* The effect on a line of an access without time. */
typedef struct {
    uint8_t sectors;       /* touched */
    uint8_t full;          /* writes: all 32 bytes written */
    bool read, write;      /* both: an atomic */
    const uint32_t *bytes; /* borrowed; writes: byte masks of the sectors */
} l2_touch_t;

/* Sectors of an L2 that blocks without time have changed: */
typedef struct {
    uint64_t taken; /* read in, or newly written */
    uint64_t filled, written_back;
    uint64_t modified; /* modified now but not before */
} l2_warmed_t;

typedef struct {
    cache_t *cache;         /* borrowed from the slice, or owned by the holder of a copy */
    uint32_t modified_ways; /* most modified ways of a set */
    uint32_t fill_sectors;
    bool perfect;
} l2_tags_t;

/* Sectors of a mask. */
static inline uint32_t l2_sector_count(uint32_t sectors)
{
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return count[sectors & 15];
}

/* Touches the line at this address of the slice and adds the changes to *sum. Returns how many of
 * its sectors hit, as the slice's statistics count hits. */
uint32_t l2_tags_touch(const l2_tags_t *t, uint64_t line, const l2_touch_t *touch,
                       l2_warmed_t *sum);

/* The aligned group of fill_sectors (1, 2 or 4) that contains a sector. */
static inline uint8_t l2_tags_group(uint32_t fill_sectors, uint32_t sector)
{
    const uint32_t first = sector & ~(fill_sectors - 1);
    return (uint8_t)(((1u << fill_sectors) - 1) << first & 15u);
}

/* Fills complete sectors of a line of the cache. */
void l2_tags_fill(cache_t *c, cache_tag_t *l, uint8_t sectors);

/* Writes bytes of these sectors: all bytes (full) or those of the masks. */
void l2_tags_write(cache_t *c, cache_tag_t *l, uint8_t sectors, uint8_t full,
                   const uint32_t bytes[SECTORS_PER_LINE]);

/* Looks a line up or inserts it, and evicts what must go. *written_back: dirty sectors of the
 * victim. */
cache_tag_t *l2_tags_place(cache_t *c, cache_key_t key, bool *fresh, uint32_t *written_back);

/* Takes the line to write back if the set of key has more than modified_ways modified lines. */
bool l2_tags_excess(cache_t *c, cache_key_t key, uint32_t modified_ways, cache_line_t *line);

#endif
