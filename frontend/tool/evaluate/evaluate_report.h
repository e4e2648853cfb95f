/*
 * The output of evaluating a trace: a table on standard output, and, in the folder of the runs,
 * evaluation.csv (one row per run), evaluation_launches.csv (one row per run and launch),
 * evaluation.json (both) and evaluation.html (charts).
 */
#ifndef RUBATO_EVALUATE_EVALUATE_REPORT_H
#define RUBATO_EVALUATE_EVALUATE_REPORT_H

#include "frontend/tool/evaluate/evaluation.h"
#include "frontend/tool/evaluate/sampled_score.h"
#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/json_write.h"
#include "sim/core/memory_file.h"

/* A scored run. Everything is borrowed. */
typedef struct {
    const char *sample;           /* set of samplers; NULL: all launches were simulated */
    const char *variant, *warmup; /* NULL: the unchanged GPU */
    const char *folder;           /* folder of the run */
    const char *failure;          /* why there is no result; NULL: there is one */
    const gpu_spec_t *spec;
    const run_result_t *full, *sampled;
    const sampled_score_t *score;
    const summary_t *picked; /* score of the launch samplers over several seeds; NULL: none */
} evaluated_run_t;

typedef struct {
    out_file_t files[3];
    char *folder, *title; /* owned: title of the page */
    csv_t runs, launches;
    json_t json;
    const char *variant; /* the variant whose heading was printed */
    bool any;
    memory_file_t details; /* text below the table; not open: nothing yet */
} evaluate_report_t;

/* csv: path of evaluation.csv; NULL: in the folder. After an error, free with _abandon(). */
RB_CHECKED rb_code_t evaluate_report_begin(evaluate_report_t *e, const char *folder,
                                           const char *csv, const char *trace, const char *gpu,
                                           uint64_t seed, rb_err_t *err);
void evaluate_report_run(evaluate_report_t *e, const evaluated_run_t *run);
RB_CHECKED rb_code_t evaluate_report_end(evaluate_report_t *e, rb_err_t *err);
void evaluate_report_abandon(evaluate_report_t *e);

/*
 * Adds the launches of a run: prints below the table where and why each one was stopped, unless
 * they do not fit on a screen; adds their errors to the charts.
 */
void evaluate_report_launches(evaluate_report_t *e, const evaluated_run_t *run);

/* Prints the 13 metrics of evaluate_metrics.h below the table. */
void evaluate_report_metrics(evaluate_report_t *e, const evaluated_run_t *run);

#endif
