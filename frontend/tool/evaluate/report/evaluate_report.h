/*
 * The output of evaluating a trace: tables on standard output (evaluate_table.h), and, in the folder
 * of the runs, CSV files (evaluate_csv.h), evaluation.json (the same) and evaluation.html (charts).
 */
#ifndef RUBATO_EVALUATE_EVALUATE_REPORT_H
#define RUBATO_EVALUATE_EVALUATE_REPORT_H

#include "frontend/tool/evaluate/report/evaluate_csv.h"
#include "sim/core/files/json_write.h"
#include "sim/core/files/memory_file.h"

typedef struct {
    evaluate_csv_t csv;
    out_file_t json_file;
    json_t json;
    char *folder, *title; /* owned: title of the page */
    uint64_t seeds;
    bool metrics;
    memory_file_t details; /* text below the table; not open: nothing yet */
    evaluated_set_t *sets; /* owned */
    size_t n_sets, cap_sets;
    size_t printed; /* sets in the tables that are complete */
} evaluate_report_t;

/* What the report is about; texts borrowed. */
typedef struct {
    const char *folder;
    const char *csv; /* path of evaluation.csv; NULL: in the folder */
    const char *trace, *gpu;
    uint64_t seed, seeds;
    bool metrics; /* print the 13 metrics of evaluate_metrics.h */
} evaluate_about_t;

/* After an error, free with _abandon(). */
RB_CHECKED rb_code_t evaluate_report_begin(evaluate_report_t *e, const evaluate_about_t *about,
                                           rb_err_t *err);

/* Adds a run. */
void evaluate_report_run(evaluate_report_t *e, const evaluated_run_t *run);

/* Adds a set, whose runs are added. Takes over the set's score. full: the run of all launches. */
void evaluate_report_set(evaluate_report_t *e, evaluated_set_t *set, const run_result_t *full);

RB_CHECKED rb_code_t evaluate_report_end(evaluate_report_t *e, rb_err_t *err);
void evaluate_report_abandon(evaluate_report_t *e);

#endif
