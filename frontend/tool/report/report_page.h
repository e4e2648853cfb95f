/*
 * A self-contained page: one HTML file with its data, its script (page/report*.js) and the plotting
 * library (Apache ECharts, page/echarts.min.js). It needs no network, follows the reader's setting
 * of light or dark, and can be printed. The script draws the sections from their data:
 *
 *   report_page_begin(out, title);
 *   report_page_section(out) ... a JSON object ...   once per section
 *   report_page_end(out);
 */
#ifndef RUBATO_REPORT_REPORT_PAGE_H
#define RUBATO_REPORT_REPORT_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "frontend/tool/report/run_data.h"

void report_page_begin(FILE *out, const char *title);
/* The caller writes one JSON object next; first: this is the first section. */
void report_page_section(FILE *out, bool first);
void report_page_end(FILE *out);

/* Writes a JSON number: integers exactly, others with 6 digits, null if not finite. */
void page_number(FILE *out, double v);
/* NULL is written as null. Invalid UTF-8 and control characters become U+FFFD. */
void page_text(FILE *out, const char *text);
/* An array of numbers. */
void page_numbers(FILE *out, const double *values, size_t n);
/* "key": */
void page_key(FILE *out, const char *key);
/* "key": value, */
void page_number_member(FILE *out, const char *key, double v);
void page_text_member(FILE *out, const char *key, const char *text);

/* Limit of the launches listed in a page; the page says how many are left out. */
enum { PAGE_LAUNCHES_MAX = 20000 };

/* The paths that run_data_read() must read for a run's section. */
const char *const *page_run_paths(size_t *n);

/*
 * Writes the section of a run. Names of launches are shown unchanged. intervals: path of an
 * intervals.csv for the charts over time; NULL: one point per launch. RB_TRACE, RB_IO: about
 * intervals.
 */
RB_CHECKED rb_code_t page_run(FILE *out, const run_data_t *d, const char *title,
                              const char *intervals, rb_err_t *err);

/* Writes the section of a streams.csv of the run with this title. RB_TRACE, RB_IO. */
RB_CHECKED rb_code_t page_streams(FILE *out, const char *path, const run_data_t *run,
                                  const char *title, rb_err_t *err);

/* Writes its member "use": one point for each of the first n_launches, or points from an
 * intervals.csv. */
RB_CHECKED rb_code_t page_use(FILE *out, const run_data_t *d, const char *intervals,
                              size_t n_launches, rb_err_t *err);

/* Shortens a kernel's name for display; returns text. */
typedef const char *(*page_kernel_name_t)(char *text, size_t n, const char *kernel);

/* Writes the section of an evaluation from its evaluation.json. RB_TRACE, RB_IO. */
RB_CHECKED rb_code_t page_evaluation(FILE *out, const char *path, page_kernel_name_t name,
                                     rb_err_t *err);

/* Writes its member "sets": the sets of samplers with their statistics over the seeds. */
RB_CHECKED rb_code_t page_evaluation_sets(FILE *out, const char *path, rb_err_t *err);

/*
 * Writes the section of a run's detectors.json; title: of the run. To stay below bytes_max, series
 * are thinned first, then launches are left out, which the page states. RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t page_detectors(FILE *out, const char *path, const char *title,
                                    size_t bytes_max, page_kernel_name_t name, rb_err_t *err);

/*
 * Writes the section of a run's instructions.csv; waits: its instruction_waits.csv, or NULL. title:
 * of the run. Lines of source files that can be read are shown. The kernels with most cycles come
 * first; the page says how many have no place. RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t page_instructions(FILE *out, const char *path, const char *waits,
                                       const char *title, page_kernel_name_t name, rb_err_t *err);

#endif
