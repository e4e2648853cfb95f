/*
 * Replays a recorded full run through sequential sampling, to measure how often its interval covers
 * the true total.
 */
#ifndef RUBATO_TESTS_ONLINE_REPLAY_H
#define RUBATO_TESTS_ONLINE_REPLAY_H

#include "sampling/launch/launch_sampler.h"

typedef struct {
    double refused;  /* share of the replays without an interval */
    double coverage; /* share of the intervals that hold the true total; NAN: there are none */
    double
        silent;  /* share of the replays with an interval and an error above twice its half-width */
    double half; /* mean half-width of the intervals, relative to the estimate; the wider side */
    double error, error_max; /* mean and largest, relative */
    double inside;           /* share with an error within epsilon = 5 % */
    double met;              /* share that reached the bound */
    double speedup;          /* speed-up: all cycles divided by the mean of the simulated ones */
    double gain;             /* the same for what launches cost to simulate (launch_cost()) */
    double samples;          /* mean */
} replay_t;

/* cycles: one per row; ids are 1 .. n. method: "stem_online" with options. Seeds are 1 ..
 * replays. */
replay_t online_replay(const population_t *pop, const double *cycles, const char *method,
                       uint64_t replays);

#endif
