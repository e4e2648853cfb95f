/*
 * Launches that no sample met. The interval of the cycles may allow for slow launches that look like
 * others (stem_online.h). Such launches also wait more and miss more, so the other statistics allow
 * for them, too.
 */
#ifndef RUBATO_ESTIMATE_UNMET_ERROR_H
#define RUBATO_ESTIMATE_UNMET_ERROR_H

#include "sampling/estimate/launch_values.h"

/* What launches that were left out had beyond the estimate, as walks show (cold_launches.h). */
typedef struct {
    double fetched; /* sectors that missed in the L2 */
    double placed;  /* written sectors of lines that it lacked */
    double cycles;  /* that they took longer for the first */
} unmet_cold_t;

/* How far a sum may be below and above its estimate. */
typedef struct {
    double below, above;
} unmet_error_t;

/*
 * What the sum of the terms may change by if such launches add the share `added` to the cycles.
 * program: the values of the whole program as estimated. The added time may be spent in any warp state
 * that waits for memory or for other warps, or without a warp. Up to the same share of the hits may be
 * misses.
 */
unmet_error_t unmet_error(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                          double added);

/* What the sum has more or less because launches that were left out had that. */
unmet_error_t unmet_walked(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                           const unmet_cold_t *cold);

#endif
