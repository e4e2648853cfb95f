#include "frontend/input/profile/hardware_table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/hardware_field.h"
#include "frontend/input/profile/hardware_unit.h"
#include "frontend/input/profile/table_reader.h"
#include "sim/core/alloc.h"

enum {
    COLUMNS_MAX = 20000,
    UNIT_BYTES = 64,
    VALUE_BYTES = 160,
    VALUES_MAX = 1 << 26, /* a larger table is refused: it would not fit into memory */
};

/* A value that reads otherwise with a decimal comma. */
typedef struct {
    size_t row, column;
    double comma;
} other_value_t;

typedef struct {
    hardware_table_t *table;
    table_reader_t reader;
    hardware_field_t *kind; /* owned; one per field of a row */
    size_t *column;         /* owned; of a counter */
    double *scale;          /* owned; one per field */
    uint32_t n_fields;
    bool launches; /* the header is Nsight Compute's */
    bool quoted;   /* so are all its rows */
    bool metrics;  /* a row per metric */
    char *launch;  /* owned; of the last such row: what tells its launch apart */
    size_t next;   /* the column after that of the last such row */
    /* Values may have a decimal comma. Until the end, rows have them as with a decimal point. */
    other_value_t *other; /* owned */
    size_t n_other, cap_other;
    uint64_t point_line, comma_line; /* where only one of the readings is a number; 0: nowhere */
} reading_t;

static bool has_kind(const reading_t *r, hardware_field_t kind)
{
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] == kind)
            return true;
    }
    return false;
}

/* The index of a column, which is added if it is new; searched from r->next on. */
static size_t add_column(reading_t *r, const char *name)
{
    hardware_table_t *t = r->table;
    for (size_t i = 0; i < t->n_columns; i++) {
        const size_t at = (r->next + i) % t->n_columns;
        if (strcmp(t->columns[at], name) == 0) {
            r->next = at + 1;
            return at;
        }
    }
    if (t->n_columns == t->cap_columns) {
        t->cap_columns = t->cap_columns * 2 + 16;
        t->columns = rb_realloc(t->columns, t->cap_columns, sizeof(*t->columns));
        t->unknown_unit = rb_realloc(t->unknown_unit, t->cap_columns, sizeof(*t->unknown_unit));
    }
    t->columns[t->n_columns] = rb_strdup(name);
    t->unknown_unit[t->n_columns] = NULL;
    r->next = t->n_columns + 1;
    return t->n_columns++;
}

/* Per cent, unless a unit says otherwise. */
static double scale_of(const char *name)
{
    return strstr(name, ".pct") != NULL ? 0.01 : 1.0;
}

/* A table with a row per metric has one value in each: that of a launch, or the mean of a kernel's. */
static bool take_metrics(reading_t *r)
{
    if (!has_kind(r, FIELD_METRIC))
        return false;
    for (uint32_t i = 0; i < r->n_fields; i++) {
        char *name = table_field_text(&r->reader.fields[i]);
        if (strcmp(name, "Average") == 0 || strcmp(name, "Avg") == 0) {
            r->kind[i] = FIELD_VALUE;
            r->launches = false;
        } else if (r->kind[i] == FIELD_COUNTER) {
            r->kind[i] = FIELD_OTHER;
        }
        free(name);
    }
    return has_kind(r, FIELD_VALUE);
}

/* Interprets the row just read as the header; false if it is not one. */
static bool take_header(reading_t *r)
{
    hardware_table_t *t = r->table;
    r->n_fields = r->reader.n_fields;
    if (r->n_fields < 2 || r->n_fields > COLUMNS_MAX)
        return false;
    free(r->kind);
    free(r->column);
    free(r->scale);
    r->kind = rb_calloc(r->n_fields, sizeof(*r->kind));
    r->column = rb_calloc(r->n_fields, sizeof(*r->column));
    r->scale = rb_calloc(r->n_fields, sizeof(*r->scale));
    for (uint32_t i = 0; i < r->n_fields; i++) {
        char *name = table_field_text(&r->reader.fields[i]);
        r->kind[i] = hardware_field_kind(name);
        r->launches = r->launches || strcmp(name, "Kernel Name") == 0;
        free(name);
    }
    if (!has_kind(r, FIELD_KERNEL) && !has_kind(r, FIELD_PROGRAM))
        return false;
    r->metrics = take_metrics(r);
    for (uint32_t i = 0; i < r->n_fields && !r->metrics; i++) {
        char *name = table_field_text(&r->reader.fields[i]);
        if (r->kind[i] == FIELD_COUNTER) {
            r->column[i] = add_column(r, name);
            r->scale[i] = scale_of(name);
        }
        free(name);
    }
    t->has_shape = has_kind(r, FIELD_GRID) && has_kind(r, FIELD_BLOCK);
    t->kind = r->launches                 ? HARDWARE_LAUNCH
              : has_kind(r, FIELD_KERNEL) ? HARDWARE_KERNEL
                                          : HARDWARE_PROGRAM;
    return true;
}

static rb_code_t find_header(reading_t *r, rb_err_t *err)
{
    static const char page[] = "Metric Value";
    bool text = false, more;
    for (;;) {
        const char *line;
        size_t len;
        RB_TRY(table_reader_peek_line(&r->reader, &line, &len, err));
        if (line == NULL)
            break;
        if (!hardware_is_header_like(line, len)) {
            text = text || memmem(line, len, page, sizeof(page) - 1) != NULL;
            table_reader_skip_line(&r->reader, len);
            continue;
        }
        r->quoted = line[0] == '"';
        const size_t before = r->reader.at;
        if (table_reader_row(&r->reader, &more, err) == RB_OK) {
            if (take_header(r))
                return RB_OK;
        } else if (r->reader.at == before) {
            *err = (rb_err_t){0};
            table_reader_skip_line(&r->reader, len);
        } else {
            return err->code;
        }
    }
    return rb_fail(err, RB_TRACE, "%s: no header of measured counters: %s", r->table->file,
                   text ? "this is a page of Nsight Compute for people; add --csv"
                        : "a column 'Kernel Name' (Nsight Compute, --csv), 'Kernel', 'app' or "
                          "'Benchmark' is expected");
}

static bool is_units(const reading_t *r)
{
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] == FIELD_KERNEL && r->reader.fields[i].len != 0)
            return false;
    }
    return has_kind(r, FIELD_KERNEL) && !r->metrics;
}

/* The scale of a unit; a unit that is not known is kept for the column. "": that of the name. */
static double take_unit(reading_t *r, size_t column, const char *unit)
{
    hardware_table_t *t = r->table;
    double scale;
    if (*unit == '\0')
        return scale_of(t->columns[column]);
    if (!hardware_unit(unit, &scale) && t->unknown_unit[column] == NULL)
        t->unknown_unit[column] = rb_strdup(unit);
    return scale;
}

static void take_units(reading_t *r)
{
    char unit[UNIT_BYTES];
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] != FIELD_COUNTER)
            continue;
        unit[table_field_copy(&r->reader.fields[i], unit, sizeof(unit) - 1)] = '\0';
        r->scale[i] = take_unit(r, r->column[i], unit);
    }
}

/* Reads "(50, 1, 1)" or "50, 1, 1"; missing dimensions are 1. False for anything else. */
static bool read_shape(const char *s, uint32_t dim[3])
{
    unsigned n = 0;
    dim[0] = dim[1] = dim[2] = 1;
    while (*s != '\0') {
        if (strchr(" (),x", *s) != NULL) {
            s++;
            continue;
        }
        char *end;
        unsigned long v = isdigit((unsigned char)*s) ? strtoul(s, &end, 10) : 0;
        if (v == 0 || v > UINT32_MAX || n == 3)
            return false;
        dim[n++] = (uint32_t)v;
        s = end;
    }
    return n > 0;
}

static rb_code_t bad_field(const reading_t *r, uint32_t i, const char *text, const char *what,
                           rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%llu: column %u: '%.40s' is not a %s", r->table->file,
                   (unsigned long long)r->reader.line, i + 1, text, what);
}

/* Stores a value. One that is not a number ("n/a", texts of device attributes) is not measured. */
static void take_value(reading_t *r, size_t row, size_t column, const table_field_t *f,
                       double scale)
{
    char text[VALUE_BYTES];
    hardware_number_t n;
    double own = 1.0;
    text[table_field_copy(f, text, sizeof(text) - 1)] = '\0';
    if (!hardware_number(text, &n))
        return;
    if (*n.rest != '\0') { /* a unit beside the value */
        if (!hardware_unit(n.rest, &own)) {
            if (r->table->unknown_unit[column] == NULL)
                r->table->unknown_unit[column] = rb_strdup(n.rest);
            return;
        }
        scale = own;
    }
    const bool point = isfinite(n.point), comma = isfinite(n.comma);
    if (point && !comma && r->point_line == 0)
        r->point_line = r->reader.line;
    if (comma && !point && r->comma_line == 0)
        r->comma_line = r->reader.line;
    r->table->rows[row].values[column] = n.point * scale;
    if (point && comma && n.point == n.comma)
        return;
    rb_grow(&r->other, &r->cap_other, r->n_other + 1, sizeof(*r->other));
    r->other[r->n_other++] = (other_value_t){row, column, n.comma * scale};
}

/* Adds a row with room for all columns of now, none of them measured. */
static rb_code_t add_row(reading_t *r, rb_err_t *err)
{
    hardware_table_t *t = r->table;
    if ((t->n_rows + 1) * (t->n_columns + 1) > VALUES_MAX)
        return rb_fail(err, RB_TRACE, "%s:%llu: more than %d values: profile fewer metrics",
                       t->file, (unsigned long long)r->reader.line, VALUES_MAX);
    rb_grow(&t->rows, &t->cap_rows, t->n_rows + 1, sizeof(*t->rows));
    t->rows[t->n_rows++] = (hardware_row_t){.line = r->reader.line};
    return RB_OK;
}

/* Gives the last row room for n values. */
static void widen(hardware_row_t *row, size_t n)
{
    if (row->n_values >= n)
        return;
    row->values = rb_realloc(row->values, n, sizeof(*row->values));
    for (; row->n_values < n; row->n_values++)
        row->values[row->n_values] = (double)NAN;
}

/* What a row says about its launch. */
static rb_code_t take_launch(reading_t *r, hardware_row_t *row, rb_err_t *err)
{
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] == FIELD_COUNTER || r->kind[i] == FIELD_OTHER)
            continue;
        char *text = table_field_text(&r->reader.fields[i]);
        bool shape = r->kind[i] == FIELD_GRID || r->kind[i] == FIELD_BLOCK;
        rb_code_t rc = RB_OK;
        if (shape && !read_shape(text, r->kind[i] == FIELD_GRID ? row->grid : row->block))
            rc = bad_field(r, i, text, "number of blocks or threads", err);
        if (r->kind[i] == FIELD_KERNEL && row->kernel == NULL) {
            row->kernel = text;
            text = NULL;
        } else if (r->kind[i] == FIELD_PROGRAM && row->program == NULL) {
            row->program = text;
            text = NULL;
        }
        free(text);
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t take_row(reading_t *r, rb_err_t *err)
{
    hardware_table_t *t = r->table;
    RB_TRY(add_row(r, err));
    hardware_row_t *row = &t->rows[t->n_rows - 1];
    widen(row, t->n_columns + 1);
    for (uint32_t i = 0; i < r->n_fields; i++)
        if (r->kind[i] == FIELD_COUNTER)
            take_value(r, t->n_rows - 1, r->column[i], &r->reader.fields[i], r->scale[i]);
    return take_launch(r, row, err);
}

/* What tells launches apart, of the row just read; owned by the caller. */
static char *launch_of(const reading_t *r)
{
    size_t bytes = 1, n = 0;
    for (uint32_t i = 0; i < r->n_fields; i++)
        bytes += r->reader.fields[i].len + 1u;
    char *text = rb_calloc(bytes, 1);
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const hardware_field_t k = r->kind[i];
        if (k != FIELD_LAUNCH && k != FIELD_KERNEL && k != FIELD_PROGRAM && k != FIELD_GRID &&
            k != FIELD_BLOCK)
            continue;
        n += table_field_copy(&r->reader.fields[i], text + n, bytes - n - 1);
        text[n++] = '\n';
    }
    return text;
}

static rb_code_t take_metric(reading_t *r, rb_err_t *err)
{
    hardware_table_t *t = r->table;
    const table_field_t *value = NULL;
    char *name = NULL, unit[UNIT_BYTES] = "";
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const table_field_t *f = &r->reader.fields[i];
        if (r->kind[i] == FIELD_METRIC && name == NULL)
            name = table_field_text(f);
        else if (r->kind[i] == FIELD_UNIT)
            unit[table_field_copy(f, unit, sizeof(unit) - 1)] = '\0';
        else if (r->kind[i] == FIELD_VALUE)
            value = f;
    }
    rb_code_t rc = RB_OK;
    if (name != NULL && *name != '\0') { /* rules of a page have no metric */
        const size_t column = add_column(r, hardware_metric(name, unit));
        char *launch = launch_of(r);
        const bool same = r->launch != NULL && strcmp(launch, r->launch) == 0 &&
                          (has_kind(r, FIELD_LAUNCH) || column >= t->rows[t->n_rows - 1].n_values ||
                           isnan(t->rows[t->n_rows - 1].values[column]));
        free(r->launch);
        r->launch = launch;
        if (!same)
            rc = add_row(r, err);
        if (!same && rc == RB_OK)
            rc = take_launch(r, &t->rows[t->n_rows - 1], err);
        if (rc == RB_OK) {
            widen(&t->rows[t->n_rows - 1], t->n_columns);
            take_value(r, t->n_rows - 1, column, value, take_unit(r, column, unit));
        }
    }
    free(name);
    return rc;
}

/* A header again: the tables of several runs of Nsight Compute in one file. */
static bool is_header_again(const reading_t *r)
{
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const table_field_t *f = &r->reader.fields[i];
        if (r->kind[i] == FIELD_KERNEL && r->launches)
            return f->len == 11 && memcmp(f->at, "Kernel Name", 11) == 0;
    }
    return false;
}

/* Reads the next row of the table. What the tool and the program print between rows and behind them is
 * skipped: rows of Nsight Compute begin with a quote. */
static rb_code_t next_row(reading_t *r, bool *more, rb_err_t *err)
{
    const char *line;
    size_t len;
    for (;;) {
        RB_TRY(table_reader_peek_line(&r->reader, &line, &len, err));
        *more = line != NULL;
        if (!*more)
            return RB_OK;
        const bool empty = len == 0 || (len == 1 && line[0] == '\r');
        const bool message = len >= 2 && memcmp(line, "==", 2) == 0;
        if (!empty && !message && (!r->quoted || line[0] == '"'))
            break;
        table_reader_skip_line(&r->reader, len);
    }
    return table_reader_row(&r->reader, more, err);
}

static rb_code_t read_rows(reading_t *r, rb_err_t *err)
{
    bool more;
    RB_TRY(find_header(r, err));
    for (;;) {
        RB_TRY(next_row(r, &more, err));
        if (!more)
            break;
        if (r->reader.n_fields != r->n_fields)
            return rb_fail(err, RB_TRACE, "%s:%llu: %u fields where the header has %u",
                           r->table->file, (unsigned long long)r->reader.line, r->reader.n_fields,
                           r->n_fields);
        if (is_header_again(r))
            continue;
        if (is_units(r))
            take_units(r);
        else
            RB_TRY(r->metrics ? take_metric(r, err) : take_row(r, err));
    }
    if (r->table->n_rows == 0)
        return rb_fail(err, RB_TRACE, "%s: there are no rows after the header", r->table->file);
    return RB_OK;
}

/* Decides which of '.' and ',' is the decimal mark, and gives all rows all columns. */
static rb_code_t finish(reading_t *r, rb_err_t *err)
{
    hardware_table_t *t = r->table;
    for (size_t i = 0; i < t->n_rows; i++)
        widen(&t->rows[i], t->n_columns + 1);
    if (r->point_line != 0 && r->comma_line != 0)
        return rb_fail(err, RB_TRACE,
                       "%s: line %llu has a decimal point and line %llu a decimal comma", t->file,
                       (unsigned long long)r->point_line, (unsigned long long)r->comma_line);
    for (size_t i = 0; i < r->n_other && r->comma_line != 0; i++)
        t->rows[r->other[i].row].values[r->other[i].column] = r->other[i].comma;
    return RB_OK;
}

rb_code_t hardware_table_read(hardware_table_t *t, const char *path, rb_err_t *err)
{
    profile_input_t *in = NULL;
    *t = (hardware_table_t){.file = rb_strdup(path)};
    reading_t r = {.table = t};
    RB_TRY(profile_input_open(&in, path, err));
    table_reader_init(&r.reader, in);
    rb_code_t rc = read_rows(&r, err);
    if (rc == RB_OK)
        rc = finish(&r, err);
    table_reader_free(&r.reader);
    profile_input_close(in);
    free(r.kind);
    free(r.column);
    free(r.scale);
    free(r.launch);
    free(r.other);
    return rc;
}

void hardware_table_free(hardware_table_t *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        free(t->rows[i].program);
        free(t->rows[i].kernel);
        free(t->rows[i].values);
    }
    for (size_t i = 0; i < t->n_columns; i++) {
        free(t->columns[i]);
        free(t->unknown_unit[i]);
    }
    free(t->columns);
    free(t->unknown_unit);
    free(t->rows);
    free(t->file);
    *t = (hardware_table_t){0};
}
