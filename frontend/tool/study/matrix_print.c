/* Prints a statistic of a suite: a matrix for people, or CSV. */
#include <math.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/study/matrix_values.h"

enum { CELL = 11 };

static const char *number(char text[FORMAT_MAX], matrix_form_t form, double v)
{
    if (form == MATRIX_value || !isfinite(v))
        return format_number(text, v);
    snprintf(text, FORMAT_MAX, "%.3f", v);
    return text;
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
    char text[FORMAT_MAX];
    fprintf(out, "%-*s", width, s->programs[program].label);
    for (size_t i = 0; i < s->n_columns; i++) {
        const size_t cell = program * s->n_columns + i;
        fprintf(out, " %*s%s", CELL, number(text, v->form, v->shown[cell]),
                v->estimated[cell] ? "~" : " ");
    }
    putc('\n', out);
}

/* Prints one of the rows below the programs; of: the member of matrix_mean_t at this offset. */
static void print_mean(const matrix_t *s, const matrix_values_t *v, const char *title, size_t of,
                       matrix_form_t form, int width, FILE *out)
{
    char text[FORMAT_MAX];
    fprintf(out, "%-*s", width, title);
    for (size_t i = 0; i < s->n_columns; i++) {
        const matrix_mean_t m = matrix_mean(v->shown + i, s->n_programs, s->n_columns);
        double member;
        memcpy(&member, (const char *)&m + of, sizeof(member));
        fprintf(out, " %*s ", CELL, number(text, form, member));
    }
    putc('\n', out);
}

/* Says which programs the means leave out. */
static void print_left_out(const matrix_t *s, const matrix_values_t *v, FILE *out)
{
    size_t fewest = s->n_programs;
    bool estimated = false;
    for (size_t i = 0; i < s->n_columns; i++) {
        const matrix_mean_t m = matrix_mean(v->shown + i, s->n_programs, s->n_columns);
        fewest = m.n < fewest ? m.n : fewest;
    }
    for (size_t i = 0; i < s->n_programs * s->n_columns; i++)
        estimated = estimated || v->estimated[i];
    if (estimated)
        fprintf(out, "\n~ estimated from samples\n");
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
        fprintf(out, " %*zu ", CELL, i + 1);
    putc('\n', out);
    for (size_t i = 0; i < s->n_programs; i++)
        print_program(s, v, i, width, out);
    if (s->n_programs < 2)
        return;
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
    static const char *const head[] = {"program", "column", "statistic", "unit",
                                       "value",   "base",   "shown",     "estimated"};
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
        csv_end_row(&csv);
    }
}
