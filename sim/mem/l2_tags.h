/*
 * The tags of an L2 without time: how accesses change them, and what that costs. For blocks that
 * are not simulated. Copies of a chip's tags can be used while the chip runs.
 */
#ifndef RUBATO_MEM_L2_TAGS_H
#define RUBATO_MEM_L2_TAGS_H

#include "sim/parts/addr_map.h"
#include "sim/parts/cache/cache.h"

/* The tags of a slice. */
typedef struct {
    cache_t *cache;         /* borrowed from the slice, or owned by the holder of a copy */
    uint32_t modified_ways; /* most modified ways of a set */
    uint32_t fill_sectors;
    uint32_t far_from; /* SMs from this one on are in the second half; UINT32_MAX: there is none */
    uint8_t half;      /* of the chip, that the slice is in */
    bool perfect;
    uint32_t *writes; /* borrowed; by set, counts accesses that write; NULL: they are not counted */
} l2_tags_t;

/* Those of a chip: slice[0 .. map->slices), all of the same shape. */
typedef struct {
    const addr_map_t *map; /* borrowed */
    l2_tags_t *slice;
    /* Set by l2_tags_begin(): */
    bool plain;  /* few ways and LRU, the usual case */
    bool halves; /* reads from the other half leave copies there (l2_slice.h) */
} l2_chip_tags_t;

typedef enum {
    L2_TOUCH_READ,
    L2_TOUCH_WRITE,
    L2_TOUCH_ATOMIC, /* also reductions */
    L2_TOUCH_CODE,   /* a read of instructions */
    L2_TOUCH_KINDS
} l2_touch_kind_t;

/* An access to sectors of a line of 128 bytes. */
typedef struct {
    uint64_t line;
    uint8_t kind;    /* l2_touch_kind_t */
    uint8_t sectors; /* at least one */
    uint8_t full;    /* writes and atomics: sectors of which all bytes are written */
    uint8_t half;    /* of the chip, that reads it */
    uint32_t bytes;  /* if sectors are written in part: number of the byte masks */
} l2_touch_t;

typedef const uint32_t (*l2_masks_t)[SECTORS_PER_LINE];

/* What accesses without time did, in sectors. */
typedef struct {
    uint64_t sectors[L2_TOUCH_KINDS]; /* looked up, */
    uint64_t hits[L2_TOUCH_KINDS];    /* and of these hit, as l2_stats_t counts hits */
    uint64_t taken;                   /* read in, or newly written */
    uint64_t lines;                   /* given a place (a number of lines) */
    uint64_t filled, written_back;
    uint64_t filled_late; /* with an eighth more ways these would be hits */
    uint64_t modified;    /* modified now but not before */
} l2_warmed_t;

/* Call before the first l2_tags_touch(). */
void l2_tags_begin(l2_chip_tags_t *chip);

/* Applies n accesses in order and adds what they did to *sum. */
void l2_tags_touch(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n, l2_masks_t masks,
                   l2_warmed_t *sum);

/* The aligned group of fill_sectors (1, 2 or 4) that contains a sector. */
static inline uint8_t l2_tags_group(uint32_t fill_sectors, uint32_t sector)
{
    const uint32_t first = sector & ~(fill_sectors - 1);
    return (uint8_t)(((1u << fill_sectors) - 1) << first & 15u);
}

/* The aligned groups of fill_sectors that contain any of these sectors. */
static inline uint32_t l2_tags_groups(uint32_t fill_sectors, uint32_t sectors)
{
    const uint32_t even = 5; /* the first sectors of pairs */
    if (fill_sectors == 1 || sectors == 0)
        return sectors;
    return fill_sectors == 2 ? sectors | (sectors & even) << 1 | (sectors >> 1 & even) : 15;
}

/* The key of a line's copy in the other half of the chip. */
cache_key_t l2_tags_copy_key(const cache_t *c, cache_key_t key);

/* The sectors that the copy of a line has. */
uint8_t l2_tags_copy_has(cache_t *c, cache_key_t key);

/*
 * Says which lines of the cache at that place of a list a launch would not use if it found the cache as it is: those
 * that only the other half reads (l2_tags_touch() marks them), if the copy there has their sectors. unused: of all
 * tags of the list. The place then is that of the next cache. Returns how many there are.
 */
size_t l2_tags_unused(cache_t *c, cache_lines_at_t *at, bool *unused);

/* Takes sectors, which are written, out of the copy of a line. */
void l2_tags_copy_drop(cache_t *c, cache_key_t key, uint8_t sectors);

/* Takes the line to write back if the set of key has more than modified_ways modified lines. */
static inline bool l2_tags_excess(cache_t *c, cache_key_t key, uint32_t modified_ways,
                                  cache_line_t *line)
{
    return cache_modified(c, key) > modified_ways && cache_clean_oldest(c, key, line);
}

#endif
