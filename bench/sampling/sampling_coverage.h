/* How often the interval of stem_online holds the true total. */
#ifndef RUBATO_BENCH_SAMPLING_COVERAGE_H
#define RUBATO_BENCH_SAMPLING_COVERAGE_H

#include <stdint.h>

/* On the programs of sampling_populations.h, ten of each kind, which share the replays. */
void coverage_made(uint64_t replays);

/* On a recorded program; its strata are those of names, shapes and instructions. 0, or 2 after an
 * error. */
int coverage_profile(uint64_t replays, const char *path);

#endif
