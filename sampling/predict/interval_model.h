/*
 * The interval model of a single warp: instructions issue in order, at most one per cycle, each
 * when its operands are ready (GPUMech, MICRO 2014; Photon, MICRO 2023). Other warps have no
 * influence except through the latencies. Used by photon_bb and by predictions.
 */
#ifndef RUBATO_INTERVAL_MODEL_H
#define RUBATO_INTERVAL_MODEL_H

#include "sim/gpu/gpu_params.h"
#include "sim/isa/isa.h"
#include "sim/sm/retired.h"

/* Cycles from issue to dependent issue per class, and from a branch to the next basic block. */
typedef struct {
    double of[OP_CLASS_COUNT];
    double branch;
} interval_latencies_t;

/* Latencies of an idle chip: global loads come from the DRAM. */
interval_latencies_t interval_unloaded(const gpu_spec_t *spec);

/* Replaces latencies by observed means (per op_class_t) with at least that many observations. */
void interval_observe(interval_latencies_t *l, const latency_sum_t *observed, uint64_t at_least);

/* Cycles from the issue of a basic block's first instruction to that of the next basic block. An
 * exit waits for everything in flight; so does any end if drained is set. code has the first
 * `known` of the n instructions; the others are assumed to take the average. */
double interval_time(const interval_latencies_t *l, const inst_t *code, uint32_t known, uint32_t n,
                     bool drained);

enum { INTERVAL_COUNTERS = 6 };

/* A warp that runs alone. */
typedef struct {
    double ready[REG_ID_COUNT]; /* when a register can be used */
    double counter
        [INTERVAL_COUNTERS]; /* dependence barriers of the control word: when they are free */
    double next;             /* earliest issue of the next instruction */
    double done;             /* when everything that was issued is complete */
} interval_warp_t;

/* Issues an instruction whose result comes after that many cycles. Dependences are those of the
 * registers. Returns the cycle of its issue. */
double interval_issue(interval_warp_t *w, const inst_t *inst, double latency);

/* The same with the stall count and the dependence barriers of the control word, which it must have.
 * read: cycles until it has read its sources; zero_stall: what a stall count of 0 means. */
double interval_issue_controlled(interval_warp_t *w, const inst_t *inst, double latency,
                                 double read, uint32_t zero_stall);

#endif
