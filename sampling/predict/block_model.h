/*
 * A block that has an SM for itself: its warps issue in order, and share issue slots, pipes, the memory queue
 * and the L1. From one barrier to the next it takes as long as a warp alone, or as all its warps take of
 * what they share.
 */
#ifndef RUBATO_BLOCK_MODEL_H
#define RUBATO_BLOCK_MODEL_H

#include "sampling/predict/predict.h"

/* A warp alone on the chip. */
typedef struct {
    const gpu_spec_t *spec;
    const predict_traffic_t *traffic;
    double l1, l2, dram; /* cycles to the use of a load that ends there */
    double warps;        /* of its block */
    double to_l2[OP_CLASS_COUNT], to_dram[OP_CLASS_COUNT]; /* shares of instructions */
    inst_timing_t timing[OP_CLASS_COUNT]; /* of classes that do not vary, as they are met */
    bool timed[OP_CLASS_COUNT];
    /*
     * Straight-line code draws each load once per walk over the path, a loop once per round. With measured hit rates
     * the mean of eight walks is taken, with three rounds of each loop; else one walk of up to 17 rounds.
     */
    bool measured;
    double round; /* number of the draw */
    double next_walk;
    bool control; /* dependences by control words */
} alone_t;

/* What a warp takes of everything that it shares with others, in cycles. */
typedef struct {
    double part[PREDICT_BOUND_COUNT];
} demand_t;

typedef struct {
    double cycles; /* of a block that has an SM for itself */
    demand_t warp;
} block_cost_t;

/* A chip on which launches have this traffic, which is borrowed. warps: of a block. control: dependences
 * are those of control words. measured: the traffic comes from a walk over addresses. */
alone_t alone_on(const gpu_spec_t *spec, const predict_traffic_t *traffic, double warps,
                 bool control, bool measured);

/* fellows: warps of the block, itself included, if all did as much as this one. */
block_cost_t block_cost(alone_t *a, const warp_path_t *path, double fellows);

/* Whether a bound is shared by the warps of a sub-core, not of an SM. */
static inline bool bound_is_sub_core(unsigned b)
{
    return b >= PREDICT_ISSUE && b <= PREDICT_QUEUE;
}

/* What that many warps of an SM take of a station, if one of them takes `part`. */
double station_time(const alone_t *a, unsigned b, double part, double warps);

/* A warp or block that has a station for itself waits there for nobody: its use is in its own time. n: how
 * many share it. */
double with_others(double part, double n);

/* Bounds that are near each other add up in part: the norm of part[first .. end). */
double bounds_norm(const double *part, unsigned first, unsigned end);

/* Core cycles of a command clock of the DRAM. */
static inline double dram_ticks(const gpu_spec_t *spec)
{
    return spec->gpu.clock_mhz / spec->mem.dram.clock_mhz;
}

#endif
