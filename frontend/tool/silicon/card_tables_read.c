#include "frontend/tool/silicon/card_tables_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/table_reader.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"

enum { COLUMNS = 6, NUMBER = 64, ROWS_MAX = 100000 };

/* The columns that are read, in any order; the first is text. */
static const char *const column_names[COLUMNS] = {"test", "x", "value", "repeats", "low", "high"};

typedef struct {
    table_reader_t *reader;
    size_t column[COLUMNS];
} measured_t;

static bool is_text(const table_field_t *f, const char *text)
{
    return f->len == strlen(text) && memcmp(f->at, text, f->len) == 0;
}

static rb_code_t find_columns(measured_t *m, rb_err_t *err)
{
    const table_reader_t *r = m->reader;

    for (size_t i = 0; i < COLUMNS; i++) {
        size_t k = 0;

        while (k < r->n_fields && !is_text(&r->fields[k], column_names[i]))
            k++;
        if (k == r->n_fields)
            return rb_fail(err, RB_TRACE, "%s:%llu: there is no column '%s'", r->path,
                           (unsigned long long)r->line, column_names[i]);
        m->column[i] = k;
    }
    return RB_OK;
}

static rb_code_t number_of(const measured_t *m, size_t i, double *value, rb_err_t *err)
{
    const table_reader_t *r = m->reader;
    char text[NUMBER], *end;
    const size_t column = m->column[i];

    if (column < r->n_fields) {
        text[table_field_copy(&r->fields[column], text, sizeof(text) - 1)] = '\0';
        *value = strtod(text, &end);
        if (r->fields[column].len < sizeof(text) && end != text && *end == '\0' &&
            isfinite(*value) && *value >= 0)
            return RB_OK;
    }
    return rb_fail(err, RB_TRACE, "%s:%llu: column '%s' is not a number of 0 or more", r->path,
                   (unsigned long long)r->line, column_names[i]);
}

static rb_code_t take_row(card_tables_t *t, const measured_t *m, rb_err_t *err)
{
    const table_reader_t *r = m->reader;
    card_row_t row = {0};

    if (m->column[0] >= r->n_fields || r->fields[m->column[0]].len == 0 || t->n_rows == ROWS_MAX)
        return rb_fail(err, RB_TRACE, "%s:%llu: %s", r->path, (unsigned long long)r->line,
                       t->n_rows == ROWS_MAX ? "too many rows" : "the row names no test");
    RB_TRY(number_of(m, 1, &row.x, err));
    RB_TRY(number_of(m, 2, &row.value, err));
    RB_TRY(number_of(m, 3, &row.repeats, err));
    RB_TRY(number_of(m, 4, &row.low, err));
    RB_TRY(number_of(m, 5, &row.high, err));
    if (row.low > row.value || row.value > row.high || row.repeats < 1)
        return rb_fail(err, RB_TRACE,
                       "%s:%llu: the value is not between low and high, or there is no repeat",
                       r->path, (unsigned long long)r->line);
    row.test = table_field_text(&r->fields[m->column[0]]);
    rb_grow(&t->rows, &t->cap_rows, t->n_rows + 1, sizeof(t->rows[0]));
    t->rows[t->n_rows++] = row;
    if (card_tables_find(t, row.test, row.x) != &t->rows[t->n_rows - 1])
        return rb_fail(err, RB_TRACE, "%s:%llu: %s is there twice", r->path,
                       (unsigned long long)r->line, row.test);
    return RB_OK;
}

static rb_code_t take_fact(card_tables_t *t, const table_reader_t *r, rb_err_t *err)
{
    if (r->n_fields != 2 || t->n_facts == ROWS_MAX)
        return rb_fail(err, RB_TRACE, "%s:%llu: expected key,value", r->path,
                       (unsigned long long)r->line);
    rb_grow(&t->facts, &t->cap_facts, t->n_facts + 1, sizeof(t->facts[0]));
    t->facts[t->n_facts++] = (card_fact_t){.key = table_field_text(&r->fields[0]),
                                           .value = table_field_text(&r->fields[1])};
    return RB_OK;
}

static bool is_blank(const table_reader_t *r)
{
    return r->n_fields == 1 && r->fields[0].len == 0;
}

static rb_code_t read_rows(card_tables_t *t, table_reader_t *r, bool facts, rb_err_t *err)
{
    measured_t m = {.reader = r};
    bool more;

    RB_TRY(table_reader_row(r, &more, err));
    if (!more)
        return rb_fail(err, RB_TRACE, "%s: is empty", r->path);
    if (!facts)
        RB_TRY(find_columns(&m, err));
    for (;;) {
        RB_TRY(table_reader_row(r, &more, err));
        if (!more)
            return RB_OK;
        if (!is_blank(r))
            RB_TRY(facts ? take_fact(t, r, err) : take_row(t, &m, err));
    }
}

static rb_code_t read_file(card_tables_t *t, const char *name, bool facts, rb_err_t *err)
{
    char *path = out_path(t->folder, name);
    profile_input_t *in;
    table_reader_t r;
    rb_code_t rc = profile_input_open(&in, path, err);

    if (rc == RB_OK) {
        table_reader_init(&r, in);
        rc = read_rows(t, &r, facts, err);
        table_reader_free(&r);
        profile_input_close(in);
    }
    free(path);
    return rc;
}

rb_code_t card_tables_read(card_tables_t *t, const char *folder, rb_err_t *err)
{
    *t = (card_tables_t){.folder = rb_strdup(folder)};
    RB_TRY(read_file(t, "card.csv", true, err));
    return read_file(t, "measured.csv", false, err);
}

void card_tables_free(card_tables_t *t)
{
    for (size_t i = 0; i < t->n_rows; i++)
        free(t->rows[i].test);
    for (size_t i = 0; i < t->n_facts; i++) {
        free(t->facts[i].key);
        free(t->facts[i].value);
    }
    free(t->rows);
    free(t->facts);
    free(t->folder);
    *t = (card_tables_t){0};
}

const card_row_t *card_tables_find(const card_tables_t *t, const char *test, double x)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        if (strcmp(t->rows[i].test, test) == 0 && fabs(t->rows[i].x - x) < 1e-9)
            return &t->rows[i];
    }
    return NULL;
}

const char *card_tables_fact(const card_tables_t *t, const char *key)
{
    for (size_t i = 0; i < t->n_facts; i++) {
        if (strcmp(t->facts[i].key, key) == 0)
            return t->facts[i].value;
    }
    return NULL;
}
