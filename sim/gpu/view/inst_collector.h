/* Collects the counts per instruction of launches from the tables of all threads. A launch is known by its
 * index among those on the chip (launch_ctx_t). */
#ifndef RUBATO_GPU_INST_COLLECTOR_H
#define RUBATO_GPU_INST_COLLECTOR_H

#include "sim/gpu/launch_result.h"
#include "sim/gpu/source/trace_source.h"
#include "sim/gpu/view/launch_insts.h"
#include "sim/sm/inst_table.h"

typedef struct inst_collector inst_collector_t;

inst_collector_t *inst_collector_create(int threads, uint32_t launches);
void inst_collector_destroy(inst_collector_t *c);

/* For sm_profile(); NULL for NULL. */
inst_table_t *const *inst_collector_tables(const inst_collector_t *c);

/* A launch begins: all counts are 0. */
void inst_collector_begin(inst_collector_t *c, uint32_t launch);

/* The launch has ended, but is still open; none of its blocks is being decoded. */
void inst_collector_describe(inst_collector_t *c, uint32_t index, const trace_source_t *source,
                             trace_launch_t *launch);

/* The counts of a launch that was described, all of which are charged, without total; for
 * inst_collector_release(). c may be NULL: nothing. */
launch_insts_t inst_collector_take(inst_collector_t *c, uint32_t launch);

/* Of launches that overlap: what belongs to no instruction is the rest of total, where launches cannot be
 * told apart by instructions: empty warp slots, instruction fetches, late prefetches. */
void inst_collector_rest(launch_insts_t *insts);

void inst_collector_release(launch_insts_t *insts);

#endif
