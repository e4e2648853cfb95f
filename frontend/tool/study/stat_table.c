#include "frontend/tool/study/stat_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/profile/profile_number.h"
#include "frontend/input/profile/table_reader.h"
#include "sim/core/alloc.h"

/* Files of 0.2.0 and older have no intervals. */
enum { PATH, VALUE, UNIT, LOW, HIGH, COLUMNS, OLD_COLUMNS = LOW };

void stat_table_free(stat_table_t *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->rows[i].path);
        free(t->rows[i].text);
        free(t->rows[i].unit);
    }
    free(t->rows);
    *t = (stat_table_t){0};
}

static bool is_text(const table_field_t *f, const char *text)
{
    return f->len == strlen(text) && memcmp(f->at, text, f->len) == 0;
}

/* Whether text is that of a field with a suffix. */
static bool is_part(const table_field_t *f, const char *text, const char *suffix)
{
    return strncmp(text, f->at, f->len) == 0 && strcmp(text + f->len, suffix) == 0;
}

static rb_code_t bad_row(const table_reader_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE,
                   "%s:%llu: not a row of a stats.csv: path,value,unit,low,high is expected",
                   r->path, (unsigned long long)r->line);
}

/* The number in a column; NAN if the field is empty or missing. */
static rb_code_t row_number(const table_reader_t *r, size_t column, double *value, rb_err_t *err)
{
    *value = (double)NAN;
    if (column >= r->n_fields)
        return RB_OK;
    const table_field_t *f = &r->fields[column];
    if (f->len > 0 && (!profile_number(f->at, f->len, value) || !isfinite(*value)))
        return bad_row(r, err);
    return RB_OK;
}

/* Processes a row, whose fields are those of r. */
typedef rb_code_t (*take_row_t)(void *ctx, const table_reader_t *r, rb_err_t *err);

static rb_code_t read_rows(table_reader_t *r, take_row_t take, void *ctx, rb_err_t *err)
{
    bool more;
    RB_TRY(table_reader_row(r, &more, err));
    const size_t columns = r->n_fields;
    if (!more || (columns != COLUMNS && columns != OLD_COLUMNS) ||
        !is_text(&r->fields[PATH], "path"))
        return bad_row(r, err);
    for (;;) {
        RB_TRY(table_reader_row(r, &more, err));
        if (!more)
            return RB_OK;
        if (r->n_fields != columns || r->fields[PATH].len == 0)
            return bad_row(r, err);
        RB_TRY(take(ctx, r, err));
    }
}

static rb_code_t read_file(const char *where, take_row_t take, void *ctx, rb_err_t *err)
{
    struct stat st;
    profile_input_t *in;
    table_reader_t reader;
    size_t n = strlen(where) + sizeof("/stats.csv");
    char *path = rb_calloc(n, 1);
    bool folder = stat(where, &st) == 0 && S_ISDIR(st.st_mode);
    snprintf(path, n, "%s%s", where, folder ? "/stats.csv" : "");
    rb_code_t rc = profile_input_open(&in, path, err);
    if (rc == RB_OK) {
        table_reader_init(&reader, in);
        rc = read_rows(&reader, take, ctx, err);
        table_reader_free(&reader);
        profile_input_close(in);
    }
    free(path);
    return rc;
}

static rb_code_t keep_row(void *ctx, const table_reader_t *r, rb_err_t *err)
{
    stat_table_t *t = ctx;
    rb_grow(&t->rows, &t->cap, t->n + 1, sizeof(*t->rows));
    stat_row_t *row = &t->rows[t->n++];
    *row = (stat_row_t){.path = table_field_text(&r->fields[PATH]),
                        .text = table_field_text(&r->fields[VALUE]),
                        .unit = table_field_text(&r->fields[UNIT])};
    RB_TRY(row_number(r, VALUE, &row->value, err));
    if (strcmp(row->path, "totals.estimated") == 0)
        t->estimated = row->value > 0;
    RB_TRY(row_number(r, LOW, &row->low, err));
    return row_number(r, HIGH, &row->high, err);
}

rb_code_t stat_table_read(stat_table_t *t, const char *where, rb_err_t *err)
{
    *t = (stat_table_t){0};
    rb_code_t rc = read_file(where, keep_row, t, err);
    if (rc != RB_OK)
        stat_table_free(t);
    return rc;
}

typedef struct {
    const char *const *paths;
    size_t n;
    double *values;
} wanted_t;

static rb_code_t take_wanted(void *ctx, const table_reader_t *r, rb_err_t *err)
{
    static const struct {
        const char *suffix;
        size_t column;
    } parts[] = {{"", VALUE}, {":low", LOW}, {":high", HIGH}};
    const wanted_t *w = ctx;
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
            if (is_part(&r->fields[PATH], w->paths[i], parts[k].suffix))
                RB_TRY(row_number(r, parts[k].column, &w->values[i], err));
        }
    }
    return RB_OK;
}

rb_code_t stat_values_read(const char *where, const char *const *paths, size_t n, double *values,
                           rb_err_t *err)
{
    wanted_t w = {.paths = paths, .n = n, .values = values};
    for (size_t i = 0; i < n; i++)
        values[i] = (double)NAN;
    return read_file(where, take_wanted, &w, err);
}

const stat_row_t *stat_table_find(const stat_table_t *t, const char *path, size_t hint)
{
    if (hint < t->n && strcmp(t->rows[hint].path, path) == 0)
        return &t->rows[hint];
    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->rows[i].path, path) == 0)
            return &t->rows[i];
    }
    return NULL;
}

/* Counters are grouped by parts of the chip. Totals and ratios are excluded: they do not add up. */
static bool is_counter(const char *path)
{
    return strncmp(path, "totals.", 7) != 0 && strncmp(path, "simulated.", 10) != 0 &&
           strncmp(path, "metrics.", 8) != 0;
}

static bool same_kind(const stat_change_t *a, const stat_change_t *b)
{
    size_t n = strcspn(a->path, ".") + 1;
    return strncmp(a->path, b->path, n) == 0 && strcmp(a->unit, b->unit) == 0;
}

static double zero_if_nothing(double v)
{
    return isfinite(v) ? v : 0.0;
}

static double moved(const stat_change_t *c)
{
    return fabs(zero_if_nothing(c->b) - zero_if_nothing(c->a));
}

static int order(double x, double y)
{
    x = isfinite(x) ? fabs(x) : 0.0;
    y = isfinite(y) ? fabs(y) : 0.0;
    return (x < y) - (x > y);
}

static int by_weight(const void *a, const void *b)
{
    const stat_change_t *x = a, *y = b;
    bool cx = isfinite(x->share), cy = isfinite(y->share);
    if (cx != cy)
        return cx ? 1 : -1;
    int c = cx ? order(x->share, y->share) : 0;
    c = c != 0 ? c : order(x->relative, y->relative);
    return c != 0 ? c : strcmp(x->path, y->path);
}

/* The interval of a row of a table; a value that is no estimate is one without width. */
static void interval_of(const stat_table_t *t, const stat_row_t *row, double *low, double *high)
{
    *low = *high = (double)NAN;
    if (row == NULL)
        return;
    *low = t->estimated ? row->low : row->value;
    *high = t->estimated ? row->high : row->value;
}

/* Whether an uncertain difference may be none. */
static bool may_be_equal(const stat_change_t *c)
{
    const bool uncertain = c->a_low < c->a_high || c->b_low < c->b_high;
    return uncertain && c->a_low <= c->b_high && c->b_low <= c->a_high;
}

/* A row and the one with the same path in the other table; one of them may be NULL. */
static void add_change(stat_change_t *list, size_t *n, const stat_table_t *of_a,
                       const stat_row_t *a, const stat_table_t *of_b, const stat_row_t *b)
{
    const stat_row_t *row = a != NULL ? a : b;
    stat_change_t c = {
        .path = row->path,
        .unit = row->unit,
        .a = a != NULL ? a->value : (double)NAN,
        .b = b != NULL ? b->value : (double)NAN,
        .share = (double)NAN,
    };
    bool both = isfinite(c.a) && isfinite(c.b);
    if (both ? c.a == c.b : !isfinite(c.a) && !isfinite(c.b))
        return;
    c.relative = both && c.a != 0.0 ? (c.b - c.a) / c.a : (double)NAN;
    interval_of(of_a, a, &c.a_low, &c.a_high);
    interval_of(of_b, b, &c.b_low, &c.b_high);
    c.overlap = may_be_equal(&c);
    list[(*n)++] = c;
}

stat_change_t *stat_changes(const stat_table_t *a, const stat_table_t *b, size_t *n)
{
    stat_change_t *list = rb_calloc(a->n + b->n + 1, sizeof(*list));
    *n = 0;
    for (size_t i = 0; i < a->n; i++)
        add_change(list, n, a, &a->rows[i], b, stat_table_find(b, a->rows[i].path, i));
    for (size_t i = 0; i < b->n; i++) {
        if (stat_table_find(a, b->rows[i].path, i) == NULL)
            add_change(list, n, a, NULL, b, &b->rows[i]);
    }
    for (size_t i = 0; i < *n; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < *n; k++)
            sum += same_kind(&list[i], &list[k]) ? moved(&list[k]) : 0.0;
        if (is_counter(list[i].path) && sum > 0.0)
            list[i].share = moved(&list[i]) / sum;
    }
    qsort(list, *n, sizeof(*list), by_weight);
    return list;
}
