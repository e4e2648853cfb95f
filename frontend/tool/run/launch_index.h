/*
 * The information in the index of a native trace file for launch samplers: counts per launch, the
 * variation between its blocks, and how often its warps execute each basic block. No block is
 * read.
 */
#ifndef RUBATO_RUN_LAUNCH_INDEX_H
#define RUBATO_RUN_LAUNCH_INDEX_H

#include "frontend/input/rbt/read/rbt_source.h"
#include "sampling/plan/population.h"
#include "sim/core/hash_map.h"

/* Distinct lists of pairs of numbers: list i has the pairs [begin[i] .. begin[i + 1]). */
typedef struct {
    uint64_t n;
    uint64_t *begin; /* owned; n + 1 entries */
    uint32_t *first; /* owned; one per pair */
    double *second;  /* owned */
    hash_map_t map;
    size_t cap_begin, cap_first, cap_second;
} pair_lists_t;

/* All pointers are owned. */
typedef struct {
    double *counter[POP_COUNTERS], *fact[POP_FACTS];
    uint32_t *mix_of, *head_of, *spread_of;
    uint64_t *warps;
    uint32_t *block_insts;
    pair_lists_t vectors; /* one per warp type: basic block, executions */
    pair_lists_t mixes;   /* one per launch: vector, warps */
    pair_lists_t orders;  /* two per launch, in the order of its warps: vector, successive warps */
} launch_index_t;

/*
 * Fills in *x and the columns of pop that the index provides; pop->n is that of the source.
 * RB_TRACE or RB_IO. The caller frees x, also after an error.
 */
RB_CHECKED rb_code_t launch_index_read(launch_index_t *x, population_t *pop,
                                       const trace_source_t *source, rb_err_t *err);

/* Does nothing for a zeroed x. */
void launch_index_free(launch_index_t *x);

/* Number of a list of n pairs; adds it if it is new. Public for tests. */
uint32_t pair_lists_add(pair_lists_t *l, const uint32_t *first, const double *second, size_t n);
void pair_lists_free(pair_lists_t *l);

#endif
