/* The recent issue rate of a launch: over the last half to three quarters of its time so far. */
#ifndef RUBATO_ISSUE_RATE_H
#define RUBATO_ISSUE_RATE_H

#include "sim/gpu/sampled/sampler.h"

/* Zeroed: unknown. */
typedef struct {
    struct {
        cycle_t cycle;
        uint64_t insts;
    } mark[2]; /* the second is set when the time has doubled since the first */
} issue_rate_t;

/* Call at the end of every interval. */
void issue_rate_note(issue_rate_t *i, const interval_records_t *r);

/* Warp instructions per cycle since the first mark; 0: unknown. */
double issue_rate_of(const issue_rate_t *i, const interval_records_t *r);

#endif
