/*
 * A list of blocks to be simulated, from a file that any tool may write. One entry a line:
 *
 *   17          block 17 of every launch, from 0 in the order of dispatch
 *   32-63       blocks 32 to 63
 *   0.25        the block at a quarter of the grid
 *   25%-50%     from a quarter of the grid up to its half (without the block there)
 *
 * Shares have a point or a '%'. Blank lines and what follows a '#' are left out.
 */
#ifndef RUBATO_BLOCK_LIST_H
#define RUBATO_BLOCK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    struct block_entry *entries; /* owned */
    size_t n;
    uint64_t digest; /* of the entries */
} block_list_t;

/* Blocks [from, to). */
typedef struct {
    uint64_t from, to;
} block_range_t;

/* Reads a file. RB_IO; RB_USAGE, naming file and line. Nothing is to be freed after a failure. */
RB_CHECKED rb_code_t block_list_read(block_list_t *l, const char *path, rb_err_t *err);

/* Harmless on a zeroed list. */
void block_list_free(block_list_t *l);

/*
 * The blocks of a launch of so many blocks that are on the list, as ranges that neither overlap nor
 * touch, ascending; to be freed, *n of them. NULL: there is none.
 */
block_range_t *block_list_of(const block_list_t *l, uint64_t blocks, size_t *n);

/* Whether a block is in one of the ranges. */
bool block_ranges_have(const block_range_t *ranges, size_t n, uint64_t block);

#endif
