/* All counters of the chip. */
#ifndef RUBATO_GPU_COUNTERS_H
#define RUBATO_GPU_COUNTERS_H

#include "sim/mem/mem_stats.h"
#include "sim/sm/sm_stats.h"

/* Sums over the chip at one time, or differences between two times. */
typedef struct {
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
} gpu_counters_t;

enum { GPU_COUNTERS = sizeof(gpu_counters_t) / sizeof(uint64_t) };

#endif
