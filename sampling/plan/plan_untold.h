/*
 * Launches of a cluster that its samples do not show. A cluster of launches that take equally long, or
 * that are merely similar, may have some that do more: the counts of the index say so, but samples that
 * happen to be alike do not.
 */
#ifndef RUBATO_PLAN_UNTOLD_H
#define RUBATO_PLAN_UNTOLD_H

#include "sampling/plan/population.h"

/*
 * How far off a sum over n launches, whose rows are listed, may be as estimated from those at sample[0 .. m),
 * relatively, because these are alike and others are not: the largest over the counts of the index
 * whose spread is less than half as large in the samples. 0: the samples show what there is.
 */
double plan_untold(const population_t *pop, const uint32_t *rows, uint64_t n,
                   const uint64_t *sample, uint64_t m);

#endif
