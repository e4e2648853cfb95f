/* The rate at which a launch issues instructions of late: over between a half and three quarters of
 * its time so far. */
#ifndef RUBATO_ISSUE_RATE_H
#define RUBATO_ISSUE_RATE_H

#include "sim/gpu/sampler.h"

/* Zeroed: nothing is known. */
typedef struct {
    struct {
        cycle_t cycle;
        uint64_t insts;
    } mark[2]; /* the second was set when the launch had taken twice the time of the first */
} issue_rate_t;

/* At the end of every interval. */
void issue_rate_note(issue_rate_t *i, const interval_records_t *r);

/* Warp instructions a cycle since the first mark; 0: not known. */
double issue_rate_of(const issue_rate_t *i, const interval_records_t *r);

#endif
