/*
 * Estimates the counters of a launch of which parts were left out. Each part is extrapolated from
 * the stretch simulated just before it, because earlier ones may differ: while a launch fills the
 * L2, for example, it writes nothing to the DRAM.
 */
#ifndef RUBATO_GPU_EXTRAPOLATE_H
#define RUBATO_GPU_EXTRAPOLATE_H

#include <stdbool.h>

#include "sim/gpu/gpu_counters.h"

typedef struct {
    gpu_counters_t begin, mark; /* the chip's counters at the start of the launch and of the
                                 * stretch */
    gpu_counters_t stretch;     /* the stretch: from mark to the start of the part left out */
    bool cut;                   /* what was under way at its end was cut off */
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

/* A launch begins. now, here and below: the chip's counters. */
void extrapolation_begin(extrapolation_t *x, const gpu_counters_t *now);

/* A part starts to be left out. cut: what is under way ends at once. */
void extrapolation_stop(extrapolation_t *x, const gpu_counters_t *now, bool cut);

/* The part has ended; it has `insts` warp instructions. moved may be NULL. */
void extrapolation_resume(extrapolation_t *x, const gpu_counters_t *now, double insts,
                          const part_moved_t *moved);

/*
 * The launch, of `insts` warp instructions, has ended: extends the counters c of the simulated part
 * to the whole. What is left out at the end is extrapolated from the last stretch, including all
 * that was simulated after it; but if that was cut off, only up to there, because as much was under
 * way at its start. Written sectors that do not fit the L2 go to the DRAM, even if none did in the
 * simulated blocks, because the others may have filled the L2. The write-backs do not exceed what
 * was written plus what the L2 can have held before.
 */
void extrapolation_finish(extrapolation_t *x, gpu_counters_t *c, double insts,
                          const l2_room_t *room);

#endif
