/*
 * Whether enough samples show something that its spread is known: those that stand for other launches. If almost
 * all of it is in one or two of them, as misses of a cold start may be, chance decides how much the sum has.
 */
#ifndef RUBATO_ESTIMATE_SAMPLE_SHOWS_H
#define RUBATO_ESTIMATE_SAMPLE_SHOWS_H

#include "sampling/estimate/launch_values.h"

/* The weighted sum of what samples show, and of its squares. */
typedef struct {
    double sum, squares;
} shown_t;

/* Adds a sample's part of the sum. */
void sample_shows(shown_t *s, double x);

/* Whether few samples have almost all of it. */
bool sample_few_show(const shown_t *s);

/* What hits of a launch lack of the lookups, or what a rate that is at most 1 lacks of its denominator; 0: it is
 * neither. */
double sample_misses(const stat_form_t *f, const double values[STAT_VALUES]);

/* What few samples show may be off by this share of it (a guess). */
#define FEW_ERROR 1.5

#endif
