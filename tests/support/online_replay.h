/*
 * Replays a recorded full run through sequential sampling, to measure how often its interval covers
 * the true total.
 */
#ifndef RUBATO_TESTS_ONLINE_REPLAY_H
#define RUBATO_TESTS_ONLINE_REPLAY_H

#include "sampling/launch/launch_sampler.h"

typedef struct {
    double coverage; /* share of the replays whose interval holds the true total */
    double inside;   /* share with an error within epsilon = 5 % */
    double met;      /* share that reached the bound */
    double speedup;  /* speed-up: all cycles divided by the mean of the simulated ones */
    double samples;  /* mean */
} replay_t;

/* cycles: one per row; ids are 1 .. n. method: "stem_online" with options. Seeds are 1 ..
 * replays. */
replay_t online_replay(const population_t *pop, const double *cycles, const char *method,
                       uint64_t replays);

#endif
