/*
 * The change of a statistic of a launch between two runs that measured the same units of it, as pairs
 * (unit_file.h). Run b follows the choice of a, or of the same base, perhaps with fewer units. Of each run, the
 * launch is estimated from the units that both have: what else the other one measured counts as left out. The change
 * is that of the estimates; its error follows from the residuals y_b - R y_a of the units' rates, as in
 * smarts (the larger one of the plain spread and that of successive units; Student's t).
 *
 * What both share (the step of blocks, the caches after a gap) cancels as far as it is equal. How far it is not is
 * UNIT_PAIRS_ERROR, a share of what was left out.
 */
#ifndef RUBATO_ESTIMATE_UNIT_PAIRS_H
#define RUBATO_ESTIMATE_UNIT_PAIRS_H

#include "sampling/estimate/change.h"
#include "sampling/estimate/unit_file.h"

/* Units that both must have. */
enum { UNIT_PAIRS_LEAST = 3 };

typedef struct unit_pairs unit_pairs_t;

/* NULL: they are no pairs, and *why says why. The launches are copied as far as needed. Free with
 * unit_pairs_free(). */
unit_pairs_t *unit_pairs_create(const launch_units_t *a, const launch_units_t *b, double confidence,
                                const char **why);
void unit_pairs_free(unit_pairs_t *p);

/* a, b: the statistic's forms at both points. No interval, and why, if it needs more than cycles and counters. */
change_t unit_pairs_change(const unit_pairs_t *p, const stat_form_t *a, const stat_form_t *b,
                           change_kind_t kind);

#endif
