/*
 * How well the changes between variants of the GPU are known from sampled runs: the change of each statistic
 * from the first variant, as 'rubato stats diff' gives it for two sampled runs with the same seed, against
 * the change between the two full runs.
 */
#ifndef RUBATO_EVALUATE_EVALUATE_CHANGES_H
#define RUBATO_EVALUATE_EVALUATE_CHANGES_H

#include "frontend/tool/evaluate/evaluate_trial.h"

/* Prints a table, and writes changes.csv if the folder of the runs is kept. Nothing with one variant. */
RB_CHECKED rb_code_t trial_score_changes(trial_t *t, FILE *out, rb_err_t *err);

#endif
