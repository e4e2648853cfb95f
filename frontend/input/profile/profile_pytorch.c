/*
 * PyTorch's profiler: a Chrome trace, JSON with an array traceEvents. A kernel launch is an event
 *   {"ph": "X", "cat": "kernel", "name": ..., "ts": us, "dur": us,
 *    "args": {"grid": [x, y, z], "block": [x, y, z], ...}}
 * (older versions write "Kernel"). Events are streamed; they need not be in order.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontend/input/profile/profile_builder.h"
#include "sim/core/alloc.h"
#include "sim/core/files/json_read.h"

static const double MICROSECOND = 1000.0;

/* The input of the JSON reader. */
typedef struct {
    profile_input_t *in;
    rb_err_t err;
} source_t;

typedef enum { EVENT_OTHER, EVENT_KERNEL, EVENT_COPY } event_kind_t;

typedef struct {
    json_reader_t json;
    source_t source;
    profile_builder_t b;
    double *start; /* owned; one per launch; microseconds */
    size_t cap_start;
    bool ascending;
    bool dims_missing; /* a launch has no grid or no block */
    /* The event being parsed. */
    event_kind_t kind;
    bool complete; /* "ph": "X" */
    bool has_grid, has_block;
    double ts, dur; /* NAN: not present */
    char *name;     /* owned */
    size_t cap_name, name_len;
    uint32_t grid[3], block[3];
} pytorch_t;

static long read_bytes(void *ctx, void *data, size_t size)
{
    source_t *s = ctx;
    size_t n;
    if (profile_input_read(s->in, data, size, &n, &s->err) != RB_OK) {
        errno = EIO;
        return -1;
    }
    return (long)n;
}

static event_kind_t kind_of(const char *category)
{
    if (strcasecmp(category, "kernel") == 0)
        return EVENT_KERNEL;
    if (strcasecmp(category, "memcpy") == 0 || strcasecmp(category, "memset") == 0 ||
        strcasecmp(category, "gpu_memcpy") == 0 || strcasecmp(category, "gpu_memset") == 0)
        return EVENT_COPY;
    return EVENT_OTHER;
}

/* Reads three numbers in brackets; *has tells whether the value had this form. False on an
 * error. */
static bool read_dim(json_reader_t *r, json_event_t e, uint32_t dim[3], bool *has)
{
    unsigned n = 0;
    if (e != JSON_READ_ARRAY)
        return json_skip(r, e);
    while ((e = json_next(r)) != JSON_READ_ARRAY_END) {
        uint64_t v;
        if (e == JSON_READ_ERROR)
            return false;
        if (e != JSON_READ_NUMBER || n == 3 || !json_read_u64(r, &v) || v < 1 || v > UINT32_MAX) {
            json_fail(r, "a grid or block that is not three numbers above 0");
            return false;
        }
        dim[n++] = (uint32_t)v;
    }
    *has = n == 3;
    return true;
}

static bool read_args(pytorch_t *p, json_event_t e)
{
    json_reader_t *r = &p->json;
    if (e != JSON_READ_OBJECT)
        return json_skip(r, e);
    while ((e = json_next(r)) == JSON_READ_KEY) {
        bool grid = strcmp(r->text, "grid") == 0, block = strcmp(r->text, "block") == 0;
        e = json_next(r);
        bool good = grid    ? read_dim(r, e, p->grid, &p->has_grid)
                    : block ? read_dim(r, e, p->block, &p->has_block)
                            : json_skip(r, e);
        if (!good)
            return false;
    }
    return e != JSON_READ_ERROR;
}

typedef enum { KEY_OTHER, KEY_PH, KEY_CAT, KEY_NAME, KEY_TS, KEY_DUR, KEY_ARGS } event_key_t;

static event_key_t key_of(const char *text)
{
    static const char *const keys[] = {"", "ph", "cat", "name", "ts", "dur", "args"};
    for (unsigned i = 1; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(text, keys[i]) == 0)
            return (event_key_t)i;
    }
    return KEY_OTHER;
}

static void keep_name(pytorch_t *p)
{
    rb_grow(&p->name, &p->cap_name, p->json.length + 1, 1);
    memcpy(p->name, p->json.text, p->json.length);
    p->name_len = p->json.length;
}

/* Reads the value of a member, which begins with e. */
static bool read_member(pytorch_t *p, event_key_t key, json_event_t e)
{
    json_reader_t *r = &p->json;
    if (key == KEY_ARGS)
        return read_args(p, e);
    if (e == JSON_READ_STRING && key == KEY_PH)
        p->complete = strcmp(r->text, "X") == 0;
    else if (e == JSON_READ_STRING && key == KEY_CAT)
        p->kind = kind_of(r->text);
    else if (e == JSON_READ_STRING && key == KEY_NAME)
        keep_name(p);
    else if (e == JSON_READ_NUMBER && key == KEY_TS)
        p->ts = json_read_f64(r);
    else if (e == JSON_READ_NUMBER && key == KEY_DUR)
        p->dur = json_read_f64(r);
    return json_skip(r, e);
}

static bool add_launch(pytorch_t *p, rb_err_t *err)
{
    profile_t *out = p->b.p;
    uint64_t row = out->n, line = p->json.line;
    if (isnan(p->dur) || isnan(p->ts)) {
        json_fail(&p->json, "a kernel event without numbers 'ts' and 'dur'");
        return false;
    }
    const char *name = p->name_len > 0 ? p->name : "";
    if (profile_builder_add(&p->b, name, p->name_len, p->dur, line, err) != RB_OK)
        return false;
    memcpy(out->grid[row], p->grid, sizeof(p->grid));
    memcpy(out->block[row], p->block, sizeof(p->block));
    p->dims_missing = p->dims_missing || !p->has_grid || !p->has_block;
    rb_grow(&p->start, &p->cap_start, row + 1, sizeof(*p->start));
    p->start[row] = p->ts;
    p->ascending = p->ascending && (row == 0 || p->start[row - 1] <= p->ts);
    return true;
}

/* Reads an event after its opening brace. False on an error, in p->json.err or *err. */
static bool read_event(pytorch_t *p, rb_err_t *err)
{
    json_reader_t *r = &p->json;
    json_event_t e;
    p->kind = EVENT_OTHER;
    p->complete = p->has_grid = p->has_block = false;
    p->ts = p->dur = NAN;
    p->name_len = 0;
    while ((e = json_next(r)) == JSON_READ_KEY) {
        event_key_t key = key_of(r->text);
        if (!read_member(p, key, json_next(r)))
            return false;
    }
    if (e == JSON_READ_ERROR)
        return false;
    if (!p->complete || p->kind == EVENT_OTHER)
        return true;
    if (p->kind == EVENT_KERNEL)
        return add_launch(p, err);
    p->b.p->skipped++;
    return true;
}

/* Reads the array of events after its opening bracket. */
static bool read_events(pytorch_t *p, rb_err_t *err)
{
    json_reader_t *r = &p->json;
    json_event_t e;
    while ((e = json_next(r)) != JSON_READ_ARRAY_END) {
        if (e == JSON_READ_ERROR || !(e == JSON_READ_OBJECT ? read_event(p, err) : json_skip(r, e)))
            return false;
    }
    return true;
}

/* *found: the document has an array of events. */
static bool read_document(pytorch_t *p, bool *found, rb_err_t *err)
{
    json_reader_t *r = &p->json;
    json_event_t e = json_next(r);
    *found = e == JSON_READ_ARRAY;
    if (*found && !read_events(p, err))
        return false;
    if (e == JSON_READ_OBJECT) {
        while ((e = json_next(r)) == JSON_READ_KEY) {
            bool events = strcmp(r->text, "traceEvents") == 0;
            e = json_next(r);
            *found = *found || (events && e == JSON_READ_ARRAY);
            if (!(events && e == JSON_READ_ARRAY ? read_events(p, err) : json_skip(r, e)))
                return false;
        }
    }
    return e != JSON_READ_ERROR && json_next(r) == JSON_READ_END;
}

typedef struct {
    double start;
    uint64_t row;
} order_t;

static int compare_order(const void *x, const void *y)
{
    const order_t *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* Sorts a column, if it exists, into launch order. */
static void reorder(void *column, size_t size, const order_t *order, uint64_t n)
{
    if (column == NULL)
        return;
    char *sorted = rb_calloc(n, size), *data = column;
    for (uint64_t i = 0; i < n; i++)
        memcpy(sorted + i * size, data + order[i].row * size, size);
    memcpy(data, sorted, n * size);
    free(sorted);
}

static void sort_by_start(pytorch_t *p)
{
    profile_t *out = p->b.p;
    if (p->ascending)
        return;
    order_t *order = rb_calloc(out->n, sizeof(*order));
    for (uint64_t i = 0; i < out->n; i++)
        order[i] = (order_t){p->start[i], i};
    qsort(order, out->n, sizeof(*order), compare_order);
    reorder(out->name, sizeof(*out->name), order, out->n);
    reorder(out->time, sizeof(*out->time), order, out->n);
    reorder(out->grid, sizeof(*out->grid), order, out->n);
    reorder(out->block, sizeof(*out->block), order, out->n);
    free(order);
}

static rb_code_t read_all(pytorch_t *p, profile_t **out, const char *path, rb_err_t *err)
{
    bool found;
    rb_err_t content = {0};
    if (!read_document(p, &found, &content)) {
        /* Errors of an event, of the file, or of the JSON, in this order: an earlier one causes the
         * later ones. */
        const rb_err_t *why = content.code != RB_OK         ? &content
                              : p->source.err.code != RB_OK ? &p->source.err
                                                            : &p->json.err;
        return rb_fail(err, why->code, "%s", why->text);
    }
    if (!found)
        return rb_fail(
            err, RB_TRACE,
            "%s: JSON without an array 'traceEvents': not a profile of PyTorch's profiler", path);
    if (p->dims_missing) {
        free(p->b.p->grid);
        free(p->b.p->block);
        p->b.p->grid = p->b.p->block = NULL;
    }
    sort_by_start(p);
    return profile_builder_finish(&p->b, out, err);
}

rb_code_t profile_read_pytorch(profile_t **out, profile_input_t *in, rb_err_t *err)
{
    static const profile_has_t has = {.time = true, .grid = true, .block = true};
    const char *path = profile_input_path(in);
    pytorch_t *p = rb_calloc(1, sizeof(*p));
    p->source.in = in;
    p->ascending = true;
    profile_builder_init(&p->b, path, "PyTorch profile", &has, false, MICROSECOND);
    json_reader_init(&p->json, path, read_bytes, &p->source);
    rb_code_t rc = read_all(p, out, path, err);
    json_reader_free(&p->json);
    profile_builder_free(&p->b);
    free(p->start);
    free(p->name);
    free(p);
    return rc;
}
