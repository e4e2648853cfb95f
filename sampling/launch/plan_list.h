/*
 * Plans as lists of pairs, launch and weight: what the STEM artifact saves for each method
 * (figure12/pkl), as the pickle file itself and as text.
 *
 * Ids count from 0, as there (the row of the profile, Kernel0 of the trace); ours count from 1.
 * Text is one pair a line, "id weight" or "id,weight", or what Python prints of the list,
 * "[(0, 9), (np.int64(6), 1.5)]". Where ids count from 1, a comment before the first pair says so:
 *
 *   # launches count from 1
 *
 * Each launch becomes a cluster of its own, of its weight rounded: a list does not say more.
 */
#ifndef RUBATO_PLAN_LIST_H
#define RUBATO_PLAN_LIST_H

#include <stdio.h>

#include "sampling/launch/plan.h"
#include "sim/core/err.h"

/* name: of the file, for messages. */
rb_code_t plan_read_list(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;
void plan_write_list(const plan_t *plan, FILE *out);

/* The list of a pickle file of protocol 2 to 5: numbers of Python and scalars of NumPy. */
rb_code_t plan_read_pickle(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;
void plan_write_pickle(const plan_t *plan, FILE *out);

#endif
