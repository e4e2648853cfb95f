/*
 * Counters of a launch of which parts were left out. Each part takes after the stretch that was
 * simulated just before it: what came before that may have been of another kind. While a launch
 * fills the L2, for one, it writes nothing to the DRAM.
 */
#ifndef RUBATO_GPU_EXTRAPOLATE_H
#define RUBATO_GPU_EXTRAPOLATE_H

#include <stdbool.h>

#include "sim/gpu/gpu_counters.h"

typedef struct {
    gpu_counters_t begin, mark; /* the chip's, when the launch and the stretch began */
    gpu_counters_t stretch;     /* between there and where a part was left out ... */
    bool cut;                   /* ... with all that was under way */
    double extra[GPU_COUNTERS]; /* of parts that are over */
    double insts;               /* their warp instructions */
} extrapolation_t;

/* What the DRAM had to move for a part that was left out, where that is known, in sectors. */
typedef struct {
    double read, written;
} part_moved_t;

/* Sectors of the L2; of these, as many as may be modified at the same time. */
typedef struct {
    double sectors, modified;
} l2_room_t;

/* now: the chip's counters. A launch begins ... */
void extrapolation_begin(extrapolation_t *x, const gpu_counters_t *now);

/* ... a part of it begins to be left out; cut: what is under way ends at once ... */
void extrapolation_stop(extrapolation_t *x, const gpu_counters_t *now, bool cut);

/* ... it is over, and has so many warp instructions; moved may be NULL ... */
void extrapolation_resume(extrapolation_t *x, const gpu_counters_t *now, double insts,
                          const part_moved_t *moved);

/* ... and the launch, of so many, is at its end. c: what was simulated of it becomes the whole.
 * What is left takes after the last stretch, with all that was simulated behind it; but where what
 * was under way was cut, only up to there: as much was under way when it began. What is
 * written and finds no room in the L2 goes to the DRAM, even if none did while blocks were
 * simulated: the L2 may have been filled by those that were left out. No more is written back than
 * was written and the L2 can have held before. */
void extrapolation_finish(extrapolation_t *x, gpu_counters_t *c, double insts,
                          const l2_room_t *room);

#endif
