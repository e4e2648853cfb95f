/*
 * Plans as lists of pairs of launch and weight, as the STEM artifact saves them for each method
 * (figure12/pkl), as text.
 *
 * Ids in the list count from 0, as in the artifact (the row of the profile, Kernel0 of the trace);
 * in a plan they count from 1. The text has one pair per line, "id weight" or "id,weight", or what
 * Python prints for the list, "[(0, 9), (np.int64(6), 1.5)]". If the ids count from 1, a comment
 * before the first pair says so:
 *
 *   # launches count from 1
 *
 * Each launch becomes its own cluster, with its rounded weight as size: a list has no more
 * information.
 */
#ifndef RUBATO_PLAN_LIST_H
#define RUBATO_PLAN_LIST_H

#include <stdio.h>

#include "sampling/plan/plan.h"
#include "sim/core/err.h"

/* name: of the file, for messages. */
rb_code_t plan_read_list(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;
void plan_write_list(const plan_t *plan, FILE *out);

#endif
