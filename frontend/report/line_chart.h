/*
 * A line chart as SVG within a page: values over a few named places on the x axis, one line per
 * series, the value of each point on hovering. Colours: Okabe and Ito's, which colour-blind readers
 * can tell apart; the markers differ in shape as well.
 */
#ifndef RUBATO_REPORT_LINE_CHART_H
#define RUBATO_REPORT_LINE_CHART_H

#include <stddef.h>
#include <stdio.h>

enum { LINE_CHART_SERIES = 8 }; /* more are not drawn */

typedef struct {
    const char *name;
    const double *y; /* n_places values; NAN: none there */
} line_series_t;

typedef struct {
    const char *title, *x_label, *y_label;
    const char *const *places; /* names along the x axis */
    size_t n_places;           /* at least 1 */
    const line_series_t *series;
    size_t n_series;
} line_chart_t;

/* Writes a <figure>. The y axis begins at 0, so that lengths can be compared. */
void line_chart_write(FILE *out, const line_chart_t *c);

#endif
