/* Counts per instruction of one launch. */
#ifndef RUBATO_GPU_LAUNCH_INSTS_H
#define RUBATO_GPU_LAUNCH_INSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/mem/mem_stats.h"
#include "sim/sm/inst_counts.h"

typedef struct {
    uint32_t pc;
    uint16_t opcode;  /* isa_opcode_t */
    uint8_t cls;      /* op_class_t */
    uint32_t line;    /* of the source; 0: unknown */
    const char *text; /* as inst_listing_text() gives it; NULL: unknown */
    const char *file; /* of line; NULL or "": unknown */
    inst_counts_t counts;
} launch_inst_t;

/* Cycles of warps that waited at one instruction for the result or the sources of another one. */
typedef struct {
    uint32_t inst, other; /* indices in launch_insts_t.list */
    bool longer;          /* long_scoreboard, not short_scoreboard */
    uint64_t cycles;
} launch_wait_t;

/* If a part of the launch was left out, these are the counts of the rest. */
typedef struct {
    launch_inst_t *list; /* n, by pc; then one more: what belongs to no instruction */
    size_t n;
    launch_wait_t *waits; /* by inst, longer and other; other n: unknown */
    size_t n_waits;
    inst_counts_t
        total; /* of the simulated part, from its counters: the sum of list[0 .. n], except
                          * results and result_cycles */
} launch_insts_t;

/* The sums over all instructions that follow from the counters of a launch; results and
 * result_cycles are 0. */
void launch_insts_total(const sm_stats_t *sm, const l2_stats_t *l2, inst_counts_t *out);

#endif
