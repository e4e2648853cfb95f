/*
 * Figures of studies for papers, drawn by gnuplot. A figure FIG.svg has its data beside it, FIG.csv,
 * and its script, FIG.gp: "gnuplot FIG.gp" in their folder draws it again. The drawing appears complete or
 * not at all.
 *
 * A kind of figure is one function in a file of its own, which writes data and script, and one line
 * in FIGURES.
 */
#ifndef RUBATO_FIGURE_H
#define RUBATO_FIGURE_H

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/study/table/matrix_values.h"

/* X(name, what it shows). */
#define FIGURES(X)                                                                                 \
    X(speedup,                                                                                     \
      "bars: each program in each configuration relative to the base, and their geometric mean")   \
    X(curve, "lines: against the values of one axis")                                              \
    X(heatmap, "cells: two axes, or programs and configurations")                                  \
    X(stack, "stacked bars: where the warps' cycles went, for each program")                       \
    X(roofline, "points: floating-point operations against bytes of DRAM, for each program")       \
    X(correlation, "points: simulated against measured values, with their errors")

#define FIGURE_ENUM_(name, help) FIGURE_##name,
typedef enum { FIGURES(FIGURE_ENUM_) FIGURE_COUNT } figure_kind_t;
extern const char *const figure_words[FIGURE_COUNT + 1]; /* names; NULL at the end */
extern const char *const figure_help[FIGURE_COUNT];

typedef enum { FIGURE_LIGHT, FIGURE_DARK } figure_theme_t;
extern const char *const figure_theme_words[]; /* NULL at the end */

typedef struct {
    figure_kind_t kind;
    figure_theme_t theme;
    unsigned columns;          /* of the page: 1 or 2 */
    const char *stat, *base;   /* as in matrix_values_read(); stat NULL: cycles. Of correlation: the
 * measured column, NULL: the first that can be compared */
    const matrix_form_t *form; /* NULL: the figure's default */
    text_list_t axes;          /* keys of axes; none: the first that vary */
    matrix_choice_t choice;
    const char *hardware; /* file of measurements; NULL: none */
    const char *output;   /* FIG.svg, .pdf, .png or .tex */
    char *const *folders; /* of sweeps */
    size_t n_folders;
} figure_options_t;

/* A figure while it is made. */
typedef struct {
    const figure_options_t *o;
    const matrix_t *m;
    FILE *data, *script;
    const char *name; /* of the file with the data, without its folder */
    bool tex;         /* texts must be escaped for LaTeX */
    double height;    /* of the figure; may be changed before figure_begin(), inches */
} figure_t;

/*
 * Writes data and script, and draws. RB_USAGE: the options do not fit the study or each other; RB_IO:
 * a file, gnuplot is missing or fails, or the drawing is cut, as on a full disk (data and script are there).
 */
RB_CHECKED rb_code_t figure_draw(const figure_options_t *o, rb_err_t *err);

/* --- for the kinds of figures ----------------------------------------------------------------- */

/* Each writes f->data (CSV with a header) and f->script. */
#define FIGURE_DECLARE_(name, help) RB_CHECKED rb_code_t figure_##name(figure_t *f, rb_err_t *err);
FIGURES(FIGURE_DECLARE_)
#undef FIGURE_DECLARE_

/* Writes the start of the script: terminal, output, fonts and colours. */
void figure_begin(figure_t *f);

/* Writes a line above the figure: what it does not vary. */
void figure_title(const figure_t *f, const char *text);

/* Writes a text to the script in gnuplot's quotes. */
void figure_quote(const figure_t *f, const char *text);

/* A text, escaped if LaTeX reads it; the caller frees it. */
char *figure_text(const figure_t *f, const char *text);

/* Writes a text to the data, escaped, with other signs for quotes and commas, or a number with seven digits; empty if it is not finite. */
void figure_put(const figure_t *f, csv_t *csv, const char *text);
void figure_number(csv_t *csv, double v);

/* Writes "set ylabel ..." for values in this form. axis: 'y' or 'c' (the colours' scale). */
void figure_label(const figure_t *f, const matrix_values_t *v, const char *axis);

/* Writes how n programs are named below bars: vertically, and small, where there is little room. */
void figure_program_tics(const figure_t *f, size_t n);

/* The size in points at which an entry of the key with this many characters fits the width; 4 to 7. */
double figure_key_font(const figure_t *f, size_t characters);

/* Rows of a key of n entries with at most this many characters, at 6 points. */
size_t figure_key_rows(const figure_t *f, size_t n, size_t characters);

/* Reads the values of the statistic, in the form of the options or, by default, of the figure:
 * speed-up for times, the ratio for others. */
RB_CHECKED rb_code_t figure_values(const figure_t *f, matrix_values_t *v, rb_err_t *err);

#endif
