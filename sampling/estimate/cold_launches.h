/*
 * Launches that were left out and found less in the L2 than those that were simulated: first ones on their data, and
 * those behind a giant. Samples of launches like them do not show it, but the walk does that takes the chip from one
 * simulated launch to the next.
 */
#ifndef RUBATO_ESTIMATE_COLD_LAUNCHES_H
#define RUBATO_ESTIMATE_COLD_LAUNCHES_H

#include "sim/gpu/launch_result.h"

/* What a simulated launch took, for the price of a sector. */
typedef struct {
    uint64_t code, insts; /* insts: executed by warps */
    double fills, cycles; /* sectors from DRAM; without launch latency */
    double left_hits;     /* sectors that hit in the L2, of the launches that it stands for */
} priced_launch_t;

/* Of the launches that were simulated in the order of the program, on one chip. */
typedef struct {
    double fetched, placed;  /* by those left out between them: launch_touched_t */
    priced_launch_t *launch; /* owned */
    size_t n, cap;
    cycle_t end; /* of the last one */
    bool apart;  /* each began on a chip of its own, after walks of all launches before it */
} cold_launches_t;

/* weight: of the launches that it stands for, itself included. */
void cold_launches_add(cold_launches_t *c, const launch_result_t *r, double weight);

/* Sectors that are `known` of the launches that were left out, beyond the estimated ones. */
double cold_launches_more(const cold_launches_t *c, double known, double estimated);

/*
 * Cycles that a launch takes longer for each sector that the L2 lacks: the mean over kernels, by their hits that may be
 * misses. Of a kernel, the regression of cycles on sectors among launches of the same length; if these do not differ, on
 * sectors and instructions; if that tells nothing, what all kernels have. At most all cycles of the launches that fetched
 * any. Sorts the launches.
 */
double cold_launches_price(cold_launches_t *c);

void cold_launches_free(cold_launches_t *c);

#endif
