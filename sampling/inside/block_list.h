/*
 * A list of blocks to simulate, in a file that any tool can write. One entry per line:
 *
 *   17          block 17 of every launch, counted from 0 in the order of dispatch
 *   32-63       blocks 32 to 63
 *   0.25        the block at a quarter of the grid
 *   25%-50%     from a quarter of the grid to its half (excluding the block there)
 *
 * Shares have a point or a '%'. Empty lines and text after a '#' are ignored.
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
    uint64_t digest; /* hash of the entries */
} block_list_t;

/* Blocks [from, to). */
typedef struct {
    uint64_t from, to;
} block_range_t;

/* Reads a file. RB_IO; RB_USAGE, naming file and line. After a failure nothing needs to be
 * freed. */
RB_CHECKED rb_code_t block_list_read(block_list_t *l, const char *path, rb_err_t *err);

/* A zeroed list is allowed. */
void block_list_free(block_list_t *l);

/* The listed blocks of a launch with that many blocks, as *n ascending ranges that neither overlap
 * nor touch; free with free(). NULL: there are none. */
block_range_t *block_list_of(const block_list_t *l, uint64_t blocks, size_t *n);

/* Whether a block is in one of the n ranges. */
bool block_ranges_have(const block_range_t *ranges, size_t n, uint64_t block);

#endif
