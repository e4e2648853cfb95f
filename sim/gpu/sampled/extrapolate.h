/*
 * Estimates the counters of a launch whose blocks were not all simulated. A stretch is what was
 * simulated between two parts that were left out. The counters of a part that was left out are
 * extrapolated from the stretch just before it, because earlier ones may differ: a launch that is
 * still filling the L2, for example, writes nothing to the DRAM.
 */
#ifndef RUBATO_GPU_EXTRAPOLATE_H
#define RUBATO_GPU_EXTRAPOLATE_H

#include <stdbool.h>

#include "sim/gpu/gpu_counters.h"

typedef struct {
    gpu_counters_t begin;       /* the chip's counters at the start of the launch */
    gpu_counters_t mark;        /* the same at the start of the present stretch */
    gpu_counters_t stretch;     /* counted in the last stretch that has ended */
    bool cut;                   /* blocks that were running at its end were cut off */
    double extra[GPU_COUNTERS]; /* sum over the parts left out so far */
    double insts;               /* their warp instructions */
} extrapolation_t;

/* Sectors that the DRAM had to move for a part that was left out, if known. */
typedef struct {
    double read, written;
} part_moved_t;

/* Sectors of the L2, and how many of them may be modified at the same time. */
typedef struct {
    double sectors, modified;
} l2_room_t;

/* A launch begins. now (also below): the chip's present counters. */
void extrapolation_begin(extrapolation_t *x, const gpu_counters_t *now);

/* From now on blocks are left out. cut: the blocks that are running end at once. */
void extrapolation_stop(extrapolation_t *x, const gpu_counters_t *now, bool cut);

/* Blocks are simulated again. insts: warp instructions of those that were left out. moved may be
 * NULL. */
void extrapolation_resume(extrapolation_t *x, const gpu_counters_t *now, double insts,
                          const part_moved_t *moved);

/*
 * The launch, which has `insts` warp instructions, has ended. Turns c, the counters of the
 * simulated part, into those of the whole launch. The part that was left out last is extrapolated
 * from the last stretch and what was simulated after it; if blocks were cut off, from the stretch
 * alone, because about as many blocks were running at its start as at its end.
 *
 * Written sectors that do not fit the L2 are counted as written to the DRAM, even if the simulated
 * blocks wrote none there: the blocks that were left out may have filled the L2. But no more is
 * written back than was written and than the L2 can have held before the launch.
 */
void extrapolation_finish(extrapolation_t *x, gpu_counters_t *c, double insts,
                          const l2_room_t *room);

#endif
