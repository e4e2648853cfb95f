/* Collects the counts per instruction of a launch from the tables of all threads. */
#ifndef RUBATO_GPU_INST_COLLECTOR_H
#define RUBATO_GPU_INST_COLLECTOR_H

#include "sim/gpu/launch_insts.h"
#include "sim/gpu/launch_result.h"
#include "sim/gpu/trace_source.h"
#include "sim/sm/inst_table.h"

typedef struct inst_collector inst_collector_t;

inst_collector_t *inst_collector_create(int threads);
void inst_collector_destroy(inst_collector_t *c);

/* For sm_profile(). */
inst_table_t *const *inst_collector_tables(const inst_collector_t *c);

/* A launch begins: all counts are 0. */
void inst_collector_begin(inst_collector_t *c);

/* The launch has ended, but is still open; none of its blocks is being decoded. */
void inst_collector_describe(inst_collector_t *c, const trace_source_t *source,
                             trace_launch_t *launch);

/* The counts of the launch, all of which are charged; r has its counters. Valid until the next launch
 * begins. c may be NULL: nothing. */
launch_insts_t inst_collector_take(inst_collector_t *c, const launch_result_t *r);

#endif
