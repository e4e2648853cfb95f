/*
 * The CSV files of an evaluation: evaluation.csv (a row per run), evaluation_launches.csv (a row per
 * run and simulated launch), evaluation_sets.csv (a row per set of samplers, over its seeds), and
 * evaluation_statistics.csv (a row per set and statistic, of the whole trace and of launches).
 */
#ifndef RUBATO_EVALUATE_EVALUATE_CSV_H
#define RUBATO_EVALUATE_EVALUATE_CSV_H

#include "frontend/tool/evaluate/score/evaluated_run.h"
#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"

enum { CSV_RUNS, CSV_LAUNCHES, CSV_SETS, CSV_STATISTICS, CSV_FILES };

typedef struct {
    out_file_t files[CSV_FILES];
    csv_t csv[CSV_FILES];
} evaluate_csv_t;

/* runs: path of evaluation.csv; NULL: in the folder. After an error, free with _abandon(). */
RB_CHECKED rb_code_t evaluate_csv_begin(evaluate_csv_t *e, const char *folder, const char *runs,
                                        rb_err_t *err);
void evaluate_csv_run(evaluate_csv_t *e, const evaluated_run_t *run);
void evaluate_csv_set(evaluate_csv_t *e, const evaluated_set_t *set);

/* The files appear when all of them are written. */
RB_CHECKED rb_code_t evaluate_csv_end(evaluate_csv_t *e, rb_err_t *err);
void evaluate_csv_abandon(evaluate_csv_t *e);

#endif
