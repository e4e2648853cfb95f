#include "frontend/tool/cli/trace/info_suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/archive/archive_list.h"
#include "frontend/input/archive/trace_archive.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/library/open_trace.h"
#include "frontend/tool/library/trace_tree.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/json_write.h"
#include "sim/core/log.h"

typedef struct {
    char *name, *path;  /* owned */
    const char *format; /* NULL: it cannot be opened */
    uint64_t launches;  /* in an archive: number of kernel files; 0: unknown */
    uint64_t bytes;
    bool archived;
} row_t;

typedef struct {
    row_t *rows;
    size_t n, cap;
    const text_list_t *match;
    const char *tmpdir;
} rows_t;

bool info_is_suite(const char *path)
{
    return trace_tree_detect(path) || (trace_archive_stem(path) > 0 && !in_file_is_folder(path));
}

/* Adds a row, which takes the texts; not if its name does not match. */
static row_t *add_row(rows_t *rows, char *name, char *path)
{
    if (!trace_tree_match(name, rows->match->text, rows->match->n)) {
        free(name);
        free(path);
        return NULL;
    }
    rb_grow(&rows->rows, &rows->cap, rows->n + 1, sizeof(*rows->rows));
    rows->rows[rows->n] = (row_t){.name = name, .path = path};
    return &rows->rows[rows->n++];
}

static void add_size(void *ctx, const char *path, bool opened)
{
    uint64_t *bytes = ctx;
    struct stat st;
    (void)opened;
    *bytes += stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void look_at(rows_t *rows, const trace_tree_item_t *item)
{
    rb_err_t why = {0};
    row_t *row = add_row(rows, rb_strdup(item->name), rb_strdup(item->path));
    if (row == NULL)
        return;
    rubato_trace *trace = library_trace_open(item->path, rows->tmpdir, &why);
    if (trace == NULL) {
        rb_warn("%s", why.text);
        return;
    }
    trace_source_t *source = library_trace_source(trace);
    row->format = source->ops->name;
    row->launches = source->ops->n_launches(source);
    open_trace_files(source, add_size, &row->bytes);
    rubato_trace_destroy(trace);
}

/* prefix: of the traces' names. */
static rb_code_t look_into(rows_t *rows, const char *path, const char *prefix, rb_err_t *err)
{
    archive_list_t list;
    rb_code_t rc = archive_list_read(&list, path, err);
    for (size_t i = 0; rc == RB_OK && i < list.n; i++) {
        const archive_trace_t *t = &list.traces[i];
        row_t *row =
            add_row(rows, trace_tree_name(prefix, t->name), rb_format("%s:%s", path, t->name));
        if (row == NULL)
            continue;
        row->format = t->format;
        row->launches = t->grouped > 0 ? t->grouped : t->raw;
        row->bytes = t->bytes;
        row->archived = true;
    }
    archive_list_free(&list);
    return rc;
}

static rb_code_t look_at_all(rows_t *rows, const char *path, rb_err_t *err)
{
    trace_tree_t tree = {0};
    if (trace_archive_stem(path) > 0 && !in_file_is_folder(path))
        return look_into(rows, path, "", err);
    rb_code_t rc = trace_tree_find(&tree, path, "", NULL, err);
    for (size_t i = 0; rc == RB_OK && i < tree.n; i++) {
        if (!tree.items[i].archive) {
            look_at(rows, &tree.items[i]);
            continue;
        }
        char *prefix = rb_format("%s/", tree.items[i].name);
        rc = look_into(rows, tree.items[i].path, prefix, err);
        free(prefix);
    }
    trace_tree_free(&tree);
    return rc;
}

static void print_table(const rows_t *rows, const char *path, FILE *out)
{
    size_t width = sizeof("trace") - 1;
    bool archived = false;
    for (size_t i = 0; i < rows->n; i++) {
        const size_t n = strlen(rows->rows[i].name);
        width = n > width ? n : width;
        archived = archived || rows->rows[i].archived;
    }
    fprintf(out, "%s: %zu trace%s\n\n%-*s  %-8s %9s %10s\n", path, rows->n, rows->n > 1 ? "s" : "",
            (int)width, "trace", "format", "launches", "size");
    for (size_t i = 0; i < rows->n; i++) {
        const row_t *r = &rows->rows[i];
        char launches[FORMAT_MAX] = "-", bytes[FORMAT_MAX] = "-";
        if (r->launches > 0)
            format_grouped(launches, r->launches);
        if (r->bytes > 0)
            format_bytes(bytes, r->bytes);
        fprintf(out, "%-*s  %-8s %9s %10s%s\n", (int)width, r->name,
                r->format != NULL ? r->format : "damaged", launches, bytes,
                r->archived ? " *" : "");
    }
    if (archived)
        fputs("\n* in an archive: number of kernel files, and their size unpacked\n", out);
}

static void print_json(const rows_t *rows, const char *path, FILE *out)
{
    json_t j;
    json_init(&j, out);
    json_begin_object(&j, NULL);
    json_text(&j, "suite", path);
    json_begin_rows(&j, "traces");
    for (size_t i = 0; i < rows->n; i++) {
        const row_t *r = &rows->rows[i];
        json_begin_object(&j, NULL);
        json_text(&j, "name", r->name);
        json_text(&j, "path", r->path);
        json_text(&j, "format", r->format);
        json_bool(&j, "archived", r->archived);
        if (r->launches > 0)
            json_u64(&j, "launches", r->launches);
        else
            json_null(&j, "launches");
        json_u64(&j, "bytes", r->bytes);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

rb_code_t info_suite(const char *path, const text_list_t *match, bool json, const char *tmpdir,
                     FILE *out, rb_err_t *err)
{
    rows_t rows = {.match = match, .tmpdir = tmpdir};
    rb_code_t rc = look_at_all(&rows, path, err);
    if (rc == RB_OK && rows.n == 0)
        rc = rb_fail(err, RB_USAGE, "%s: there is no trace below%s", path,
                     match->n > 0 ? " that matches" : "");
    if (rc == RB_OK && json)
        print_json(&rows, path, out);
    else if (rc == RB_OK)
        print_table(&rows, path, out);
    for (size_t i = 0; i < rows.n; i++) {
        free(rows.rows[i].name);
        free(rows.rows[i].path);
    }
    free(rows.rows);
    return rc;
}
