#include "frontend/tool/evaluate/evaluate_report.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/tool/evaluate/evaluate_json.h"
#include "frontend/tool/evaluate/evaluate_metrics.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/run_report.h"
#include "frontend/tool/study/report_detectors.h"
#include "sim/core/alloc.h"
#include "sim/core/err.h"

enum { FILE_RUNS, FILE_LAUNCHES, FILE_JSON, FILES };

/* Version of evaluation.json. */
enum { SCHEMA = 1 };

/* ---- numbers ---- */

/* "+1.23 %"; "-" if v is not finite. */
static const char *signed_share(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return "-";
    snprintf(text, FORMAT_MAX, "%+.*f %%", fabs(v) < 0.0995 ? 2 : 1, 100.0 * v);
    return text;
}

/* A difference of two shares in percentage points. */
static const char *points(char text[FORMAT_MAX], double full, double sampled)
{
    if (!isfinite(full) || !isfinite(sampled))
        return "-";
    snprintf(text, FORMAT_MAX, "%+.1f", 100.0 * (sampled - full));
    return text;
}

static const char *times(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return "-";
    snprintf(text, FORMAT_MAX, v < 99.95 ? "%.1fx" : "%.0fx", v);
    return text;
}

/* The label of a run: its samplers, and its warm-up if that varies. */
static void label_of(const evaluated_run_t *run, char *text, size_t n)
{
    snprintf(text, n, "%s%s%s", run->sample != NULL ? run->sample : "all launches",
             run->warmup != NULL ? ", " : "", run->warmup != NULL ? run->warmup : "");
}

/* ---- table ---- */

static void print_head(const evaluated_run_t *run)
{
    const run_totals_t *t = &run->full->totals;
    char insts[FORMAT_MAX], cycles[FORMAT_MAX], seconds[FORMAT_MAX], n[FORMAT_MAX];
    printf("\n%s%s%s launch%s, %s warp instructions, %s cycles; simulated in %s\n",
           run->variant != NULL ? run->variant : "", run->variant != NULL ? ": " : "",
           format_grouped(n, run->full->n), run->full->n == 1 ? "" : "es",
           format_si(insts, (double)t->warp_insts), format_si(cycles, (double)t->cycles),
           format_seconds(seconds, run->full->host_seconds));
    printf("%-28s %-27s %-27s %-24s %s\n", "", "error of the cycles ------",
           "instructions -------------", "speed-up -------------",
           "errors of counters -----------");
    printf("%-28s %8s %8s %9s %8s %9s %8s %7s %7s %8s %6s %6s %8s  %s\n", "samplers", "run",
           "picked", "p95", "run", "between", "inside", "wall", "cycles", "insts", "L1", "L2",
           "DRAM", "stalls");
}

static void print_run(const evaluated_run_t *run)
{
    const sampled_score_t *s = run->score;
    char label[128], t[12][FORMAT_MAX], stall[64];
    double p95 = run->picked != NULL ? run->picked->error_p95 : (double)NAN;
    double state = s->sampled_state[s->worst_state] - s->full_state[s->worst_state];
    label_of(run, label, sizeof(label));
    snprintf(stall, sizeof(stall), "%+.1f %s", 100.0 * state, score_state_name(s->worst_state));
    printf(
        "%-28s %8s %8s %9s %8s %9s %8s %7s %7s %8s %6s %6s %8s  %s%s\n", label,
        signed_share(t[0], s->error), signed_share(t[1], s->picked_error), format_share(t[2], p95),
        format_share(t[3], s->simulated), format_share(t[4], s->skipped_between),
        format_share(t[5], s->skipped_inside), times(t[6], s->speedup_wall),
        times(t[7], s->speedup_cycles), times(t[8], 1.0 / s->simulated),
        points(t[9], s->full[METRIC_global_load_hit_rate], s->sampled[METRIC_global_load_hit_rate]),
        points(t[10], s->full[METRIC_l2_hit_rate], s->sampled[METRIC_l2_hit_rate]),
        signed_share(t[11], s->dram_error), fabs(state) < 0.0005 ? "-" : stall,
        s->has_interval && !s->covered ? "  (outside its interval)" : "");
}

/* ---- CSV ---- */

static void header(csv_t *c, const char *const *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        csv_text(c, columns[i]);
}

static void run_columns(csv_t *c)
{
    static const char *const columns[] = {"sample",
                                          "variant",
                                          "warmup",
                                          "failure",
                                          "folder",
                                          "cycles_full",
                                          "cycles_sampled",
                                          "cycles_error",
                                          "cycles_low",
                                          "cycles_high",
                                          "picked_error",
                                          "picked_seeds",
                                          "picked_error_mean",
                                          "picked_error_p95",
                                          "simulated_share",
                                          "skipped_between_share",
                                          "skipped_inside_share",
                                          "simulated_launches_share",
                                          "speedup_wall",
                                          "speedup_cycles",
                                          "dram_error",
                                          "worst_state",
                                          "worst_state_full",
                                          "worst_state_sampled"};
    char name[96];
    header(c, columns, sizeof(columns) / sizeof(columns[0]));
    for (unsigned i = 0; i < METRIC_COUNT + SCORE_COUNTS; i++) {
        static const char *const of[] = {"full", "sampled", "picked"};
        for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
            snprintf(name, sizeof(name), "%s_%s",
                     i < METRIC_COUNT ? metric_defs[i].name : score_count_names[i - METRIC_COUNT],
                     of[k]);
            csv_text(c, name);
        }
    }
    csv_end_row(c);
}

static void run_row(csv_t *c, const evaluated_run_t *run)
{
    const sampled_score_t *s = run->score;
    csv_text(c, run->sample);
    csv_text(c, run->variant);
    csv_text(c, run->warmup);
    csv_text(c, run->failure);
    csv_text(c, run->folder);
    if (s == NULL) {
        csv_end_row(c);
        return;
    }
    csv_u64(c, run->full->totals.cycles);
    csv_u64(c, run->sampled->totals.cycles);
    csv_f64(c, s->error);
    csv_f64(c, run->sampled->low);
    csv_f64(c, run->sampled->high);
    csv_f64(c, s->picked_error);
    csv_u64(c, run->picked != NULL ? run->picked->n : 0);
    csv_f64(c, run->picked != NULL ? run->picked->error_mean : (double)NAN);
    csv_f64(c, run->picked != NULL ? run->picked->error_p95 : (double)NAN);
    csv_f64(c, s->simulated);
    csv_f64(c, s->skipped_between);
    csv_f64(c, s->skipped_inside);
    csv_f64(c, s->launches);
    csv_f64(c, s->speedup_wall);
    csv_f64(c, s->speedup_cycles);
    csv_f64(c, s->dram_error);
    csv_text(c, score_state_name(s->worst_state));
    csv_f64(c, s->full_state[s->worst_state]);
    csv_f64(c, s->sampled_state[s->worst_state]);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        csv_f64(c, s->full[i]);
        csv_f64(c, s->sampled[i]);
        csv_f64(c, s->picked[i]);
    }
    for (unsigned i = 0; i < SCORE_COUNTS; i++) {
        csv_f64(c, s->full_count[i]);
        csv_f64(c, s->sampled_count[i]);
        csv_f64(c, s->picked_count[i]);
    }
    csv_end_row(c);
}

static void launch_columns(csv_t *c)
{
    static const char *const columns[] = {"sample",
                                          "variant",
                                          "warmup",
                                          "launch",
                                          "name",
                                          "blocks",
                                          "waves",
                                          "warp_instructions",
                                          "cycles_full",
                                          "cycles_sampled",
                                          "cycles_error",
                                          "global_load_hit_rate_full",
                                          "global_load_hit_rate_sampled",
                                          "l2_hit_rate_full",
                                          "l2_hit_rate_sampled",
                                          "weight",
                                          "sampler",
                                          "estimated",
                                          "simulated_blocks",
                                          "simulated_warp_instructions",
                                          "stop_cycle",
                                          "stop_block",
                                          "host_seconds_full",
                                          "host_seconds_sampled",
                                          "evidence"};
    header(c, columns, sizeof(columns) / sizeof(columns[0]));
    csv_end_row(c);
}

/* The error of a launch that both runs have. */
static double launch_error(const launch_result_t *full, const launch_result_t *sampled)
{
    return (double)launch_result_cycles(sampled) / (double)launch_result_cycles(full) - 1.0;
}

static void hit_rates(csv_t *c, metric_id_t id, const gpu_spec_t *spec, const launch_result_t *full,
                      const launch_result_t *sampled)
{
    csv_f64(c, launch_metric(id, spec, full));
    csv_f64(c, launch_metric(id, spec, sampled));
}

static void launch_row(csv_t *c, const evaluated_run_t *run, const run_launch_t *full,
                       const run_launch_t *l)
{
    const launch_sampling_t *s = &l->r.sampling;
    csv_text(c, run->sample);
    csv_text(c, run->variant);
    csv_text(c, run->warmup);
    csv_u64(c, l->r.info.id);
    csv_text(c, l->name);
    csv_u64(c, l->r.blocks);
    csv_f64(c, sampled_waves(run->spec, &l->r));
    csv_u64(c, full->r.warp_insts);
    csv_u64(c, launch_result_cycles(&full->r));
    csv_u64(c, launch_result_cycles(&l->r));
    csv_f64(c, launch_error(&full->r, &l->r));
    hit_rates(c, METRIC_global_load_hit_rate, run->spec, &full->r, &l->r);
    hit_rates(c, METRIC_l2_hit_rate, run->spec, &full->r, &l->r);
    csv_f64(c, l->weight);
    csv_text(c, s->sampler);
    csv_u64(c, s->estimated);
    csv_u64(c, s->simulated_blocks);
    csv_u64(c, s->simulated_warp_insts);
    if (s->estimated) {
        csv_u64(c, s->cycle);
        csv_u64(c, s->block);
    } else {
        csv_text(c, NULL);
        csv_text(c, NULL);
    }
    csv_f64(c, full->host_seconds);
    csv_f64(c, l->host_seconds);
    csv_text(c, s->evidence);
    csv_end_row(c);
}

/* ---- both ---- */

static void write_launches(evaluate_report_t *e, const evaluated_run_t *run)
{
    json_begin_rows(&e->json, "launches");
    for (size_t i = 0; i < run->sampled->n; i++) {
        const run_launch_t *l = &run->sampled->launches[i];
        const run_launch_t *full = run_result_find(run->full, l->r.info.id);
        if (full == NULL)
            continue;
        launch_row(&e->launches, run, full, l);
        evaluate_json_launch(&e->json, run, full, l);
    }
    json_end(&e->json);
}

static void write_run(evaluate_report_t *e, const evaluated_run_t *run)
{
    json_begin_object(&e->json, NULL);
    json_text(&e->json, "sample", run->sample);
    json_text(&e->json, "variant", run->variant);
    json_text(&e->json, "warmup", run->warmup);
    json_text(&e->json, "folder", run->folder);
    json_text(&e->json, "failure", run->failure);
    if (run->score != NULL) {
        evaluate_json_score(&e->json, run);
        write_launches(e, run);
    }
    json_end(&e->json);
    run_row(&e->runs, run);
}

/* ---- the whole ---- */

rb_code_t evaluate_report_begin(evaluate_report_t *e, const char *folder, const char *csv,
                                const char *trace, const char *gpu, uint64_t seed, rb_err_t *err)
{
    *e = (evaluate_report_t){0};
    if (csv != NULL)
        RB_TRY(out_file_open_path(&e->files[FILE_RUNS], csv, err));
    else
        RB_TRY(out_file_open(&e->files[FILE_RUNS], folder, "evaluation.csv", err));
    RB_TRY(out_file_open(&e->files[FILE_LAUNCHES], folder, "evaluation_launches.csv", err));
    RB_TRY(out_file_open(&e->files[FILE_JSON], folder, "evaluation.json", err));
    e->folder = rb_strdup(folder);
    e->runs = (csv_t){.out = e->files[FILE_RUNS].out};
    e->launches = (csv_t){.out = e->files[FILE_LAUNCHES].out};
    run_columns(&e->runs);
    launch_columns(&e->launches);
    json_init(&e->json, e->files[FILE_JSON].out);
    json_begin_object(&e->json, NULL);
    json_u64(&e->json, "schema", SCHEMA);
    json_text(&e->json, "trace", trace);
    json_text(&e->json, "gpu", gpu);
    json_u64(&e->json, "seed", seed);
    json_begin_rows(&e->json, "runs");
    e->title = rb_format("%s on %s", report_trace_name(trace), gpu);
    printf("%s\n", e->title);
    return RB_OK;
}

/* Prints the launches of the runs in the table that ends here. */
static void print_details(evaluate_report_t *e)
{
    size_t n;
    if (e->details.out == NULL)
        return;
    char *text = memory_file_close(&e->details, &n);
    fwrite(text, 1, n, stdout);
    free(text);
}

void evaluate_report_run(evaluate_report_t *e, const evaluated_run_t *run)
{
    char label[128];
    bool first = !e->any || (run->variant != NULL && run->variant != e->variant);
    if (first) {
        print_details(e);
        print_head(run);
    }
    e->any = true;
    e->variant = run->variant;
    write_run(e, run);
    if (run->failure != NULL) {
        label_of(run, label, sizeof(label));
        printf("%-28s %s\n", label, run->failure);
    } else if (run->sampled != run->full && !(first && run->sample == NULL)) {
        print_run(run);
    }
}

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
    json_end(&e->json);
    for (size_t i = 0; i < FILES; i++)
        RB_TRY(out_file_finish(&e->files[i], err));
    for (size_t i = 0; i < FILES; i++)
        RB_TRY(out_file_commit(&e->files[i], err));
    return write_page(e, err);
}

void evaluate_report_abandon(evaluate_report_t *e)
{
    if (e->details.out != NULL)
        free(memory_file_close(&e->details, NULL));
    free(e->title);
    free(e->folder);
    for (size_t i = 0; i < FILES; i++)
        out_file_abandon(&e->files[i]);
}

/* The stream for text below the table. */
static FILE *details(evaluate_report_t *e)
{
    return e->details.out != NULL ? e->details.out : memory_file_open(&e->details);
}

void evaluate_report_metrics(evaluate_report_t *e, const evaluated_run_t *run)
{
    char label[128];
    label_of(run, label, sizeof(label));
    evaluate_metrics_print(details(e), label, run);
}

void evaluate_report_launches(evaluate_report_t *e, const evaluated_run_t *run)
{
    const unsigned columns = terminal_columns(STDOUT_FILENO, 180);
    char label[128], kernel[33], blocks[FORMAT_MAX], ran[FORMAT_MAX], cycles[FORMAT_MAX],
        error[FORMAT_MAX];
    enum { USED = 96, SCREEN = 24 };
    label_of(run, label, sizeof(label));
    if (run->sampled->n > SCREEN)
        return;
    FILE *out = details(e);
    fprintf(out, "\n%s: launches\n%6s  %-24s %10s %8s %12s %9s %12s  %s\n", label, "launch",
            "kernel", "blocks", "waves", "cycles", "error", "simulated", "why");
    for (size_t i = 0; i < run->sampled->n; i++) {
        const run_launch_t *l = &run->sampled->launches[i];
        const run_launch_t *full = run_result_find(run->full, l->r.info.id);
        if (full == NULL)
            continue;
        fprintf(out, "%6llu  %-24s %10s %8.1f %12s %9s %12s  %.*s\n",
                (unsigned long long)l->r.info.id, format_kernel(kernel, 25, l->name),
                format_grouped(blocks, l->r.blocks), sampled_waves(run->spec, &l->r),
                format_grouped(cycles, launch_result_cycles(&full->r)),
                signed_share(error, launch_error(&full->r, &l->r)),
                format_grouped(ran, l->r.sampling.simulated_blocks),
                columns > USED ? (int)(columns - USED) : 0, l->r.sampling.evidence);
    }
}
