#include "frontend/tool/silicon/published_table.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/table_reader.h"
#include "sim/core/alloc.h"

enum { FIELD_MAX = 200 };

static rb_code_t find_column(const table_reader_t *r, const char *name, uint32_t *column,
                             rb_err_t *err)
{
    for (*column = 0; *column < r->n_fields; (*column)++)
        if (r->fields[*column].len == strlen(name) &&
            memcmp(r->fields[*column].at, name, strlen(name)) == 0)
            return RB_OK;
    return rb_fail(err, RB_TRACE, "%s: no column '%s'", r->path, name);
}

static void take_row(published_table_t *t, const table_reader_t *r, uint32_t x, uint32_t y)
{
    char text[FIELD_MAX], *end;

    if (r->n_fields <= x || r->n_fields <= y)
        return;
    text[table_field_copy(&r->fields[y], text, sizeof(text) - 1)] = '\0';
    double value = strtod(text, &end);

    if (end == text || *end != '\0')
        return;
    text[table_field_copy(&r->fields[x], text, sizeof(text) - 1)] = '\0';
    rb_grow(&t->x, &t->cap_x, t->n + 1, sizeof(t->x[0]));
    rb_grow(&t->y, &t->cap_y, t->n + 1, sizeof(t->y[0]));
    t->x[t->n] = rb_strdup(text);
    t->y[t->n++] = value;
}

static rb_code_t read_rows(published_table_t *t, table_reader_t *r, const char *x, const char *y,
                           rb_err_t *err)
{
    uint32_t x_column, y_column;
    bool more;

    RB_TRY(table_reader_row(r, &more, err));
    if (!more)
        return rb_fail(err, RB_TRACE, "%s: the table is empty", r->path);
    RB_TRY(find_column(r, x, &x_column, err));
    RB_TRY(find_column(r, y, &y_column, err));
    for (;;) {
        RB_TRY(table_reader_row(r, &more, err));
        if (!more)
            break;
        take_row(t, r, x_column, y_column);
    }
    return t->n > 0 ? RB_OK : rb_fail(err, RB_TRACE, "%s: no numbers in '%s'", r->path, y);
}

rb_code_t published_table_read(published_table_t *t, const char *path, const char *x, const char *y,
                               rb_err_t *err)
{
    profile_input_t *in;
    table_reader_t r;

    *t = (published_table_t){0};
    RB_TRY(profile_input_open(&in, path, err));
    table_reader_init(&r, in);
    rb_code_t rc = read_rows(t, &r, x, y, err);

    table_reader_free(&r);
    profile_input_close(in);
    if (rc != RB_OK)
        published_table_free(t);
    return rc;
}

void published_table_free(published_table_t *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->x[i]);
    free(t->x);
    free(t->y);
    *t = (published_table_t){0};
}

void published_table_thin(published_table_t *t, size_t n)
{
    size_t kept = 0;

    if (n < 2 || n >= t->n)
        return;
    for (size_t i = 0; i < t->n; i++) {
        if (i == kept * (t->n - 1) / (n - 1)) {
            t->x[kept] = t->x[i];
            t->y[kept++] = t->y[i];
        } else {
            free(t->x[i]);
        }
    }
    t->n = kept;
}
