/* Profiles in the form of text tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_columns.h"
#include "frontend/input/profile/profile_number.h"
#include "sim/core/alloc.h"

enum {
    PREAMBLE_ROWS = 100, /* limit for messages that tools print before the header */
    SHOWN = 40,          /* bytes of a field shown in a message */
};

static rb_code_t field_fault(const table_reader_t *r, uint32_t column, const char *what,
                             rb_err_t *err)
{
    const table_field_t *f = &r->fields[column];
    return rb_fail(err, RB_TRACE, "%s:%llu: column %u: '%.*s' is not a %s", r->path,
                   (unsigned long long)r->line, column + 1, (int)(f->len < SHOWN ? f->len : SHOWN),
                   f->at, what);
}

static bool is_blank_row(const table_reader_t *r)
{
    return r->n_fields == 1 && r->fields[0].len == 0;
}

static bool starts(const table_field_t *f, const char *text)
{
    size_t n = strlen(text);
    return f->len >= n && memcmp(f->at, text, n) == 0;
}

/* Nsight Systems and nvprof list copies and memory sets among the launches. */
static bool is_launch(const table_field_t *name)
{
    return !starts(name, "[CUDA ") && !starts(name, "[Unified ");
}

static bool read_u32(const char *s, uint32_t len, uint32_t *out)
{
    double v;
    if (!profile_number(s, len, &v) || !(v >= 0.0 && v <= (double)UINT32_MAX) || v != floor(v))
        return false;
    *out = (uint32_t)v;
    return true;
}

/* "(50, 1, 1)", "50x1x1", "[50,1,1]" or "50". */
static bool read_dimensions(const table_field_t *f, uint32_t dim[3])
{
    const char *s = f->at, *end = s + f->len;
    unsigned n = 0;
    dim[0] = dim[1] = dim[2] = 1;
    while (s < end) {
        if (strchr(" (),x[]", *s) != NULL) {
            s++;
            continue;
        }
        const char *from = s;
        while (s < end && (unsigned)(*s - '0') <= 9)
            s++;
        if (s == from || n == 3 || !read_u32(from, (uint32_t)(s - from), &dim[n++]))
            return false;
    }
    return n > 0;
}

static rb_code_t read_id(const table_reader_t *r, uint32_t column, profile_t *p, uint64_t row,
                         rb_err_t *err)
{
    const table_field_t *f = &r->fields[column];
    double v;
    if (!profile_number(f->at, f->len, &v) || !(v >= 1.0 && v < 0x1p53) || v != floor(v))
        return field_fault(r, column, "launch id: they count from 1", err);
    p->id[row] = (uint64_t)v;
    return RB_OK;
}

static rb_code_t read_counter(const table_reader_t *r, const column_map_t *m,
                              const column_use_t *use, double *out, rb_err_t *err)
{
    const table_field_t *f = &r->fields[use->column];
    double v = 0.0;
    bool unknown = f->len == 0 && m->accelsim; /* Accel-Sim does not print counters that are 0 */
    if (!unknown && !profile_number(f->at, f->len, &v))
        return field_fault(r, use->column, "number", err);
    if (!(v >= 0.0 && isfinite(v)))
        return field_fault(r, use->column, "count", err);
    *out += v * use->scale;
    return RB_OK;
}

static rb_code_t read_use(const table_reader_t *r, const column_map_t *m, const column_use_t *use,
                          profile_t *p, uint64_t row, rb_err_t *err)
{
    const table_field_t *f = &r->fields[use->column];
    bool good = true;
    double lanes = 0.0;
    switch (use->kind) {
    case COLUMN_ID:
        return read_id(r, use->column, p, row, err);
    case COLUMN_GRID:
        good = read_dimensions(f, p->grid[row]);
        break;
    case COLUMN_BLOCK:
        good = read_dimensions(f, p->block[row]);
        break;
    case COLUMN_GRID_X:
    case COLUMN_GRID_Y:
    case COLUMN_GRID_Z:
        good = read_u32(f->at, f->len, &p->grid[row][use->kind - COLUMN_GRID_X]);
        break;
    case COLUMN_BLOCK_X:
    case COLUMN_BLOCK_Y:
    case COLUMN_BLOCK_Z:
        good = read_u32(f->at, f->len, &p->block[row][use->kind - COLUMN_BLOCK_X]);
        break;
    case COLUMN_LANES:
        RB_TRY(read_counter(r, m, use, &lanes, err));
        p->counter[PROFILE_THREAD_INSTS][row] = lanes * p->counter[PROFILE_WARP_INSTS][row];
        break;
    case COLUMN_COUNTER:
        return read_counter(r, m, use, &p->counter[use->counter][row], err);
    default:
        break;
    }
    return good ? RB_OK : field_fault(r, use->column, "number of blocks or threads", err);
}

/* "name--12": Accel-Sim's script appends the number of the launch among those of the same name. */
static size_t without_count(const char *name, size_t len)
{
    size_t n = len;
    while (n > 0 && (unsigned)(name[n - 1] - '0') <= 9)
        n--;
    return n < len && n > 2 && name[n - 1] == '-' && name[n - 2] == '-' ? n - 2 : len;
}

static rb_code_t read_name_and_time(const table_reader_t *r, const column_map_t *m,
                                    profile_builder_t *b, rb_err_t *err)
{
    enum { NAME_MAX_BYTES = 1 << 16 };
    char copy[NAME_MAX_BYTES];
    const table_field_t *name = &r->fields[m->name];
    const char *text = name->at;
    size_t len = name->len;
    double duration = 0.0;
    if (len > sizeof(copy))
        return rb_fail(err, RB_TRACE, "%s:%llu: a kernel name of %zu bytes", r->path,
                       (unsigned long long)r->line, len);
    if (name->doubled) {
        len = table_field_copy(name, copy, sizeof(copy));
        text = copy;
    }
    if (m->accelsim)
        len = without_count(text, len);
    if (m->has.time && !profile_number(r->fields[m->time].at, r->fields[m->time].len, &duration))
        return field_fault(r, m->time, m->time_is_cycles ? "number of cycles" : "duration", err);
    return profile_builder_add(b, text, len, duration, r->line, err);
}

static rb_code_t read_launch(const table_reader_t *r, const column_map_t *m, profile_builder_t *b,
                             rb_err_t *err)
{
    profile_t *p = b->p;
    RB_TRY(read_name_and_time(r, m, b, err));
    uint64_t row = p->n - 1;
    if (p->grid != NULL)
        p->grid[row][0] = p->grid[row][1] = p->grid[row][2] = 1;
    if (p->block != NULL)
        p->block[row][0] = p->block[row][1] = p->block[row][2] = 1;
    for (int c = 0; c < PROFILE_COUNTERS; c++) {
        if (p->counter[c] != NULL)
            p->counter[c][row] = 0.0;
    }
    for (uint32_t i = 0; i < m->n_uses; i++)
        RB_TRY(read_use(r, m, &m->uses[i], p, row, err));
    return RB_OK;
}

static rb_code_t wrong_width(const table_reader_t *r, const column_map_t *m, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%llu: %u fields where the header has %u: %s", r->path,
                   (unsigned long long)r->line, r->n_fields, m->n_columns,
                   r->n_fields < m->n_columns ? "the row is truncated"
                                              : "text that holds the separator needs quotes");
}

static rb_code_t read_rows(table_reader_t *r, column_map_t *m, profile_builder_t *b, rb_err_t *err)
{
    bool more, units = false;
    RB_TRY(table_reader_row(r, &more, err));
    if (more)
        RB_TRY(column_map_units(m, r, &units, err));
    profile_builder_init(b, r->path, m->format, &m->has, m->time_is_cycles, m->time_scale);
    if (units)
        RB_TRY(table_reader_row(r, &more, err));
    while (more) {
        if (r->n_fields != m->n_columns) {
            if (!is_blank_row(r) && !starts(&r->fields[0], "=="))
                return wrong_width(r, m, err);
        } else if (is_launch(&r->fields[m->name])) {
            RB_TRY(read_launch(r, m, b, err));
        } else {
            b->p->skipped++;
        }
        RB_TRY(table_reader_row(r, &more, err));
    }
    return RB_OK;
}

/* A table with one column per kernel holds only durations, in nanoseconds. */
static rb_code_t read_column_row(const table_reader_t *r, char *const *names, uint32_t n_names,
                                 profile_builder_t *b, rb_err_t *err)
{
    double duration;
    if (r->n_fields > n_names)
        return rb_fail(err, RB_TRACE, "%s:%llu: %u fields where the header has %u", r->path,
                       (unsigned long long)r->line, r->n_fields, n_names);
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const table_field_t *f = &r->fields[i];
        if (f->len == 0)
            continue;
        if (!profile_number(f->at, f->len, &duration))
            return field_fault(r, i, "duration", err);
        RB_TRY(profile_builder_add(b, names[i], strlen(names[i]), duration, r->line, err));
    }
    return RB_OK;
}

static rb_code_t no_header(const char *path, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE,
                   "%s: no header of a profile in the first %d lines: it needs a column of kernel "
                   "names ('Name', 'Kernel Name') and one of durations ('Duration (ns)', 'dur_us', "
                   "'cycles', 'gpu__time_duration.sum')",
                   path, PREAMBLE_ROWS);
}

static void free_names(char **names, uint32_t n)
{
    if (names == NULL)
        return;
    for (uint32_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

/* The names of the columns if every one is a text that is not a number, else NULL; the caller frees
 * them. */
static char **column_names(const table_reader_t *r)
{
    char **names = rb_calloc(r->n_fields, sizeof(*names));
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const table_field_t *f = &r->fields[i];
        double number;
        if (f->len == 0 || profile_number(f->at, f->len, &number)) {
            free_names(names, r->n_fields);
            return NULL;
        }
        names[i] = rb_calloc(f->len + 1u, 1);
        table_field_copy(f, names[i], f->len);
    }
    return names;
}

/* Takes ownership of names. */
static rb_code_t read_columns(table_reader_t *r, char **names, uint32_t n_names,
                              profile_builder_t *b, rb_err_t *err)
{
    static const profile_has_t has = {.time = true};
    bool more;
    profile_builder_init(b, r->path, "table of one column per kernel", &has, false, 1.0);
    rb_code_t rc = table_reader_row(r, &more, err);
    while (rc == RB_OK && more) {
        rc = read_column_row(r, names, n_names, b, err);
        if (rc == RB_OK)
            rc = table_reader_row(r, &more, err);
    }
    free_names(names, n_names);
    return rc;
}

/* Whether a line consists of numbers and separators. */
static bool is_numbers(const char *line, size_t len)
{
    bool digit = false;
    for (size_t i = 0; i < len; i++) {
        if (strchr("0123456789.+-eE,;\t\r \"", line[i]) == NULL || line[i] == '\0')
            return false;
        digit = digit || (unsigned)(line[i] - '0') <= 9;
    }
    return digit;
}

static char separator_of(const char *line, size_t len)
{
    if (memchr(line, '\t', len) != NULL)
        return '\t';
    return memchr(line, ',', len) == NULL && memchr(line, ';', len) != NULL ? ';' : ',';
}

/* Finds the header and reads the rows after it. */
static rb_code_t read_all(table_reader_t *r, profile_builder_t *b, rb_err_t *err)
{
    column_map_t map;
    for (int i = 0; i < PREAMBLE_ROWS; i++) {
        const char *line;
        size_t len;
        bool more;
        RB_TRY(table_reader_peek_line(r, &line, &len, err));
        if (line == NULL)
            break;
        r->separator = separator_of(line, len);
        RB_TRY(table_reader_row(r, &more, err));
        if (column_map_read(&map, r->fields, r->n_fields))
            return read_rows(r, &map, b, err);
        if (i > 0)
            continue;
        char **names = column_names(r);
        uint32_t n_names = r->n_fields;
        RB_TRY(table_reader_peek_line(r, &line, &len, err));
        if (names != NULL && line != NULL && is_numbers(line, len))
            return read_columns(r, names, n_names, b, err);
        free_names(names, n_names);
    }
    return no_header(r->path, err);
}

rb_code_t profile_read_table(profile_t **out, profile_input_t *in, rb_err_t *err)
{
    table_reader_t reader;
    profile_builder_t b = {0};
    table_reader_init(&reader, in);
    rb_code_t rc = read_all(&reader, &b, err);
    if (rc == RB_OK)
        rc = profile_builder_finish(&b, out, err);
    profile_builder_free(&b);
    table_reader_free(&reader);
    return rc;
}
