/* Predictions (sampling/predict) beside runs that were simulated in full. */
#ifndef RUBATO_EVALUATE_EVALUATE_PREDICT_H
#define RUBATO_EVALUATE_EVALUATE_PREDICT_H

#include "sim/core/err.h"

/*
 * folder: of a run, or of a sweep, of which all complete runs without samplers are taken. Predicts their
 * traces on their configurations on both levels, and prints errors, rank correlations and processor
 * times. csv: the file of a table with every launch; NULL: none. RB_USAGE if there is no such run, and
 * errors of reading.
 */
RB_CHECKED rb_code_t evaluate_predict(const char *folder, const char *csv, const char *tmpdir,
                                      rb_err_t *err);

#endif
