#include "frontend/input/profile/hardware_table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_number.h"
#include "frontend/input/profile/table_reader.h"
#include "sim/core/alloc.h"

enum {
    PREAMBLE_ROWS = 1000, /* limit for messages that the profiled program and the tool print before
                           * the table */
    COLUMNS_MAX = 20000,
    UNIT_BYTES = 64,
    VALUES_MAX = 1 << 26, /* a larger table is refused: it would not fit into memory */
};

typedef enum {
    FIELD_COUNTER,
    FIELD_OTHER,
    FIELD_KERNEL,
    FIELD_PROGRAM,
    FIELD_GRID,
    FIELD_BLOCK
} field_kind_t;

typedef struct {
    hardware_table_t *table;
    table_reader_t reader;
    field_kind_t *kind; /* owned; one per field of a row */
    double *scale;      /* owned */
    uint32_t n_fields;
    bool launches; /* the header is Nsight Compute's */
} reading_t;

/* Columns that describe a launch instead of counting something. */
static field_kind_t kind_of(const char *name)
{
    static const struct {
        const char *name;
        field_kind_t kind;
    } known[] = {
        {"Kernel Name", FIELD_KERNEL}, {"Kernel", FIELD_KERNEL},      {"kernel", FIELD_KERNEL},
        {"app", FIELD_PROGRAM},        {"Benchmark", FIELD_PROGRAM},  {"benchmark", FIELD_PROGRAM},
        {"Grid Size", FIELD_GRID},     {"Block Size", FIELD_BLOCK},   {"ID", FIELD_OTHER},
        {"Process ID", FIELD_OTHER},   {"Process Name", FIELD_OTHER}, {"Host Name", FIELD_OTHER},
        {"Context", FIELD_OTHER},      {"Stream", FIELD_OTHER},       {"Device", FIELD_OTHER},
        {"CC", FIELD_OTHER},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(name, known[i].name) == 0)
            return known[i].kind;
    }
    return FIELD_COUNTER;
}

static bool has_kind(const reading_t *r, field_kind_t kind)
{
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] == kind)
            return true;
    }
    return false;
}

/* Interprets the row just read as the header; false if it is not one. */
static bool take_header(reading_t *r)
{
    hardware_table_t *t = r->table;
    r->n_fields = r->reader.n_fields;
    if (r->n_fields < 2 || r->n_fields > COLUMNS_MAX)
        return false;
    free(r->kind);
    free(r->scale);
    r->kind = rb_calloc(r->n_fields, sizeof(*r->kind));
    r->scale = rb_calloc(r->n_fields, sizeof(*r->scale));
    for (uint32_t i = 0; i < r->n_fields; i++) {
        char *name = table_field_text(&r->reader.fields[i]);
        r->kind[i] = kind_of(name);
        r->scale[i] = strstr(name, ".pct") != NULL ? 0.01 : 1.0; /* a row of units, if there is one,
                                                                  * overrides this */
        r->launches = r->launches || strcmp(name, "Kernel Name") == 0;
        free(name);
    }
    if (!has_kind(r, FIELD_KERNEL) && !has_kind(r, FIELD_PROGRAM))
        return false;
    t->columns = rb_calloc(r->n_fields, sizeof(*t->columns));
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] == FIELD_COUNTER)
            t->columns[t->n_columns++] = table_field_text(&r->reader.fields[i]);
    }
    t->has_shape = has_kind(r, FIELD_GRID) && has_kind(r, FIELD_BLOCK);
    t->kind = r->launches                 ? HARDWARE_LAUNCH
              : has_kind(r, FIELD_KERNEL) ? HARDWARE_KERNEL
                                          : HARDWARE_PROGRAM;
    return true;
}

static rb_code_t find_header(reading_t *r, rb_err_t *err)
{
    for (int i = 0; i < PREAMBLE_ROWS; i++) {
        bool more;
        RB_TRY(table_reader_row(&r->reader, &more, err));
        if (!more)
            break;
        if (take_header(r))
            return RB_OK;
    }
    return rb_fail(err, RB_TRACE,
                   "%s: no header of measured counters: a column 'Kernel Name' (Nsight Compute, "
                   "--page raw --csv), 'Kernel', 'app' or 'Benchmark' is expected",
                   r->table->file);
}

/* The factor for values in this unit: 0.01 for "%", 1e-9 for "nsecond", 1e3 for "Ksector". */
static double unit_scale(const char *unit)
{
    static const struct {
        const char *name;
        double scale;
    } whole[] = {{"%", 1e-2},       {"nsecond", 1e-9},   {"ns", 1e-9},
                 {"usecond", 1e-6}, {"us", 1e-6},        {"msecond", 1e-3},
                 {"ms", 1e-3},      {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6}};
    static const char prefixes[] = "KMGT";
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        if (strcmp(unit, whole[i].name) == 0)
            return whole[i].scale;
    }
    const char *prefix = unit[0] != '\0' && isalpha((unsigned char)unit[1])
                             ? strchr(prefixes, toupper((unsigned char)unit[0]))
                             : NULL;
    /* The "k" of "kernel" is not a prefix. */
    bool word = strncmp(unit, "kernel", 6) == 0 || strncmp(unit, "thread", 6) == 0;
    if (prefix == NULL || word || (islower((unsigned char)unit[0]) && unit[0] != 'k'))
        return 1.0;
    double scale = 1.0;
    for (const char *p = prefixes; p <= prefix; p++)
        scale *= 1e3;
    return scale;
}

static bool is_units(const reading_t *r)
{
    for (uint32_t i = 0; i < r->n_fields; i++) {
        if (r->kind[i] == FIELD_KERNEL && r->reader.fields[i].len != 0)
            return false;
    }
    return has_kind(r, FIELD_KERNEL);
}

static void take_units(reading_t *r)
{
    char unit[UNIT_BYTES];
    for (uint32_t i = 0; i < r->n_fields; i++) {
        size_t n = table_field_copy(&r->reader.fields[i], unit, sizeof(unit) - 1);
        unit[n] = '\0';
        r->scale[i] = unit_scale(unit);
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

/* Values that are not numbers ("n/a", texts of device attributes) count as not measured. */
static double read_value(const table_field_t *f, double scale)
{
    double v;
    bool number = f->len > 0 && profile_number(f->at, f->len, &v) && isfinite(v);
    return number ? v * scale : (double)NAN;
}

static rb_code_t take_row(reading_t *r, rb_err_t *err)
{
    hardware_table_t *t = r->table;
    if ((t->n_rows + 1) * (t->n_columns + 1) > VALUES_MAX)
        return rb_fail(err, RB_TRACE, "%s:%llu: more than %d values: profile fewer metrics",
                       t->file, (unsigned long long)r->reader.line, VALUES_MAX);
    rb_grow(&t->rows, &t->cap_rows, t->n_rows + 1, sizeof(*t->rows));
    hardware_row_t *row = &t->rows[t->n_rows++];
    *row = (hardware_row_t){.values = rb_calloc(t->n_columns + 1, sizeof(*row->values)),
                            .line = r->reader.line};
    size_t column = 0;
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const table_field_t *f = &r->reader.fields[i];
        if (r->kind[i] == FIELD_COUNTER) {
            row->values[column++] = read_value(f, r->scale[i]);
            continue;
        }
        char *text = table_field_text(f);
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

/* Lines between rows: messages of Nsight Compute and empty lines. */
static bool is_message(const reading_t *r)
{
    const table_field_t *f = &r->reader.fields[0];
    return (r->reader.n_fields == 1 && f->len == 0) || (f->len >= 2 && memcmp(f->at, "==", 2) == 0);
}

static rb_code_t read_rows(reading_t *r, rb_err_t *err)
{
    bool more;
    RB_TRY(find_header(r, err));
    RB_TRY(table_reader_row(&r->reader, &more, err));
    if (more && r->reader.n_fields == r->n_fields && is_units(r)) {
        take_units(r);
        RB_TRY(table_reader_row(&r->reader, &more, err));
    }
    while (more) {
        if (r->reader.n_fields == r->n_fields)
            RB_TRY(take_row(r, err));
        else if (!is_message(r))
            return rb_fail(err, RB_TRACE, "%s:%llu: %u fields where the header has %u",
                           r->table->file, (unsigned long long)r->reader.line, r->reader.n_fields,
                           r->n_fields);
        RB_TRY(table_reader_row(&r->reader, &more, err));
    }
    if (r->table->n_rows == 0)
        return rb_fail(err, RB_TRACE, "%s: there are no rows after the header", r->table->file);
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
    table_reader_free(&r.reader);
    profile_input_close(in);
    free(r.kind);
    free(r.scale);
    return rc;
}

void hardware_table_free(hardware_table_t *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        free(t->rows[i].program);
        free(t->rows[i].kernel);
        free(t->rows[i].values);
    }
    for (size_t i = 0; i < t->n_columns; i++)
        free(t->columns[i]);
    free(t->columns);
    free(t->rows);
    free(t->file);
    *t = (hardware_table_t){0};
}
