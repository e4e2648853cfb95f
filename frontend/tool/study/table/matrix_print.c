/* Prints a statistic of a suite: a matrix for people, or CSV. */
#include <math.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/study/run_pair.h"
#include "frontend/tool/study/table/matrix_values.h"

enum { CELL = 11, CELL_WITH_INTERVAL = 19, CELL_MAX = 2 * FORMAT_MAX + 8 };

static const char *number(char text[FORMAT_MAX], matrix_form_t form, double v)
{
    if (form == MATRIX_value || !isfinite(v))
        return format_number(text, v);
    snprintf(text, FORMAT_MAX, "%.3f", v);
    return text;
}

/* The value of a cell, with half the width of its interval. */
static const char *cell_text(char text[CELL_MAX], matrix_form_t form, double v, double low,
                             double high)
{
    char value[FORMAT_MAX], half[FORMAT_MAX];
    if (!isfinite(low) || !isfinite(high))
        return strcpy(text, number(value, form, v));
    snprintf(text, CELL_MAX, "%s +-%s", number(value, form, v),
             number(half, form, fmax(v - low, high - v)));
    return text;
}

static int cell_width(const matrix_t *s, const matrix_values_t *v)
{
    return matrix_has_intervals(s, v) ? CELL_WITH_INTERVAL : CELL;
}

static void print_head(const matrix_t *s, const matrix_values_t *v, FILE *out)
{
    const char *label = s->columns[v->base].label;
    if (v->form == MATRIX_value)
        fprintf(out, "%s, %s\n", v->path, v->unit);
    else if (v->form == MATRIX_ratio)
        fprintf(out, "%s, relative to %s\n", v->path, label);
    else
        fprintf(out, "speed-up: %s of %s / %s\n", v->path, label, v->path);
    for (size_t i = 0; i < s->n_columns; i++)
        fprintf(out, "  %2zu  %s\n", i + 1, s->columns[i].label);
}

static size_t label_width(const matrix_t *s)
{
    size_t width = sizeof("geometric mean") - 1;
    for (size_t i = 0; i < s->n_programs; i++) {
        const size_t n = strlen(s->programs[i].label);
        width = n > width ? n : width;
    }
    return width;
}

static void print_program(const matrix_t *s, const matrix_values_t *v, size_t program, int width,
                          FILE *out)
{
    char text[CELL_MAX];
    fprintf(out, "%-*s", width, s->programs[program].label);
    for (size_t i = 0; i < s->n_columns; i++) {
        const size_t cell = program * s->n_columns + i;
        fprintf(out, " %*s%s", cell_width(s, v),
                cell_text(text, v->form, v->shown[cell], v->low[cell], v->high[cell]),
                v->estimated[cell] ? "~" : " ");
    }
    putc('\n', out);
}

/* Prints one of the rows below the programs; of: the member of matrix_mean_t at this offset. */
static void print_mean(const matrix_t *s, const matrix_values_t *v, const char *title, size_t of,
                       matrix_form_t form, int width, FILE *out)
{
    char text[CELL_MAX];
    const bool of_mean = of == offsetof(matrix_mean_t, mean);
    fprintf(out, "%-*s", width, title);
    for (size_t i = 0; i < s->n_columns; i++) {
        const matrix_mean_t m = matrix_column_mean(s, v, i);
        double member;
        memcpy(&member, (const char *)&m + of, sizeof(member));
        fprintf(out, " %*s ", cell_width(s, v),
                cell_text(text, form, member, of_mean ? m.low : (double)NAN,
                          of_mean ? m.high : (double)NAN));
    }
    putc('\n', out);
}

/* Says which programs the means leave out. */
static void print_left_out(const matrix_t *s, const matrix_values_t *v, FILE *out)
{
    size_t fewest = s->n_programs;
    bool estimated = false;
    size_t unknown = 0;
    for (size_t i = 0; i < s->n_columns; i++) {
        const matrix_mean_t m = matrix_mean(v->shown + i, s->n_programs, s->n_columns);
        fewest = m.n < fewest ? m.n : fewest;
    }
    for (size_t i = 0; i < s->n_programs * s->n_columns; i++) {
        const size_t base = i - i % s->n_columns + v->base;
        estimated = estimated || v->estimated[i];
        unknown += isfinite(v->shown[i]) && !isfinite(v->low[i]) &&
                   (v->form == MATRIX_value ? v->estimated[i]
                                            : i != base && (v->estimated[i] || v->estimated[base]));
    }
    if (estimated)
        fprintf(out, "\n~ estimated from samples\n");
    run_pair_warn(out, unknown);
    if (matrix_has_intervals(s, v))
        fprintf(out,
                "+- 95 %% interval; relative to another run from the launches that both simulated, "
                "where there are such\n");
    if (fewest < s->n_programs)
        fprintf(out,
                "\nMeans are over the programs with a value above 0 (in one column only %zu of "
                "%zu).\n",
                fewest, s->n_programs);
}

void matrix_print(const matrix_t *s, const matrix_values_t *v, FILE *out)
{
    const int width = (int)label_width(s);
    print_head(s, v, out);
    fprintf(out, "\n%-*s", width, "program");
    for (size_t i = 0; i < s->n_columns; i++)
        fprintf(out, " %*zu ", cell_width(s, v), i + 1);
    putc('\n', out);
    for (size_t i = 0; i < s->n_programs; i++)
        print_program(s, v, i, width, out);
    if (s->n_programs < 2) {
        print_left_out(s, v, out);
        return;
    }
    putc('\n', out);
    print_mean(s, v, "geometric mean", offsetof(matrix_mean_t, mean), v->form, width, out);
    print_mean(s, v, "spread, x or /", offsetof(matrix_mean_t, deviation), MATRIX_ratio, width,
               out);
    print_mean(s, v, "least", offsetof(matrix_mean_t, least), v->form, width, out);
    print_mean(s, v, "most", offsetof(matrix_mean_t, most), v->form, width, out);
    print_left_out(s, v, out);
}

void matrix_print_csv(const matrix_t *s, const matrix_values_t *v, FILE *out)
{
    static const char *const head[] = {"program", "column", "statistic", "unit",      "value",
                                       "base",    "shown",  "estimated", "shown_low", "shown_high"};
    csv_t csv = {.out = out};
    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        csv_text(&csv, head[i]);
    csv_end_row(&csv);
    for (size_t i = 0; i < s->n_programs * s->n_columns; i++) {
        csv_text(&csv, s->programs[i / s->n_columns].name);
        csv_text(&csv, s->columns[i % s->n_columns].label);
        csv_text(&csv, v->path);
        csv_text(&csv, v->unit);
        csv_f64(&csv, v->value[i]);
        csv_f64(&csv, v->value[i / s->n_columns * s->n_columns + v->base]);
        csv_f64(&csv, v->shown[i]);
        csv_u64(&csv, v->estimated[i]);
        csv_f64(&csv, v->low[i]);
        csv_f64(&csv, v->high[i]);
        csv_end_row(&csv);
    }
}
