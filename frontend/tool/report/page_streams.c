/* The section of a streams.csv: when launches and copies of each stream ran. */
#include <string.h>

#include "frontend/input/profile/profile_number.h"
#include "frontend/input/profile/table_reader.h"
#include "frontend/tool/report/report_page.h"

/* Columns of streams.csv; all but the first are numbers, some of which may be empty. */
static const char *const names[] = {"kind",  "operation", "stream", "launch", "bytes",   "ready",
                                    "start", "end",       "alone",  "shared", "critical"};
enum { COLUMNS = sizeof(names) / sizeof(names[0]), LAUNCH = 3 };

typedef struct {
    FILE *out;
    const run_data_t *run;
    uint32_t column[COLUMNS];
    size_t n, launch; /* rows; the launch of the run found last */
} streams_t;

static bool find_columns(streams_t *s, const table_reader_t *r)
{
    for (size_t k = 0; k < COLUMNS; k++) {
        const size_t n = strlen(names[k]);
        uint32_t i = 0;
        while (i < r->n_fields &&
               (r->fields[i].len != n || memcmp(r->fields[i].at, names[k], n) != 0))
            i++;
        if (i == r->n_fields)
            return false;
        s->column[k] = i;
    }
    return true;
}

/* The kernel of a launch; NULL if the run does not have it. */
static const char *kernel_of(streams_t *s, double id)
{
    const run_data_t *d = s->run;
    for (size_t i = 0; i < d->n_launches; i++) {
        const size_t at = (s->launch + i) % d->n_launches;
        if ((double)d->launches[at].id == id) {
            s->launch = at;
            return d->launches[at].name;
        }
    }
    return NULL;
}

/* ["what it is", operation, stream, ...] */
static rb_code_t put_row(streams_t *s, const table_reader_t *r, rb_err_t *err)
{
    double v[COLUMNS];
    char kind[64];
    for (size_t k = 0; k < COLUMNS; k++) {
        const table_field_t *f = s->column[k] < r->n_fields ? &r->fields[s->column[k]] : NULL;
        v[k] = -1.0; /* an empty field */
        if (f == NULL || (k > 0 && f->len > 0 && !profile_number(f->at, f->len, &v[k])))
            return rb_fail(err, RB_TRACE, "%s:%llu: not a row of a streams.csv", r->path,
                           (unsigned long long)r->line);
    }
    const size_t n = table_field_copy(&r->fields[s->column[0]], kind, sizeof(kind) - 1);
    kind[n] = '\0';
    const char *kernel = v[LAUNCH] < 0.0 ? NULL : kernel_of(s, v[LAUNCH]);
    fputs(s->n++ > 0 ? ",\n[" : "\n[", s->out);
    page_text(s->out, kernel != NULL ? kernel : kind);
    for (size_t k = 1; k < COLUMNS; k++) {
        putc(',', s->out);
        if (v[k] < 0.0)
            fputs("null", s->out);
        else
            page_number(s->out, v[k]);
    }
    putc(']', s->out);
    return RB_OK;
}

static rb_code_t put_rows(streams_t *s, table_reader_t *r, size_t *all, rb_err_t *err)
{
    bool more;
    RB_TRY(table_reader_row(r, &more, err));
    if (!more || !find_columns(s, r))
        return rb_fail(err, RB_TRACE, "%s: not a streams.csv of this version", r->path);
    RB_TRY(table_reader_row(r, &more, err));
    for (*all = 0; more; ++*all) {
        if (*all < PAGE_LAUNCHES_MAX)
            RB_TRY(put_row(s, r, err));
        RB_TRY(table_reader_row(r, &more, err));
    }
    return RB_OK;
}

rb_code_t page_streams(FILE *out, const char *path, const run_data_t *run, const char *title,
                       rb_err_t *err)
{
    profile_input_t *in = NULL;
    table_reader_t r;
    streams_t s = {.out = out, .run = run};
    size_t all = 0;
    RB_TRY(profile_input_open(&in, path, err));
    fputs("{\"type\":\"streams\",", out);
    page_text_member(out, "title", title);
    page_key(out, "columns");
    for (size_t k = 0; k < COLUMNS; k++) {
        putc(k == 0 ? '[' : ',', out);
        page_text(out, names[k]);
    }
    fputs("],\"rows\":[", out);
    table_reader_init(&r, in);
    rb_code_t rc = put_rows(&s, &r, &all, err);
    table_reader_free(&r);
    profile_input_close(in);
    fprintf(out, "],\"n_rows\":%zu}", all);
    return rc;
}
