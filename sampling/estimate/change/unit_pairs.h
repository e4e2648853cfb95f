/*
 * The change of a statistic of launches between two runs that measured the same units of them, as pairs
 * (unit_file.h). Run b follows the choice of a, or of the same base, perhaps with fewer units. Of each run, the
 * launch is estimated from the units that both have: what else the other one measured counts as left out. The change
 * is that of the estimates; its error follows from the residuals y_b - R y_a of the units' rates, as in
 * smarts (the larger one of the plain spread and that of successive units; Student's t).
 *
 * What both share (the step of blocks, the caches after a gap) cancels as far as it is equal. How far it is not is
 * UNIT_PAIRS_ERROR, a share of what was left out. The launches of a program add up: variances as independent ones
 * (with Satterthwaite's degrees of freedom), that share as if it were the same in all. Launches of which only one
 * run left out a part have their own errors.
 */
#ifndef RUBATO_ESTIMATE_UNIT_PAIRS_H
#define RUBATO_ESTIMATE_UNIT_PAIRS_H

#include "sampling/estimate/change/change.h"
#include "sampling/estimate/change/unit_file.h"

/* Units that both must have. */
enum { UNIT_PAIRS_LEAST = 3 };

typedef struct unit_pairs unit_pairs_t;

/* Free with unit_pairs_free(). */
unit_pairs_t *unit_pairs_create(double confidence);
void unit_pairs_free(unit_pairs_t *p);

/* Adds a launch, of which it copies what it needs. Returns NULL, or why the two are no pairs; then nothing was added. */
const char *unit_pairs_add(unit_pairs_t *p, const launch_units_t *a, const launch_units_t *b);

/* Adds a launch with STAT_VALUES at both points that are no pairs, and the variances of its cycles: 0 where a run
 * simulated it completely; NAN: not known. */
void unit_pairs_add_apart(unit_pairs_t *p, const double *a, const double *b, double variance_a,
                          double variance_b);

/* Launches that are pairs. */
size_t unit_pairs_launches(const unit_pairs_t *p);

/* a, b: the statistic's forms at both points. No interval, and why, if it needs more than cycles and counters. */
change_t unit_pairs_change(const unit_pairs_t *p, const stat_form_t *a, const stat_form_t *b,
                           change_kind_t kind);

#endif
