/* The basic blocks of a launch, numbered from 0 in order of appearance. */
#ifndef RUBATO_BB_TABLE_H
#define RUBATO_BB_TABLE_H

#include <stddef.h>

#include "sim/core/hash_map.h"
#include "sim/gpu/source/trace_source.h"

/* code: owned; copies of the first `known` instructions. */
typedef struct {
    uint32_t pc, n_insts, known;
    inst_t *code;
} bb_entry_t;

typedef struct {
    bb_entry_t *bbs; /* owned */
    size_t n, cap;
    hash_map_t map;
} bb_table_t;

/* Number of a basic block; BB_NONE if it is not in the table. */
enum { BB_NONE = -1 };
int64_t bb_table_find(const bb_table_t *t, uint32_t pc, uint32_t n_insts);

/* The same, but adds a missing one. */
uint32_t bb_table_add(bb_table_t *t, const basic_block_t *b);

/* A zeroed table is allowed. */
void bb_table_free(bb_table_t *t);

#endif
