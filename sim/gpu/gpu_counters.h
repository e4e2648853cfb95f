/* All counters of the chip. */
#ifndef RUBATO_GPU_COUNTERS_H
#define RUBATO_GPU_COUNTERS_H

#include <stddef.h>

#include "sim/mem/mem_stats.h"
#include "sim/sm/sm_stats.h"

/* Sums over the chip at one time, or differences between two times. */
typedef struct {
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
} gpu_counters_t;

/* They are read as an array of this many counters; the place of one, such as
 * GPU_COUNTER_AT(l2.fills). */
enum { GPU_COUNTERS = sizeof(gpu_counters_t) / sizeof(uint64_t) };
#define GPU_COUNTER_AT(member) (offsetof(gpu_counters_t, member) / sizeof(uint64_t))

#endif
