/* What is known about launches before they are simulated, to compare launches with each other. */
#ifndef RUBATO_LAUNCH_FEATURES_H
#define RUBATO_LAUNCH_FEATURES_H

#include "sampling/plan/population.h"

/* Number of properties that equal launches share: names, instructions, shape, basic blocks, and every
 * count that the population has. */
enum { LAUNCH_KEYS = 11 + POP_COUNTERS + POP_FACTS };

/* The i-th property of a launch; launches with equal properties look the same before simulation. The
 * first is the kernel, then come the instructions. */
uint64_t launch_key(const population_t *pop, uint32_t row, unsigned i);

/* Features of a launch, each on a logarithmic scale, so that differences are relative. A count that
 * is small beside the launch's instructions is nearly a constant. */
enum { LAUNCH_FEATURES = 4 + POP_COUNTERS + POP_FACTS };
void launch_features(const population_t *pop, uint32_t row, double x[LAUNCH_FEATURES]);

/* The largest difference in a feature: about 0.1 for launches that differ by a tenth. */
double launch_distance(const double *a, const double *b);

/*
 * What the simulation of a launch costs, in warp instructions: its own, and those in whose time a
 * launch without instructions is simulated. 1 if instructions are unknown.
 */
double launch_cost(const population_t *pop, uint32_t row);

#endif
