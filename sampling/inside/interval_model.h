/*
 * The interval model of a warp alone: instructions issue in order, one a cycle at best, each when
 * its operands are ready (GPUMech, MICRO 2014; Photon, MICRO 2023). It knows nothing of other warps
 * but through the latencies that it is given.
 */
#ifndef RUBATO_INTERVAL_MODEL_H
#define RUBATO_INTERVAL_MODEL_H

#include "sim/gpu/gpu_params.h"
#include "sim/isa/isa.h"
#include "sim/sm/retired.h"

/* Cycles from issue to dependent issue of each class, and to the first instruction of the next
 * basic block. */
typedef struct {
    double of[OP_CLASS_COUNT];
    double branch;
} interval_latencies_t;

/* Those of an idle chip: loads of global memory come from the DRAM. */
interval_latencies_t interval_unloaded(const gpu_spec_t *spec);

/* Replaces latencies by means of those observed (by op_class_t), of at least so many. */
void interval_observe(interval_latencies_t *l, const latency_sum_t *observed, uint64_t at_least);

/*
 * Cycles from the issue of a basic block's first instruction to that of the next basic block's. An
 * exit waits for everything that is under way; so does any end if drained. Of n instructions the
 * first known are at code; the others count as they do on average.
 */
double interval_time(const interval_latencies_t *l, const inst_t *code, uint32_t known, uint32_t n,
                     bool drained);

#endif
