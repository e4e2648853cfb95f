/*
 * What the index of a native trace file tells a launch sampler: counts of every launch, how uneven
 * its blocks are, and how often its warps execute each basic block. No block is read.
 */
#ifndef RUBATO_RUN_LAUNCH_INDEX_H
#define RUBATO_RUN_LAUNCH_INDEX_H

#include "frontend/input/rbt/rbt_source.h"
#include "sampling/launch/population.h"

/*
 * Lists of pairs of numbers, each kept once: list i has the pairs [begin[i] .. begin[i + 1]).
 */
typedef struct {
    uint64_t n;
    uint64_t *begin;  /* owned; of n + 1 */
    uint32_t *first;  /* owned: of each pair */
    double *second;   /* owned */
    uint32_t *slots;  /* owned: hash table of list + 1 */
    uint64_t n_slots; /* a power of two */
    size_t cap_begin, cap_first, cap_second;
} pair_lists_t;

/* All owned. */
typedef struct {
    double *counter[POP_COUNTERS];
    uint32_t *mix_of;
    uint64_t *warps;
    uint32_t *block_insts;
    pair_lists_t vectors; /* of warp types: basic block, executions */
    pair_lists_t mixes;   /* of launches: vector, warps */
} launch_index_t;

/*
 * Fills x and the columns of pop that it has; pop->n is that of the source. RB_TRACE or RB_IO. x is
 * to be freed in any case.
 */
RB_CHECKED rb_code_t launch_index_read(launch_index_t *x, population_t *pop,
                                       const trace_source_t *source, rb_err_t *err);

/* Harmless on a zeroed x. */
void launch_index_free(launch_index_t *x);

/* Number of a list of n pairs, which is added if it is new. For tests, too. */
uint32_t pair_lists_add(pair_lists_t *l, const uint32_t *first, const double *second, size_t n);
void pair_lists_free(pair_lists_t *l);

#endif
