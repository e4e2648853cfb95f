/* The tables that an evaluation of a trace prints. */
#ifndef RUBATO_EVALUATE_EVALUATE_TABLE_H
#define RUBATO_EVALUATE_EVALUATE_TABLE_H

#include <stdio.h>

#include "frontend/tool/evaluate/score/evaluated_run.h"

/* The heading: the full run, and the columns. */
void evaluate_table_head(FILE *out, const char *variant, const run_result_t *full);

/* The row of a set: means over its runs, or why there are none. */
void evaluate_table_set(FILE *out, const evaluated_set_t *set);

/* Errors and intervals of the cycles of n sets over their seeds. */
void evaluate_table_seeds(FILE *out, const evaluated_set_t *sets, size_t n);

/* The same of the statistics that people read, for one set. */
void evaluate_table_statistics(FILE *out, const evaluated_set_t *set);

/* The launches in which a sampler took part, over several seeds; nothing if they do not fit on a
 * screen. */
void evaluate_table_launches(FILE *out, const evaluated_set_t *set);

/* The launches of one run: where each one was stopped, and why; nothing if they do not fit on a
 * screen. */
void evaluate_table_stops(FILE *out, const evaluated_run_t *run);

#endif
