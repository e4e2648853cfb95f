/* The section of a detectors.json: observations of samplers inside launches. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/report/json_walk.h"
#include "frontend/tool/report/report_page.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

typedef struct {
    FILE *out;
    page_kernel_name_t name;
    uint64_t every; /* keep one in this many rows of a series */
    bool schema;
    size_t bytes, bytes_max, n_launches, n_written; /* bytes are totals over all launches */
} detectors_t;

static bool copy_value(const detectors_t *d, json_reader_t *r, json_event_t e, FILE *out);

static bool copy_array(const detectors_t *d, json_reader_t *r, uint64_t every, FILE *out)
{
    uint64_t i = 0;
    putc('[', out);
    for (json_event_t e; (e = json_next(r)) != JSON_READ_ARRAY_END; i++) {
        bool kept = i % every == 0;
        if (kept && i > 0)
            putc(',', out);
        if (kept ? !copy_value(d, r, e, out) : !json_skip(r, e))
            return false;
    }
    putc(']', out);
    return true;
}

static bool copy_member(const detectors_t *d, json_reader_t *r, FILE *out)
{
    char text[256];
    bool kernel = strcmp(r->text, "kernel") == 0, rows = strcmp(r->text, "rows") == 0;
    page_key(out, r->text);
    json_event_t e = json_next(r);
    if (kernel && e == JSON_READ_STRING) {
        page_text(out, d->name(text, sizeof(text), r->text));
        return true;
    }
    return rows && e == JSON_READ_ARRAY ? copy_array(d, r, d->every, out)
                                        : copy_value(d, r, e, out);
}

static bool copy_object(const detectors_t *d, json_reader_t *r, FILE *out)
{
    bool first = true;
    putc('{', out);
    for (json_event_t e; (e = json_next(r)) != JSON_READ_OBJECT_END;) {
        if (e != JSON_READ_KEY)
            return false;
        if (!first)
            putc(',', out);
        first = false;
        if (!copy_member(d, r, out))
            return false;
    }
    putc('}', out);
    return true;
}

/* The reader limits the depth of values to JSON_READ_MAX_DEPTH. */
static bool copy_value(const detectors_t *d, json_reader_t *r, json_event_t e, FILE *out)
{
    switch (e) {
    case JSON_READ_OBJECT:
        return copy_object(d, r, out);
    case JSON_READ_ARRAY:
        return copy_array(d, r, 1, out);
    case JSON_READ_STRING:
        page_text(out, r->text);
        return true;
    case JSON_READ_NUMBER:
        page_number(out, json_read_f64(r));
        return true;
    case JSON_READ_TRUE:
    case JSON_READ_FALSE:
        fputs(e == JSON_READ_TRUE ? "true" : "false", out);
        return true;
    case JSON_READ_NULL:
        fputs("null", out);
        return true;
    default:
        return false;
    }
}

static bool copy_launch(detectors_t *d, json_reader_t *r)
{
    memory_file_t memory;
    size_t n;
    bool good = copy_object(d, r, memory_file_open(&memory));
    char *text = memory_file_close(&memory, &n);
    d->n_launches++;
    d->bytes += n;
    if (good && d->bytes <= d->bytes_max) {
        fputs(d->n_written++ > 0 ? ",\n" : "\n", d->out);
        fwrite(text, 1, n, d->out);
    }
    free(text);
    return good;
}

static bool read_launches(void *ctx, json_reader_t *r)
{
    for (json_event_t e; (e = json_next(r)) != JSON_READ_ARRAY_END;) {
        if (e != JSON_READ_OBJECT || !copy_launch(ctx, r))
            return false;
    }
    return true;
}

static void top_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    enum { SCHEMA = 1 };
    detectors_t *d = ctx;
    if (strcmp(path, "schema") == 0 && e == JSON_READ_NUMBER)
        d->schema = json_read_f64(r) == SCHEMA;
}

rb_code_t page_detectors(FILE *out, const char *path, const char *title, size_t bytes_max,
                         page_kernel_name_t name, rb_err_t *err)
{
    struct stat st;
    detectors_t d = {.out = out, .name = name, .every = 1, .bytes_max = bytes_max};
    const json_walk_t walk = {
        .leaf = top_leaf, .ctx = &d, .array = "launches", .read_array = read_launches};
    /* A large file has long series, which are thinned. */
    if (stat(path, &st) == 0 && (uint64_t)st.st_size > bytes_max)
        d.every = ((uint64_t)st.st_size + bytes_max - 1) / bytes_max;
    fputs("{\"type\":\"detectors\",", out);
    page_text_member(out, "title", title);
    fputs("\"launches\":[", out);
    rb_code_t rc = json_walk_file(path, &walk, err);
    if (rc == RB_OK && !d.schema)
        rc = rb_fail(err, RB_TRACE, "%s: not a detectors.json that this version can read", path);
    fputs("],", out);
    page_key(out, "n_launches");
    page_number(out, (double)d.n_launches);
    putc('}', out);
    return rc;
}
