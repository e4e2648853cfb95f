/* Prints a validation for people and writes it for programs. */
#include <math.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/silicon/validation.h"
#include "sim/core/files/json_write.h"

const char *verdict_text(verdict_t verdict)
{
    static const char *const texts[] = {"pass", "FAIL", "report", "BEYOND", "no table"};

    return texts[verdict];
}

const char *validation_number(char text[VALIDATION_TEXT], double v)
{
    snprintf(text, VALIDATION_TEXT, fabs(v) >= 1000 ? "%.0f" : "%.4g", v);
    return text;
}

const char *validation_error(char text[VALIDATION_TEXT], const validation_row_t *r)
{
    if (r->verdict == VERDICT_NO_TABLE)
        return strcpy(text, "-");
    const char *sign = r->expect->file != NULL ? "" : "+";

    if (r->expect->relative)
        snprintf(text, VALIDATION_TEXT, *sign ? "%+.1f %%" : "%.1f %%", 100 * r->error);
    else
        snprintf(text, VALIDATION_TEXT, *sign ? "%+.2f" : "%.2f", r->error);
    return text;
}

const char *validation_tolerance(char text[VALIDATION_TEXT], const suite_expect_t *e)
{
    if (e->relative)
        snprintf(text, VALIDATION_TEXT, "%.4g %%", 100 * e->tolerance);
    else
        snprintf(text, VALIDATION_TEXT, "%.4g", e->tolerance);
    return text;
}

/* The point to show in a row: the worst one of several points; none for a curve. */
static const validation_point_t *shown_point(const validation_row_t *r)
{
    const validation_point_t *worst = NULL;
    double largest = -1;

    if (r->n_points == 0 || r->expect->file != NULL)
        return NULL;
    for (size_t i = 0; i < r->n_points; i++) {
        double error = fabs(r->points[i].simulated - r->points[i].measured);

        if (r->expect->relative && fabs(r->points[i].measured) > 0)
            error /= fabs(r->points[i].measured);
        if (error > largest) {
            largest = error;
            worst = &r->points[i];
        }
    }
    return worst;
}

static void print_row(const validation_row_t *r, FILE *out)
{
    char measured[VALIDATION_TEXT] = "-", simulated[VALIDATION_TEXT] = "-";
    char error[VALIDATION_TEXT], tolerance[VALIDATION_TEXT], title[160];
    const validation_point_t *p = shown_point(r);

    if (p != NULL) {
        validation_number(measured, p->measured);
        validation_number(simulated, p->simulated);
    }
    snprintf(title, sizeof(title), "%s, %s", r->test->title, r->test->unit);
    if (p != NULL && p->point != NULL)
        snprintf(title, sizeof(title), "%s, %s; worst of %zu points: %s %s", r->test->title,
                 r->test->unit, r->n_points, r->test->points, p->point);
    else if (r->expect->file != NULL && r->n_points > 0)
        snprintf(title, sizeof(title), "%s, %s; mean error of %zu points", r->test->title,
                 r->test->unit, r->n_points);
    fprintf(out, "%-12s %9s %9s %9s %8s  %-8s  %-11s  %s [%s]\n", r->test->id, measured, simulated,
            validation_error(error, r), validation_tolerance(tolerance, r->expect),
            verdict_text(r->verdict), validation_kind(r), title, r->expect->source);
}

static void print_kind(const validation_t *v, bool calibration, FILE *out)
{
    fprintf(out, "%s: %zu pass, %zu fail; without a gate: %zu within, %zu beyond%s\n",
            calibration ? "calibration" : "evidence",
            validation_count_kind(v, VERDICT_PASS, calibration),
            validation_count_kind(v, VERDICT_FAIL, calibration),
            validation_count_kind(v, VERDICT_REPORT, calibration),
            validation_count_kind(v, VERDICT_BEYOND, calibration),
            calibration ? "; what they measured was used to build the model" : "");
}

/* The rows that nothing gates, although the model is off by more than they allow. */
static void print_beyond(const validation_t *v, FILE *out)
{
    char error[VALIDATION_TEXT];
    const char *before = "without a gate, and beyond what they allow:";
    for (size_t i = 0; i < v->n; i++) {
        const validation_row_t *r = &v->rows[i];
        if (r->verdict != VERDICT_BEYOND)
            continue;
        fprintf(out, "%s %s %s", before, r->test->id, validation_error(error, r));
        before = ",";
    }
    if (validation_count(v, VERDICT_BEYOND) > 0)
        fputc('\n', out);
}

void validation_print(const validation_t *v, bool guesses, FILE *out)
{
    fprintf(out, "%s at %.0f MHz (%s)%s\n\n", v->name, v->clock_mhz, v->gpu,
            v->changed ? ", with settings of the command line" : "");
    fprintf(out, "%-12s %9s %9s %9s %8s  %-8s  %-11s  %s\n", "test", "measured", "simulated",
            "error", "allowed", "", "", "what [source]");
    for (size_t i = 0; i < v->n; i++)
        print_row(&v->rows[i], out);
    fprintf(out, "\n%zu pass, %zu fail; without a gate: %zu within what they allow, %zu beyond it",
            validation_count(v, VERDICT_PASS), validation_count(v, VERDICT_FAIL),
            validation_count(v, VERDICT_REPORT), validation_count(v, VERDICT_BEYOND));
    if (validation_count(v, VERDICT_NO_TABLE) > 0)
        fprintf(out, ", %zu need the published tables (--published DIR)",
                validation_count(v, VERDICT_NO_TABLE));
    fprintf(out, "; %zu tests were not measured on this card\n", v->unmeasured);
    print_beyond(v, out);
    print_kind(v, false, out);
    print_kind(v, true, out);
    fprintf(out, "%zu settings of the configuration are guesses%s\n", v->guesses.n,
            guesses ? ":" : " (--guesses lists them)");
    for (size_t i = 0; guesses && i < v->guesses.n; i++) {
        const char *dot = strchr(v->guesses.list[i].key, '.');

        fprintf(out, "  %.*s.%s\n", (int)(dot - v->guesses.list[i].key), v->guesses.list[i].key,
                v->guesses.list[i].text);
    }
}

void validation_write_csv(const validation_t *v, size_t n, FILE *out)
{
    static const char *const head[] = {"gpu",    "test",      "point",    "measured", "simulated",
                                       "unit",   "tolerance", "relative", "verdict",  "title",
                                       "source", "kind",      "settings"};
    csv_t csv = {.out = out};

    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        csv_text(&csv, head[i]);
    csv_end_row(&csv);
    for (const validation_t *end = v + n; v < end; v++)
        for (size_t i = 0; i < v->n; i++)
            for (size_t p = 0; p < v->rows[i].n_points; p++) {
                const validation_row_t *r = &v->rows[i];

                csv_text(&csv, v->gpu);
                csv_text(&csv, r->test->id);
                csv_text(&csv, r->points[p].point);
                csv_f64(&csv, r->points[p].measured);
                csv_f64(&csv, r->points[p].simulated);
                csv_text(&csv, r->test->unit);
                csv_f64(&csv, r->expect->tolerance);
                csv_u64(&csv, r->expect->relative);
                csv_text(&csv, verdict_text(r->verdict));
                csv_text(&csv, r->test->title);
                csv_text(&csv, r->expect->source);
                csv_text(&csv, validation_kind(r));
                csv_text(&csv, r->calibrates);
                csv_end_row(&csv);
            }
}

static void write_json_row(json_t *j, const validation_row_t *r)
{
    json_begin_object(j, NULL);
    json_text(j, "test", r->test->id);
    json_text(j, "title", r->test->title);
    json_text(j, "harness", r->test->harness);
    json_text(j, "unit", r->test->unit);
    json_text(j, "source", r->expect->source);
    json_text(j, "note", r->test->note);
    json_f64(j, "tolerance", r->expect->tolerance);
    json_bool(j, "relative", r->expect->relative);
    json_text(j, "verdict", verdict_text(r->verdict));
    json_text(j, "kind", validation_kind(r));
    json_text(j, "calibrates", r->calibrates);
    json_f64(j, "error", r->verdict == VERDICT_NO_TABLE ? (double)NAN : r->error);
    json_begin_rows(j, "points");
    for (size_t p = 0; p < r->n_points; p++) {
        json_begin_object(j, NULL);
        json_text(j, "point", r->points[p].point);
        json_f64(j, "measured", r->points[p].measured);
        json_f64(j, "simulated", r->points[p].simulated);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void write_json_kind(json_t *j, const char *name, const validation_t *v, bool calibration)
{
    json_begin_object(j, name);
    json_u64(j, "pass", validation_count_kind(v, VERDICT_PASS, calibration));
    json_u64(j, "fail", validation_count_kind(v, VERDICT_FAIL, calibration));
    json_u64(j, "report", validation_count_kind(v, VERDICT_REPORT, calibration));
    json_u64(j, "beyond", validation_count_kind(v, VERDICT_BEYOND, calibration));
    json_end(j);
}

void validation_write_json(const validation_t *v, size_t n, FILE *out)
{
    json_t j;

    json_init(&j, out);
    json_begin_object(&j, NULL);
    json_u64(&j, "schema", 1);
    json_begin_rows(&j, "gpus");
    for (const validation_t *end = v + n; v < end; v++) {
        json_begin_object(&j, NULL);
        json_text(&j, "gpu", v->gpu);
        json_text(&j, "name", v->name);
        json_f64(&j, "clock_mhz", v->clock_mhz);
        json_u64(&j, "pass", validation_count(v, VERDICT_PASS));
        json_u64(&j, "fail", validation_count(v, VERDICT_FAIL));
        json_u64(&j, "report", validation_count(v, VERDICT_REPORT));
        json_u64(&j, "beyond", validation_count(v, VERDICT_BEYOND));
        write_json_kind(&j, "evidence", v, false);
        write_json_kind(&j, "calibration", v, true);
        json_begin_rows(&j, "tests");
        for (size_t i = 0; i < v->n; i++)
            write_json_row(&j, &v->rows[i]);
        json_end(&j);
        json_begin_rows(&j, "guesses");
        for (size_t i = 0; i < v->guesses.n; i++)
            json_text(&j, NULL, v->guesses.list[i].key);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    fputc('\n', out);
}

/* Writes a curve of the page's section "validation". */
static void write_curve(const validation_row_t *r, FILE *out)
{
    putc('{', out);
    page_text_member(out, "title", r->test->title);
    page_text_member(out, "source", r->expect->source);
    page_text_member(out, "x", r->test->points);
    page_text_member(out, "y", r->test->unit);
    fputs("\"points\":[", out);
    for (size_t i = 0; i < r->n_points; i++) {
        fputs(i > 0 ? ",[" : "[", out);
        page_text(out, r->points[i].point);
        putc(',', out);
        page_number(out, r->points[i].measured);
        putc(',', out);
        page_number(out, r->points[i].simulated);
        putc(']', out);
    }
    fputs("]}", out);
}

/* Writes a row of its table. */
static void write_html_row(const validation_row_t *r, FILE *out)
{
    enum { COLUMNS = 11 };
    const validation_point_t *p = shown_point(r);
    char measured[VALIDATION_TEXT] = "", simulated[VALIDATION_TEXT] = "";
    char error[VALIDATION_TEXT], tolerance[VALIDATION_TEXT];

    if (p != NULL) {
        validation_number(measured, p->measured);
        validation_number(simulated, p->simulated);
    }
    const char *cells[COLUMNS] = {r->test->id,
                                  r->test->title,
                                  r->test->unit,
                                  measured,
                                  simulated,
                                  validation_error(error, r),
                                  validation_tolerance(tolerance, r->expect),
                                  verdict_text(r->verdict),
                                  validation_kind(r),
                                  r->test->harness,
                                  r->expect->source};
    for (size_t k = 0; k < COLUMNS; k++) {
        putc(k == 0 ? '[' : ',', out);
        page_text(out, cells[k] != NULL ? cells[k] : "");
    }
    putc(']', out);
}

void validation_write_html(const validation_t *v, size_t n, FILE *out)
{
    report_page_begin(out, "rubato validate");
    for (size_t g = 0; g < n; g++) {
        bool first = true;
        report_page_section(out, g == 0);
        fputs("{\"type\":\"validation\",", out);
        page_text_member(out, "title", v[g].name);
        fputs("\"rows\":[", out);
        for (size_t i = 0; i < v[g].n; i++) {
            fputs(i > 0 ? ",\n" : "\n", out);
            write_html_row(&v[g].rows[i], out);
        }
        fputs("],\"curves\":[", out);
        for (size_t i = 0; i < v[g].n; i++) {
            if (v[g].rows[i].n_points < 2)
                continue;
            fputs(first ? "\n" : ",\n", out);
            write_curve(&v[g].rows[i], out);
            first = false;
        }
        fputs("]}", out);
    }
    report_page_end(out);
}
