/*
 * A sampler inside launches that follows a script and records what it is given, for tests of the
 * hooks.
 */
#ifndef RUBATO_TESTS_SCRIPT_SAMPLER_H
#define RUBATO_TESTS_SCRIPT_SAMPLER_H

#include "sim/core/files/sha256.h"
#include "tests/support/sim/lab.h"

typedef struct {
    /* what to do */
    uint64_t decide_at; /* end of this interval (1, 2, ...); 0: never */
    fast_forward_t forward;
    cycle_t hold;        /* cycles per block */
    double added;        /* answer to fast_forward_end */
    uint64_t keep_every; /* outside, block_dispatch skips all but every n-th block; 0: none */
    /* records */
    sha256_t seen;
    uint64_t intervals, warps, blocks, basic_blocks, bb_insts, warp_insts;
    uint64_t last_next, skipped, l2_taken, l2_moved, l2_touched;
    bool in_forward;
} script_t;

/* Its state is a script_t. */
extern const sampler_ops_t script_ops;

/* Runs the single launch of source with the script. */
launch_result_t run_script(const gpu_spec_t *spec, trace_source_t *source, int threads,
                           cycle_t window, script_t *t);

#endif
