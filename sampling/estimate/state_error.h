/*
 * The error that the samples of a plan cannot show: sampled launches find a chip that is not quite in
 * the state in which all launches before them would have left it.
 */
#ifndef RUBATO_ESTIMATE_STATE_ERROR_H
#define RUBATO_ESTIMATE_STATE_ERROR_H

#include <stdbool.h>

#include "sampling/estimate/launch_values.h"

/*
 * Half-width that the interval of a sum of values has from it. program: the values of the whole
 * program; simulated: of the launches that were simulated.
 */
double state_error(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                   const double simulated[STAT_VALUES]);

/* More of it where the L1s prefetch, which is not walked: the time that it changes. Of what the L2 holds then, nothing is
 * known. */
double state_error_prefetch(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                            const double simulated[STAT_VALUES]);

/* Whether a sum of values counts what caches that outlive a launch hold or miss: its error is unknown if
 * the launches that were left out were not walked. */
bool state_error_is_cold(const linear_term_t *term, size_t n);

/* Why samples cannot tell how far off a sum of values is; NULL: they can. unmet: slow launches may be left that no
 * sample met. */
const char *state_error_unknown(const linear_term_t *term, size_t n, bool unmet);

/* Half-width, at 95 %, of the cycles of one launch that is simulated at another time than in a run of all
 * launches; cycles: of the launch, or of several like it. */
double state_error_launch(double cycles);

/* The same as state_error() and state_error_prefetch() for the cycles of the whole program. */
double state_error_cycles(double program, double simulated);
double state_error_prefetch_cycles(const double program[STAT_VALUES],
                                   const double simulated[STAT_VALUES]);

#endif
