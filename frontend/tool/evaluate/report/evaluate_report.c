#include "frontend/tool/evaluate/report/evaluate_report.h"

#include <stdlib.h>

#include "frontend/tool/evaluate/report/evaluate_json.h"
#include "frontend/tool/evaluate/report/evaluate_metrics.h"
#include "frontend/tool/evaluate/report/evaluate_table.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/study/table/report_detectors.h"
#include "sim/core/alloc.h"
#include "sim/core/err.h"

/* Version of evaluation.json. */
enum { SCHEMA = 1 };

rb_code_t evaluate_report_begin(evaluate_report_t *e, const evaluate_about_t *about, rb_err_t *err)
{
    *e = (evaluate_report_t){.seeds = about->seeds, .metrics = about->metrics};
    RB_TRY(evaluate_csv_begin(&e->csv, about->folder, about->csv, err));
    RB_TRY(out_file_open(&e->json_file, about->folder, "evaluation.json", err));
    e->folder = rb_strdup(about->folder);
    json_init(&e->json, e->json_file.out);
    json_begin_object(&e->json, NULL);
    json_u64(&e->json, "schema", SCHEMA);
    json_text(&e->json, "trace", about->trace);
    json_text(&e->json, "gpu", about->gpu);
    json_u64(&e->json, "seed", about->seed);
    json_u64(&e->json, "seeds", about->seeds);
    json_begin_rows(&e->json, "runs");
    e->title = rb_format("%s on %s", report_trace_name(about->trace), about->gpu);
    printf("%s\n", e->title);
    return RB_OK;
}

/* ---- runs ---- */

static void json_run(json_t *j, const evaluated_run_t *run)
{
    json_begin_object(j, NULL);
    json_text(j, "sample", run->sample);
    json_text(j, "variant", run->variant);
    json_text(j, "warmup", run->warmup);
    json_text(j, "seed", run->seed);
    json_text(j, "folder", run->folder);
    json_text(j, "failure", run->failure);
    if (run->score != NULL) {
        evaluate_json_score(j, run);
        json_begin_rows(j, "launches");
        for (size_t i = 0; i < run->sampled->n; i++) {
            const run_launch_t *l = &run->sampled->launches[i];
            const run_launch_t *full = run_result_find(run->full, l->r.info.id);
            if (full != NULL)
                evaluate_json_launch(j, run, full, l);
        }
        json_end(j);
    }
    json_end(j);
}

/* The stream for text below the table. */
static FILE *details(evaluate_report_t *e)
{
    return e->details.out != NULL ? e->details.out : memory_file_open(&e->details);
}

void evaluate_report_run(evaluate_report_t *e, const evaluated_run_t *run)
{
    json_run(&e->json, run);
    evaluate_csv_run(&e->csv, run);
    if (run->stops)
        evaluate_table_stops(details(e), run);
}

/* ---- sets ---- */

static bool several_seeds(const evaluate_report_t *e)
{
    return e->seeds > 1;
}

/* Prints what belongs below the table that ends here. */
static void print_details(evaluate_report_t *e)
{
    size_t n;
    if (several_seeds(e) && e->printed < e->n_sets)
        evaluate_table_seeds(stdout, e->sets + e->printed, e->n_sets - e->printed);
    e->printed = e->n_sets;
    if (e->details.out == NULL)
        return;
    char *text = memory_file_close(&e->details, &n);
    fwrite(text, 1, n, stdout);
    free(text);
}

static void add_details(evaluate_report_t *e, const evaluated_set_t *set, size_t launches)
{
    char label[128];
    if (set->sample == NULL || set->score.runs == 0)
        return;
    if (several_seeds(e)) {
        evaluate_table_statistics(details(e), set);
        evaluate_table_launches(details(e), set);
    }
    if (e->metrics) {
        const sampled_score_t mean = set_score_mean(&set->score);
        evaluated_label(set->sample, set->warmup, label, sizeof(label));
        evaluate_metrics_print(details(e), label, &mean, launches);
    }
}

void evaluate_report_set(evaluate_report_t *e, evaluated_set_t *set, const run_result_t *full)
{
    if (set->reference) {
        print_details(e);
        evaluate_table_head(stdout, set->variant, full);
        set_score_free(&set->score);
        return;
    }
    evaluate_table_set(stdout, set);
    add_details(e, set, full->n);
    evaluate_csv_set(&e->csv, set);
    rb_grow(&e->sets, &e->cap_sets, e->n_sets + 1, sizeof(*e->sets));
    e->sets[e->n_sets++] = *set;
}

/* ---- the end ---- */

/* Writes evaluation.html from evaluation.json. */
static rb_code_t write_page(const evaluate_report_t *e, rb_err_t *err)
{
    out_file_t f;
    RB_TRY(out_file_open(&f, e->folder, "evaluation.html", err));
    char *json = out_path(e->folder, "evaluation.json");
    report_page_begin(f.out, e->title);
    report_page_section(f.out, true);
    rb_code_t rc = page_evaluation(f.out, json, format_kernel, err);
    if (rc == RB_OK)
        rc = report_detectors_jobs(f.out, e->folder, err);
    report_page_end(f.out);
    rc = out_file_close(&f, rc, err);
    free(json);
    return rc;
}

rb_code_t evaluate_report_end(evaluate_report_t *e, rb_err_t *err)
{
    print_details(e);
    json_end(&e->json);
    json_begin_rows(&e->json, "sets");
    for (size_t i = 0; i < e->n_sets; i++)
        evaluate_json_set(&e->json, &e->sets[i]);
    json_end(&e->json);
    json_end(&e->json);
    RB_TRY(out_file_finish(&e->json_file, err));
    RB_TRY(evaluate_csv_end(&e->csv, err));
    RB_TRY(out_file_commit(&e->json_file, err));
    return write_page(e, err);
}

void evaluate_report_abandon(evaluate_report_t *e)
{
    if (e->details.out != NULL)
        free(memory_file_close(&e->details, NULL));
    for (size_t i = 0; i < e->n_sets; i++)
        set_score_free(&e->sets[i].score);
    free(e->sets);
    free(e->title);
    free(e->folder);
    evaluate_csv_abandon(&e->csv);
    out_file_abandon(&e->json_file);
}
