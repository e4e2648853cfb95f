/* Programs and runs for tests of samplers inside launches. */
#ifndef RUBATO_TESTS_INSIDE_LAB_H
#define RUBATO_TESTS_INSIDE_LAB_H

#include "tests/support/sim/lab.h"

/* A chip of four SMs. */
#define SMALL                                                                                      \
    "sm.count=4", "mem.partitions=4", "l2.slices=4", "l2.size=768KiB", "gpu.launch_latency=700"

/* All blocks of a compute kernel behave alike. */
#define EVEN SMALL, "icache.perfect=true", "const.perfect=true"

enum { WORK_CHAIN = 200 };

/* Number of passes of a block's warps over a loop of WORK_CHAIN dependent instructions and a
 * branch. */
typedef struct {
    uint64_t blocks;    /* of the launch */
    unsigned loops;     /* passes, if not irregular; 0: one */
    unsigned irregular; /* passes are 1 .. this, at random; 0: not */
    bool growing;       /* irregular: more and more, not at random */
    unsigned rare;      /* of this many blocks, one passes rare_loops times instead; 0: none */
    unsigned rare_loops;
} work_t;

/* w: borrowed by the program. */
synth_t *work_program(const work_t *w, uint32_t threads, uint32_t shared);

/* Number of passes of a block over the loop. */
unsigned work_passes(const work_t *w, uint64_t block);

/* Blocks of four warps that stream through DRAM: no two take the same time. */
synth_t *stream_program(const gpu_spec_t *spec, uint32_t blocks);

/* Runs a source with one launch and the samplers of a list, separated by blanks ("": none). */
void run_sampled_into(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                      const char *samplers, lab_results_t *results);
launch_result_t run_sampled_source(const gpu_spec_t *spec, trace_source_t *source, int threads,
                                   cycle_t window, const char *samplers);
launch_result_t run_sampled(const gpu_spec_t *spec, synth_t *s, int threads, cycle_t window,
                            const char *samplers);

/* Relative error of the cycles. */
double relative_error(const launch_result_t *got, const launch_result_t *want);

#endif
