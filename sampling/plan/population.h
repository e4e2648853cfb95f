/*
 * The input of a launch sampler: the launches of a program, one row each, as columns.
 *
 * It is filled from a profile or a trace's index; unknown columns are NULL. Columns are borrowed:
 * their owner must keep them as long as the population.
 */
#ifndef RUBATO_POPULATION_H
#define RUBATO_POPULATION_H

#include <stdint.h>

/* Counters of a launch that some methods use; each is a column of n values. */
typedef enum {
    POP_WARP_INSTS,   /* warp instructions */
    POP_THREAD_INSTS, /* thread instructions */
    POP_REQUESTS,     /* global and local memory requests of 128 bytes */
    POP_GLOBAL_LD_SECTORS,
    POP_GLOBAL_ST_SECTORS,
    POP_LOCAL_LD_SECTORS,
    POP_GLOBAL_LD_INSTS,
    POP_GLOBAL_ST_INSTS,
    POP_LOCAL_LD_INSTS,
    POP_SHARED_LD_INSTS,
    POP_SHARED_ST_INSTS,
    POP_GLOBAL_ATOMICS,
    POP_BLOCK_COV, /* coefficient of variation of the blocks' thread instructions */
    POP_COUNTERS,
} pop_counter_t;

/* More of what the index of a trace knows about a launch; each is a column of n values. (Apart from
 * pop_counter_t because plugins know that by number.) */
typedef enum {
    POP_GLOBAL_SECTORS, /* 32-byte sectors of global memory, loads, stores and atomics */
    POP_LOCAL_SECTORS,
    POP_ATOMICS,      /* atomics and reductions in any space */
    POP_MEMORY_INSTS, /* warp instructions that access memory, of any space */
    POP_TENSOR_INSTS,
    POP_SLOW_INSTS,   /* warp instructions of double precision and special functions */
    POP_COPIED_BYTES, /* copied by the host just before the launch */
    POP_FACTS,
} pop_fact_t;

enum { POP_SEQUENCE_WARPS = 1024, POP_SEQUENCE_EVERY = 100 };

typedef struct {
    uint64_t n; /* launches; row i is launch id i + 1 if id is NULL */

    const uint64_t *id;       /* NULL: 1 .. n */
    const uint32_t *name;     /* row -> index in names */
    const char *const *names; /* kernel names as in the source */
    uint32_t n_names;

    const double *time; /* duration: nanoseconds, or core cycles if time_is_cycles */
    int time_is_cycles;
    const uint32_t (*grid)[3], (*block)[3];
    const double *counter[POP_COUNTERS]; /* by pop_counter_t */
    const double *fact[POP_FACTS];       /* by pop_fact_t */
    const double *predicted; /* cycles of each launch, as a model of equations predicts them, */
    double launch_latency;   /* the part of them that all share */
    const double *extra; /* cycles that a launch may take longer than others with these counts */

    /* Basic-block vectors, sparse and without duplicates: row i has vector bbv_of[i]; vector v has
     * the pairs bbv_block/bbv_count[bbv_begin[v] .. bbv_begin[v + 1]): basic block and number of
     * executions. */
    const uint32_t *bbv_of;
    uint64_t n_bbvs;
    const uint64_t *bbv_begin;
    const uint32_t *bbv_block;
    const double *bbv_count;
    const uint64_t *bbv_warps; /* row -> warps of the launch */

    /* If warp types are known, a vector is that of one warp of a type, and a launch is a mix of
     * types: row i has mix mix_of[i]; mix x has the pairs mix_bbv/mix_warps[mix_begin[x] ..
     * mix_begin[x + 1]): vector and number of warps. bbv_of may then be NULL. */
    const uint32_t *mix_of;
    uint64_t n_mixes;
    const uint64_t *mix_begin;
    const uint32_t *mix_bbv;
    const double *mix_warps;

    /* In which order warps come, NULL: unknown. Row i begins with the warps of sequence head_of[i], at
     * most the first POP_SEQUENCE_WARPS; those of every POP_SEQUENCE_EVERY-th block are sequence
     * spread_of[i], at most as many. Sequence s has the runs sequence_bbv/sequence_run[sequence_begin[s]
     * .. sequence_begin[s + 1]): vector and number of successive warps with it. */
    const uint32_t *head_of, *spread_of;
    const uint64_t *sequence_begin;
    const uint32_t *sequence_bbv;
    const double *sequence_run;

    uint64_t chip_warps; /* warps that the GPU to be simulated holds at once; 0: unknown */

    uint32_t n_blocks;           /* number of basic blocks; bbv_block is below it; 0: unknown */
    const uint32_t *block_insts; /* block -> instructions; NULL: counts are in instructions */
} population_t;

#endif
