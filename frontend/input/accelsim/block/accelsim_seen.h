/*
 * The set of block numbers met so far in a launch. Headers may declare grids of 2^40 blocks, so
 * memory is proportional to the blocks in the trace: at most a byte per block for a whole grid.
 */
#ifndef RUBATO_ACCELSIM_SEEN_H
#define RUBATO_ACCELSIM_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/hash_map.h"

/* One bit for each of 64 consecutive numbers. */
typedef struct {
    uint64_t place; /* number / 64 */
    uint64_t bits;
} seen_word_t;

/* Initialise with zeros. */
typedef struct {
    hash_map_t map;     /* words by place */
    seen_word_t *words; /* owned */
    size_t n, cap;
} accelsim_seen_t;

/* Adds a number; false if it was already there. */
bool accelsim_seen_add(accelsim_seen_t *s, uint64_t number);

void accelsim_seen_free(accelsim_seen_t *s);

#endif
