/* Random choice of positions. */
#ifndef RUBATO_MATH_PICK_H
#define RUBATO_MATH_PICK_H

#include <stdint.h>

#include "sampling/math/rng.h"

/* m of 0 .. n - 1 without replacement, all sets with equal probability; ascending. m <= n. */
void pick_distinct(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out);

/* m draws of 0 .. n - 1 with replacement; ascending, n > 0. */
void pick_with_replacement(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out);

#endif
