/*
 * A page that stands on its own: one HTML file with its data, its script (page/report*.js) and the
 * plotting library (Apache ECharts, page/echarts.min.js) in it; no network, light and dark by the
 * reader's setting, readable in print. The script draws the sections from their data:
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
/* The caller writes one object next; first: no section came before. */
void report_page_section(FILE *out, bool first);
void report_page_end(FILE *out);

/* JSON within the page: whole numbers exactly, others with 6 digits, null if not finite. */
void page_number(FILE *out, double v);
/* NULL gives null. Bytes that are no UTF-8 and control characters become U+FFFD. */
void page_text(FILE *out, const char *text);
/* An array of numbers. */
void page_numbers(FILE *out, const double *values, size_t n);
/* "key": */
void page_key(FILE *out, const char *key);
/* "key": value, */
void page_number_member(FILE *out, const char *key, double v);
void page_text_member(FILE *out, const char *key, const char *text);

/* The longest table of launches in a page; more are left out, and the page says so. */
enum { PAGE_LAUNCHES_MAX = 20000 };

/* What a run's section needs of a run: run_data_read(). */
const char *const *page_run_paths(size_t *n);

/*
 * The section of a run. Launches' names are shown as they are. intervals: path of an intervals.csv
 * for the charts over time; NULL: they have a point per launch. RB_TRACE, RB_IO: about intervals.
 */
RB_CHECKED rb_code_t page_run(FILE *out, const run_data_t *d, const char *intervals, rb_err_t *err);

/* The member "use" of it: a point per launch, of the first n_launches, or from an intervals.csv. */
RB_CHECKED rb_code_t page_use(FILE *out, const run_data_t *d, const char *intervals,
                              size_t n_launches, rb_err_t *err);

/* How a kernel is shown; returns text. */
typedef const char *(*page_kernel_name_t)(char *text, size_t n, const char *kernel);

/* The section of an evaluation: its evaluation.json. RB_TRACE, RB_IO. */
RB_CHECKED rb_code_t page_evaluation(FILE *out, const char *path, page_kernel_name_t name,
                                     rb_err_t *err);

/*
 * The section of a run's detectors.json; title: of the run. Where it would take more than
 * bytes_max, series are thinned, and then launches left out, which the page says. RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t page_detectors(FILE *out, const char *path, const char *title,
                                    size_t bytes_max, page_kernel_name_t name, rb_err_t *err);

#endif
