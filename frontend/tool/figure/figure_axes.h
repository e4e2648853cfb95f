/* Axes of a study as axes of a figure. */
#ifndef RUBATO_FIGURE_AXES_H
#define RUBATO_FIGURE_AXES_H

#include "frontend/tool/figure/figure.h"

/* The distinct values of a field of the columns, in their order. */
typedef struct {
    size_t field;        /* index in the fields of columns */
    const char *title;   /* borrowed; its key */
    const char **values; /* owned; texts borrowed */
    size_t n;
} figure_axis_t;

/*
 * The i-th axis of a figure: that of --axis, or the i-th that varies. RB_USAGE: there is none, or
 * several sweeps. The caller frees a->values.
 */
RB_CHECKED rb_code_t figure_axis(const figure_t *f, size_t i, figure_axis_t *a, rb_err_t *err);

/* Number of fields that vary over the columns. */
size_t figure_axis_count(const figure_t *f);

/* The index of a column's value on an axis. */
size_t figure_axis_at(const figure_t *f, const figure_axis_t *a, size_t column);

/* Whether two columns have equal fields but for those of the axes a and b (NULL: none). */
bool figure_axis_same(const figure_t *f, size_t x, size_t y, const figure_axis_t *a,
                      const figure_axis_t *b);

/* Writes as the title of the figure the fields that vary in the study, but in the figure have the values of
 * the column base; a, b: its axes. */
void figure_held(const figure_t *f, size_t base, const figure_axis_t *a, const figure_axis_t *b);

#endif
