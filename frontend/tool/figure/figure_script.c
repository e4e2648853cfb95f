#include "frontend/tool/figure/figure_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/figure/figure.h"
#include "frontend/tool/io/version.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

bool figure_format(const char *ending, figure_format_t *format)
{
    static const char *const endings[] = {"svg", "pdf", "png", "tex"};
    for (unsigned i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcmp(endings[i], ending) != 0)
            continue;
        *format = (figure_format_t)i;
        return true;
    }
    return false;
}

/* Colours by theme; those of series are the palette of Okabe and Ito, as on report pages. */
static const struct {
    const char *paper, *ink, *rule, *series[8];
} themes[] = {
    {"#ffffff",
     "#1b1b1b",
     "#d0d0d0",
     {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#999900", "#888888"}},
    {"#16181c",
     "#e6e6e6",
     "#44474d",
     {"#3d9fdb", "#f0b429", "#2fbf93", "#ee7733", "#dd9abf", "#8accf2", "#c4c43a", "#a0a0a0"}},
};

static void write_terminal(const figure_t *f, figure_format_t format)
{
    static const char *const lines[] = {
        /* Pixels of 1/96 inch. */
        "set terminal svg noenhanced size 96*width,96*height font 'Helvetica,8' "
        "fontscale 1.333 "
        "background rgb paper",
        "set terminal pdfcairo noenhanced size width in,height in font 'Helvetica,8' "
        "background rgb paper",
        /* 300 pixels per inch. */
        "set terminal pngcairo noenhanced size 300*width,300*height font 'Helvetica,8' "
        "fontscale 3.125 linewidth 3 pointscale 3 background rgb paper",
        "set terminal cairolatex pdf input size width in,height in font ',8'",
    };
    fprintf(f->script, "%s\n", lines[format]);
}

/* Writes a text in the quotes of gnuplot. */
static void write_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text, out);
    }
    putc('\'', out);
}

static void write_file_name(FILE *out, const char *before, const char *stem, const char *ending)
{
    char *name = rb_format("%s.%s", stem, ending);
    fputs(before, out);
    write_quoted(out, name);
    putc('\n', out);
    free(name);
}

/* Of one or two columns of a page of IEEE and ACM, inches. */
static double figure_width(const figure_t *f)
{
    const double widths[] = {3.5, 7.16};
    return widths[f->o->columns > 1];
}

/* One of two mixed colours, "#rrggbb": share of 256 of the second. */
static void mix_colours(char text[8], const char *a, const char *b, unsigned share)
{
    const unsigned long x = strtoul(a + 1, NULL, 16), y = strtoul(b + 1, NULL, 16);
    unsigned long mixed = 0;
    for (unsigned shift = 0; shift < 24; shift += 8)
        mixed |= (((x >> shift & 255) * (256 - share) + (y >> shift & 255) * share) / 256) << shift;
    snprintf(text, 8, "#%06lx", mixed & 0xffffff);
}

/* The palette, then its colours nearer to the paper, to the ink, and to the paper again, with other dashes:
 * as many series as a figure may have stay apart. */
static void write_linetypes(const figure_t *f)
{
    enum { COLOURS = 8, ROUNDS = 4 };
    static const int points[COLOURS] = {7, 5, 9, 13, 11, 6, 4, 8};
    static const unsigned share[ROUNDS] = {0, 120, 110, 185};
    char colour[8];
    for (int i = 0; i < COLOURS * ROUNDS; i++) {
        const int round = i / COLOURS;
        mix_colours(colour, themes[f->o->theme].series[i % COLOURS],
                    round == 2 ? themes[f->o->theme].ink : themes[f->o->theme].paper, share[round]);
        fprintf(f->script, "set linetype %d lc rgb '%s' lw 1.5 pt %d ps 0.5", i + 1, colour,
                points[(i + round) % COLOURS]);
        fprintf(f->script, round > 0 ? " dt %d\n" : "\n", round + 1);
    }
    fprintf(f->script, "set linetype cycle %d\n", COLOURS * ROUNDS);
}

void figure_title(const figure_t *f, const char *text)
{
    fprintf(f->script, "set title ");
    figure_quote(f, text);
    fprintf(f->script, " font ',7' textcolor rgb ink\n");
}

void figure_begin(figure_t *f)
{
    const char *ending = strrchr(f->o->output, '.') + 1;
    FILE *out = f->script;
    figure_format_t format = FIGURE_SVG;
    (void)figure_format(ending, &format);
    fprintf(out,
            "# %s: drawn by 'gnuplot %s.gp' from %s.csv; written by rubato %s (%s).\n"
            "width = %g; height = %g # inches\n"
            "paper = '%s'; ink = '%s'; rule = '%s'\n",
            figure_help[f->o->kind], f->name, f->name, RUBATO_VERSION, rubato_commit,
            figure_width(f), f->height, themes[f->o->theme].paper, themes[f->o->theme].ink,
            themes[f->o->theme].rule);
    write_terminal(f, format);
    write_file_name(out, "set output ", f->name, ending);
    write_file_name(out, "if (!exists('data')) data = ", f->name, "csv");
    fputs("set datafile separator comma\n", out);
    write_linetypes(f);
    fprintf(out, "set border 3 lc rgb ink\nset tics nomirror out scale 0.5 textcolor rgb ink\n"
                 "set grid ytics lc rgb rule lw 0.5\n"
                 "set key textcolor rgb ink samplen 1.5 spacing 1.0 Left reverse\n");
}

void figure_program_tics(const figure_t *f, size_t n)
{
    /* Inches: what the axis and its numbers take, and the distance of inclined labels. */
    const double beside = 0.6, inclined = 0.18, points = 72.0;
    const double room = (figure_width(f) - beside) / (double)(n > 0 ? n : 1);
    if (room >= inclined)
        fprintf(f->script, "set xtics rotate by 40 right scale 0\n");
    else
        fprintf(f->script, "set xtics rotate by 90 right scale 0 font ',%.1f'\n",
                fmin(fmax(points * room, 3.0), 8.0));
}

double figure_key_font(const figure_t *f, size_t characters)
{
    /* Inches: what symbols and margins take; a character is about half as wide as high. */
    const double beside = 0.6, points = 72.0, most = 7.0, least = 4.0;
    const double fits = 2.0 * points * (figure_width(f) - beside) / (double)(characters + 1);
    return fmin(fmax(fits, least), most);
}

size_t figure_key_rows(const figure_t *f, size_t n, size_t characters)
{
    const double symbol = 0.4, character = 0.047; /* inches, at 6 points */
    size_t across =
        (size_t)((figure_width(f) - symbol) / (symbol + character * (double)characters));
    if (across == 0)
        across = 1;
    return (n + across - 1) / across;
}

/* Writes a character that LaTeX may read as a command. */
static void write_tex(FILE *out, char c)
{
    if (c == '\\')
        fputs("\\textbackslash{}", out);
    else if (c == '~')
        fputs("\\textasciitilde{}", out);
    else if (c == '^')
        fputs("\\textasciicircum{}", out);
    else
        fprintf(out, strchr("_%&#${}", c) != NULL ? "\\%c" : "%c", c);
}

char *figure_text(const figure_t *f, const char *text)
{
    memory_file_t memory;
    FILE *out = memory_file_open(&memory);
    for (; *text != '\0'; text++) {
        if (f->tex)
            write_tex(out, *text);
        else
            putc(*text, out);
    }
    return memory_file_close(&memory, NULL);
}

void figure_quote(const figure_t *f, const char *text)
{
    char *escaped = figure_text(f, text);
    write_quoted(f->script, escaped);
    free(escaped);
}

void figure_put(const figure_t *f, csv_t *csv, const char *text)
{
    char *escaped = figure_text(f, text);
    memory_file_t memory;
    FILE *out = memory_file_open(&memory);
    /* gnuplot knows no quotes in quoted fields, and no commas in heads, and consumes a backslash. */
    for (char *c = escaped; *c != '\0'; c++) {
        if (*c == '\\')
            putc('\\', out);
        putc(*c == '"' ? '\'' : *c == ',' ? ';' : *c, out);
    }
    char *read = memory_file_close(&memory, NULL);
    csv_text(csv, read);
    free(read);
    free(escaped);
}

void figure_number(csv_t *csv, double v)
{
    enum { DIGITS = 32 };
    char text[DIGITS] = "";
    if (isfinite(v))
        snprintf(text, sizeof(text), "%.7g", v);
    csv_text(csv, text);
}

rb_code_t figure_values(const figure_t *f, matrix_values_t *v, rb_err_t *err)
{
    const char *stat = f->o->stat != NULL ? f->o->stat : "totals.cycles";
    char *path, *unit;
    matrix_form_t form = MATRIX_ratio;
    *v = (matrix_values_t){0};
    rb_code_t rc = matrix_find_stat(f->m, stat, &path, &unit, err);
    if (rc == RB_OK && (strcmp(path, "totals.cycles") == 0 || strcmp(path, "totals.seconds") == 0))
        form = MATRIX_speedup;
    free(path);
    free(unit);
    RB_TRY(rc);
    return matrix_values_read(v, f->m, stat, f->o->base, f->o->form != NULL ? *f->o->form : form,
                              err);
}

void figure_label(const figure_t *f, const matrix_values_t *v, const char *axis)
{
    memory_file_t memory;
    FILE *out = memory_file_open(&memory);
    const char *name = strncmp(v->path, "totals.", 7) == 0    ? v->path + 7
                       : strncmp(v->path, "metrics.", 8) == 0 ? v->path + 8
                                                              : v->path;
    if (v->form == MATRIX_speedup && strcmp(v->path, "totals.cycles") == 0)
        fputs("speed-up", out);
    else if (v->form == MATRIX_speedup)
        fprintf(out, "inverse relative %s", name);
    else if (v->form == MATRIX_ratio)
        fprintf(out, "relative %s", name);
    else
        fprintf(out, strcmp(v->unit, "1") == 0 ? "%s" : "%s (%s)", name, v->unit);
    char *text = memory_file_close(&memory, NULL);
    fprintf(f->script, "set %slabel ", axis);
    figure_quote(f, text);
    fprintf(f->script, " textcolor rgb ink\n");
    free(text);
}
