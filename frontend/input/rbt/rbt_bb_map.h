/*
 * The basic blocks of a kernel by the instructions they execute. Cuts a decoded warp into basic
 * blocks as the writer did, to compare it with the index. Blocks with the same first instruction
 * and length count as one: they differ in texts that share a pc.
 */
#ifndef RUBATO_RBT_BB_MAP_H
#define RUBATO_RBT_BB_MAP_H

#include "frontend/input/rbt/rbt_code.h"
#include "sim/core/hash_map.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    const rbt_code_t *code; /* borrowed */
    hash_map_t map;         /* basic blocks by first instruction and length */
    uint64_t *counts;       /* owned: executions by basic block, all 0 between calls */
} rbt_bb_map_t;

void rbt_bb_map_init(rbt_bb_map_t *m, const rbt_code_t *code);
void rbt_bb_map_free(rbt_bb_map_t *m);

/* Whether the warp executes exactly these basic blocks of the kernel, each this many times. */
bool rbt_bb_map_agrees(rbt_bb_map_t *m, warp_stream_t *warp, const bb_count_t *counts, size_t n);

#endif
