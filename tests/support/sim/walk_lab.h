/* For tests of what launches find after others that were walked, not simulated: a small chip, runs and walks. */
#ifndef RUBATO_TESTS_WALK_LAB_H
#define RUBATO_TESTS_WALK_LAB_H

#include "sim/gpu/gpu.h"
#include "tests/support/trace/synth.h"

/* Six SMs and 768 KiB of L2; walks (warmup.mode functional). */
gpu_spec_t walk_lab_chip(void);

/* Runs launches: those with n ids, or all from .. to. Returns the last result. */
launch_result_t walk_lab_run(gpu_t *g, trace_source_t *source, const uint64_t *ids, size_t n);
launch_result_t walk_lab_run_all(gpu_t *g, trace_source_t *source, uint64_t from, uint64_t to);

/* Walks what comes before launch `at`. */
launch_touched_t walk_lab_to(gpu_t *g, trace_source_t *source, uint64_t at);

/* Many small launches, three kernels. */
trace_source_t *walk_lab_kmeans(void);

/* What each warp does with a line of its own. */
typedef struct {
    uint64_t base;
    unsigned writes; /* each of other bytes; 0: it reads the line */
} walk_lab_line_t;

/* Adds a launch of blocks of one warp each. `o` must live as long as s. */
void walk_lab_add_lines(synth_t *s, const char *name, const walk_lab_line_t *o, uint32_t blocks);

/* Adds a launch of one warp whose 32 instructions and end lie in four places of a function that are far apart, as in a
 * trace that lists only what is executed. */
void walk_lab_add_jumps(synth_t *s);

#endif
