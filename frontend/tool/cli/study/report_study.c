#include "frontend/tool/cli/study/report_study.h"

#include <stdlib.h>

#include "frontend/tool/figure/suite_hardware.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/metrics.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/study/sweep/sweep_results.h"
#include "frontend/tool/study/table/matrix_values.h"
#include "sim/core/alloc.h"

static void write_job(const sweep_t *s, size_t i, const sweep_result_t *r, FILE *out)
{
    const double *v = r->value;
    fputs("\n{\"fields\":[", out);
    for (size_t k = 0; k < sweep_columns(s); k++) {
        fputs(k > 0 ? "," : "", out);
        page_text(out, s->jobs[i].fields[k]);
    }
    fputs("],", out);
    page_text_member(out, "state", sweep_state_names[s->jobs[i].state]);
    page_number_member(out, "cycles", v[RESULT_cycles]);
    page_number_member(out, "low", v[RESULT_cycles_low]);
    page_number_member(out, "high", v[RESULT_cycles_high]);
    const change_t *c = &r->change[CHANGE_OF_cycles];
    page_number_member(out, "relative", sweep_relative(r));
    page_number_member(out, "relativeLow", 1.0 + c->low);
    page_number_member(out, "relativeHigh", 1.0 + c->high);
    page_text_member(out, "method", c->method != NULL ? c->method : "none");
    page_number_member(out, "ipc", v[RESULT_ipc]);
    page_number_member(out, "l2", v[RESULT_l2_hit_rate]);
    page_number_member(out, "dram", v[RESULT_dram_utilization]);
    fprintf(out, "\"estimated\":%s}", v[RESULT_estimated] > 0.0 ? "true" : "false");
}

/* The totals and ratios of every job, for the charts over programs. */
static const char *const totals[] = {"totals.cycles", "totals.seconds", "totals.dram_bytes",
                                     "totals.warp_instructions"};
enum { TOTALS = sizeof(totals) / sizeof(totals[0]), STATS = TOTALS + METRIC_COUNT };

static void write_stats(const matrix_t *m, char *const paths[STATS], const double *values,
                        FILE *out)
{
    const size_t cells = m->n_programs * m->n_columns;
    fputs("\"stats\":[", out);
    for (size_t i = 0; i < STATS; i++) {
        fputs(i > 0 ? ",\n{" : "\n{", out);
        page_text_member(out, "path", paths[i]);
        page_key(out, "values");
        for (size_t k = 0; k < cells; k++) {
            putc(k > 0 ? ',' : '[', out);
            page_number(out, values[k * STATS + i]);
        }
        fputs("]}", out);
    }
    putc(']', out);
}

/* Writes the member "suite" if there are several programs and configurations. */
static rb_code_t write_suite(const char *folder, FILE *out, rb_err_t *err)
{
    const matrix_choice_t all = {0};
    matrix_t m;
    char *name = rb_strdup(folder), *paths[STATS];
    double *values = NULL;
    rb_code_t rc = matrix_open(&m, &name, 1, &all, err);
    for (size_t i = 0; i < STATS; i++)
        paths[i] = i < TOTALS ? rb_strdup(totals[i])
                              : rb_format("metrics.%s", metric_defs[i - TOTALS].name);
    if (rc == RB_OK && m.n_programs > 1 && m.n_columns > 1) {
        rc = matrix_read(&m, (const char *const *)paths, STATS, &values, err);
        fputs(",\n\"suite\":{\"programs\":[", out);
        for (size_t i = 0; i < m.n_programs; i++) {
            fputs(i > 0 ? "," : "", out);
            page_text(out, m.programs[i].label);
        }
        fputs("],\"columns\":[", out);
        for (size_t i = 0; i < m.n_columns; i++) {
            fputs(i > 0 ? "," : "", out);
            page_text(out, m.columns[i].label);
        }
        fputs("],", out);
        write_stats(&m, paths, values, out);
        putc('}', out);
    }
    for (size_t i = 0; i < STATS; i++)
        free(paths[i]);
    free(values);
    free(name);
    matrix_close(&m);
    return rc;
}

rb_code_t report_study(const char *folder, FILE *out, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    sweep_result_t *results = NULL;
    rb_code_t rc = sweep_open(&s, folder, err);
    if (rc == RB_OK)
        rc = sweep_look(&s, err);
    if (rc == RB_OK)
        rc = sweep_read_results(&s, &results, err);
    fputs("{\"type\":\"sweep\",\"columns\":[", out);
    for (size_t i = 0; i < sweep_columns(&s); i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, s.columns[i]);
    }
    fputs("],\"jobs\":[", out);
    bool first = true;
    for (size_t i = 0; rc == RB_OK && i < s.n_jobs; i++) {
        if (sweep_is_part(&s, i))
            continue;
        fputs(first ? "" : ",", out);
        write_job(&s, i, &results[i], out);
        first = false;
    }
    putc(']', out);
    if (rc == RB_OK)
        rc = write_suite(folder, out, err);
    putc('}', out);
    free(results);
    sweep_free(&s);
    return rc;
}

static void write_counter(const hardware_counter_t *c, const char *const *programs, FILE *out)
{
    enum { PAIRS_MAX = 20000 };
    page_text_member(out, "measured", c->label);
    page_text_member(out, "simulated", c->simulated);
    page_number_member(out, "error", c->score.error);
    page_number_member(out, "median", c->score.median);
    page_number_member(out, "bias", c->score.bias);
    page_number_member(out, "correlation", c->score.r);
    page_number_member(out, "logCorrelation", c->score.log_r);
    fprintf(out, "\"share\":%s,\"pairs\":[", c->share ? "true" : "false");
    for (size_t i = 0; i < c->n_pairs && i < PAIRS_MAX; i++) {
        const hardware_pair_t *p = &c->pairs[i];
        char name[256];
        fputs(i > 0 ? ",{" : "{", out);
        if (programs != NULL)
            page_text_member(out, "program", programs[p->run]);
        page_text_member(out, "kernel", format_kernel(name, sizeof(name), p->kernel));
        page_number_member(out, "launch", (double)p->launch);
        page_number_member(out, "measured", p->measured);
        page_number_member(out, "simulated", p->simulated);
        page_key(out, "error");
        page_number(out, hardware_error(c, p));
        putc('}', out);
    }
    fputs("]", out);
}

void report_hardware(FILE *out, const char *title, const hardware_comparison_t *c,
                     const char *const *programs)
{
    fputs("{\"type\":\"hardware\",", out);
    page_text_member(out, "file", title);
    fputs("\"counters\":[", out);
    for (size_t i = 0; i < c->n_counters; i++) {
        fputs(i > 0 ? ",\n{" : "\n{", out);
        write_counter(&c->counters[i], programs, out);
        putc('}', out);
    }
    fputs("],\n\"unknown\":[", out);
    for (size_t i = 0; i < c->n_unknown; i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, c->unknown[i]);
    }
    fputs("]}", out);
}

rb_code_t report_study_hardware(const char *folder, const hardware_table_t *t, FILE *out,
                                rb_err_t *err)
{
    enum { SECTIONS_MAX = 8 };
    const matrix_choice_t all = {0};
    matrix_t m;
    suite_hardware_t *s = NULL;
    char *name = rb_strdup(folder);
    rb_code_t rc = matrix_open(&m, &name, 1, &all, err);
    if (rc == RB_OK)
        rc = suite_hardware(&s, t, &m, err);
    const char **programs = rb_calloc(m.n_programs + 1, sizeof(*programs));
    for (size_t i = 0; i < m.n_programs; i++)
        programs[i] = m.programs[i].label;
    for (size_t i = 0, n = 0; rc == RB_OK && i < m.n_columns && n < SECTIONS_MAX; i++) {
        if (s[i].n_matched == 0)
            continue;
        char *title = rb_format("%s: %s", t->file, m.columns[i].label);
        report_page_section(out, false);
        report_hardware(out, title, &s[i].comparison, programs);
        free(title);
        n++;
    }
    free(programs);
    free(name);
    suite_hardware_free(s, &m);
    matrix_close(&m);
    return rc;
}
