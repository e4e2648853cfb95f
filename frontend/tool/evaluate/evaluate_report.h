/*
 * What comes out of evaluating a trace: a table on standard output, and in the folder of the runs
 * evaluation.csv (a row per run), evaluation_launches.csv (a row per run and launch),
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

/* One run that is scored. Everything is borrowed. */
typedef struct {
    const char *sample;           /* set of samplers; NULL: all launches were simulated */
    const char *variant, *warmup; /* NULL: the GPU as it is */
    const char *folder;           /* of the run */
    const char *failure;          /* why there is no result; NULL: there is one */
    const gpu_spec_t *spec;
    const run_result_t *full, *sampled;
    const sampled_score_t *score;
    const summary_t *picked; /* launch samplers: over several seeds; NULL: none */
} evaluated_run_t;

typedef struct {
    out_file_t files[3];
    char *folder, *title; /* owned: title of the page */
    csv_t runs, launches;
    json_t json;
    const char *variant; /* whose heading was printed */
    bool any;
    memory_file_t details; /* what goes below the table; not open: nothing yet */
} evaluate_report_t;

/* csv: where evaluation.csv goes; NULL: to the folder. Free with _abandon() after a failure. */
RB_CHECKED rb_code_t evaluate_report_begin(evaluate_report_t *e, const char *folder,
                                           const char *csv, const char *trace, const char *gpu,
                                           uint64_t seed, rb_err_t *err);
void evaluate_report_run(evaluate_report_t *e, const evaluated_run_t *run);
RB_CHECKED rb_code_t evaluate_report_end(evaluate_report_t *e, rb_err_t *err);
void evaluate_report_abandon(evaluate_report_t *e);

/*
 * The launches of a run: below the table where each was stopped, and why, unless there are more
 * than fit a screen; their errors in the charts.
 */
void evaluate_report_launches(evaluate_report_t *e, const evaluated_run_t *run);

/* Below the table: the 13 metrics of evaluate_metrics.h. */
void evaluate_report_metrics(evaluate_report_t *e, const evaluated_run_t *run);

#endif
