/* Basic blocks of a launch, numbered from 0 in the order in which they are met. */
#ifndef RUBATO_BB_TABLE_H
#define RUBATO_BB_TABLE_H

#include <stddef.h>

#include "sim/gpu/trace_source.h"

/* code: owned copies of the first known instructions. */
typedef struct {
    uint32_t pc, n_insts, known;
    inst_t *code;
} bb_entry_t;

typedef struct {
    bb_entry_t *bbs; /* owned */
    size_t n, cap;
    uint32_t *slots; /* owned: number + 1 by hash; 0: free */
    size_t n_slots;
} bb_table_t;

/* Number of a basic block; BB_NONE: it is not in the table. */
enum { BB_NONE = -1 };
int64_t bb_table_find(const bb_table_t *t, uint32_t pc, uint32_t n_insts);

/* The same, added if need be. */
uint32_t bb_table_add(bb_table_t *t, const basic_block_t *b);

/* Harmless on a zeroed table. */
void bb_table_free(bb_table_t *t);

#endif
