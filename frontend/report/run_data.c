#include "frontend/report/run_data.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/alloc.h"
#include "sim/core/json_read.h"

enum { PATH_BYTES = 160 };

/* Where in run.json the reader is. */
typedef struct {
    run_data_t *data;
    json_reader_t json;
    const char **sorted; /* owned: the paths */
    size_t *index;       /* owned: of sorted, in paths */
    bool schema;         /* said, and one that is known */
} reading_t;

typedef struct {
    const char *path;
    size_t index;
} path_key_t;

static int by_path(const void *a, const void *b)
{
    return strcmp(((const path_key_t *)a)->path, ((const path_key_t *)b)->path);
}

static void sort_paths(reading_t *r)
{
    const run_data_t *d = r->data;
    path_key_t *keys = rb_calloc(d->n_paths + 1, sizeof(*keys));
    for (size_t i = 0; i < d->n_paths; i++)
        keys[i] = (path_key_t){d->paths[i], i};
    qsort(keys, d->n_paths, sizeof(*keys), by_path);
    r->sorted = rb_calloc(d->n_paths + 1, sizeof(*r->sorted));
    r->index = rb_calloc(d->n_paths + 1, sizeof(*r->index));
    for (size_t i = 0; i < d->n_paths; i++) {
        r->sorted[i] = keys[i].path;
        r->index[i] = keys[i].index;
    }
    free(keys);
}

static double *new_values(size_t n)
{
    double *values = rb_calloc(n + 1, sizeof(*values));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)NAN;
    return values;
}

static void put_value(const reading_t *r, double *values, const char *path, double v)
{
    size_t low = 0, high = r->data->n_paths;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(r->sorted[middle], path);
        if (order == 0) {
            values[r->index[middle]] = v;
            return;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
}

/* A leaf of run.json: its path below the object that is read, and the event that it came as. */
typedef void (*leaf_fn)(reading_t *r, void *ctx, const char *path, json_event_t e);

/*
 * What is done with the leaves of an object. Members of arrays have "[0]" and so on in their path.
 * array: the path of one that read_array() reads instead; NULL: none.
 */
typedef struct {
    leaf_fn leaf;
    void *ctx;
    const char *array;
    bool (*read_array)(reading_t *r);
} walk_t;

static bool walk_value(reading_t *r, const walk_t *w, char path[PATH_BYTES], size_t n,
                       json_event_t e);

static bool walk_object(reading_t *r, const walk_t *w, char path[PATH_BYTES], size_t n)
{
    for (json_event_t e; (e = json_next(&r->json)) != JSON_READ_OBJECT_END;) {
        if (e != JSON_READ_KEY)
            return false;
        int more = snprintf(path + n, PATH_BYTES - n, "%s%s", n > 0 ? "." : "", r->json.text);
        /* A longer path is none of ours. */
        size_t end = more > 0 && n + (size_t)more < PATH_BYTES ? n + (size_t)more : PATH_BYTES - 1;
        if (!walk_value(r, w, path, end, json_next(&r->json)))
            return false;
        path[n] = '\0';
    }
    return true;
}

static bool walk_array(reading_t *r, const walk_t *w, char path[PATH_BYTES], size_t n)
{
    unsigned i = 0;
    for (json_event_t e; (e = json_next(&r->json)) != JSON_READ_ARRAY_END; i++) {
        int more = snprintf(path + n, PATH_BYTES - n, "[%u]", i);
        size_t end = more > 0 && n + (size_t)more < PATH_BYTES ? n + (size_t)more : PATH_BYTES - 1;
        if (!walk_value(r, w, path, end, e))
            return false;
        path[n] = '\0';
    }
    return true;
}

static bool walk_value(reading_t *r, const walk_t *w, char path[PATH_BYTES], size_t n,
                       json_event_t e)
{
    if (e == JSON_READ_ERROR || e == JSON_READ_END)
        return false;
    if (e == JSON_READ_OBJECT)
        return walk_object(r, w, path, n);
    if (e == JSON_READ_ARRAY && w->array != NULL && strcmp(path, w->array) == 0)
        return w->read_array(r);
    if (e == JSON_READ_ARRAY)
        return walk_array(r, w, path, n);
    w->leaf(r, w->ctx, path, e);
    return true;
}

static void put_text(char **to, const reading_t *r, json_event_t e)
{
    free(*to);
    *to = e == JSON_READ_STRING ? rb_strdup(r->json.text) : NULL;
}

static uint32_t small_number(const reading_t *r)
{
    uint64_t v = 0;
    return json_read_u64(&r->json, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static void launch_leaf(reading_t *r, void *ctx, const char *path, json_event_t e)
{
    run_data_launch_t *l = ctx;
    if (strcmp(path, "name") == 0)
        put_text(&l->name, r, e);
    else if (strcmp(path, "sampling.sampler") == 0)
        put_text(&l->sampler, r, e);
    else if (strcmp(path, "sampling.evidence") == 0)
        put_text(&l->evidence, r, e);
    else if (strcmp(path, "sampling.estimated") == 0)
        l->estimated = e == JSON_READ_TRUE;
    if (e != JSON_READ_NUMBER)
        return;
    if (strcmp(path, "id") == 0 && !json_read_u64(&r->json, &l->id))
        l->id = 0;
    if (strncmp(path, "grid[", 5) == 0 && path[5] <= '2')
        l->grid[path[5] - '0'] = small_number(r);
    if (strncmp(path, "block[", 6) == 0 && path[6] <= '2')
        l->block[path[6] - '0'] = small_number(r);
    put_value(r, l->values, path, json_read_f64(&r->json));
}

static bool read_launches(reading_t *r)
{
    run_data_t *d = r->data;
    char path[PATH_BYTES] = "";
    for (json_event_t e; (e = json_next(&r->json)) != JSON_READ_ARRAY_END;) {
        if (e != JSON_READ_OBJECT)
            return false;
        rb_grow(&d->launches, &d->cap_launches, d->n_launches + 1, sizeof(*d->launches));
        run_data_launch_t *l = &d->launches[d->n_launches++];
        *l = (run_data_launch_t){.values = new_values(d->n_paths)};
        const walk_t walk = {.leaf = launch_leaf, .ctx = l};
        if (!walk_object(r, &walk, path, 0))
            return false;
        if (l->name == NULL)
            l->name = rb_strdup("");
    }
    return true;
}

static void run_leaf(reading_t *r, void *ctx, const char *path, json_event_t e)
{
    enum { SCHEMA = 1, TOTALS = sizeof("totals.") - 1 };
    run_data_t *d = ctx;
    const struct {
        const char *path;
        char **text;
    } texts[] = {{"rubato.version", &d->version}, {"rubato.commit", &d->commit},
                 {"command", &d->command},        {"config.name", &d->gpu},
                 {"trace.path", &d->trace},       {"sampling.method", &d->method}};
    const struct {
        const char *path;
        double *number;
    } numbers[] = {{"config.clock_mhz", &d->clock_mhz},
                   {"totals.interval.cycles.low", &d->cycles_low},
                   {"totals.interval.cycles.high", &d->cycles_high},
                   {"totals.interval.cycles.confidence", &d->confidence}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(path, texts[i].path) == 0)
            put_text(texts[i].text, r, e);
    }
    if (strcmp(path, "complete") == 0)
        d->complete = e == JSON_READ_TRUE;
    else if (strcmp(path, "totals.estimated") == 0)
        d->estimated = e == JSON_READ_TRUE;
    if (e != JSON_READ_NUMBER)
        return;
    double v = json_read_f64(&r->json);
    if (strcmp(path, "schema") == 0)
        r->schema = v == SCHEMA;
    if (strcmp(path, "trace.launches") == 0 && !json_read_u64(&r->json, &d->trace_launches))
        d->trace_launches = 0;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(path, numbers[i].path) == 0)
            *numbers[i].number = v;
    }
    if (strncmp(path, "totals.", TOTALS) == 0)
        put_value(r, d->totals, path + TOTALS, v);
    else
        put_value(r, d->totals, path, v);
}

static rb_code_t read_all(reading_t *r, rb_err_t *err)
{
    char path[PATH_BYTES] = "";
    const walk_t walk = {
        .leaf = run_leaf, .ctx = r->data, .array = "launches", .read_array = read_launches};
    bool whole = json_next(&r->json) == JSON_READ_OBJECT && walk_object(r, &walk, path, 0) &&
                 json_next(&r->json) == JSON_READ_END;
    if (!whole && r->json.err.code != RB_OK)
        return rb_fail(err, r->json.err.code, "%s", r->json.err.text);
    if (!whole || !r->schema)
        return rb_fail(err, RB_TRACE,
                       "%s:%llu: not a run.json that this version can read: a run of 'rubato run' "
                       "with \"schema\": 1 is expected",
                       r->data->file, (unsigned long long)r->json.line);
    return RB_OK;
}

static char *find_file(const char *where)
{
    static const char name[] = "/run.json";
    struct stat st;
    if (stat(where, &st) != 0 || !S_ISDIR(st.st_mode))
        return rb_strdup(where);
    char *path = rb_calloc(strlen(where) + sizeof(name), 1);
    strcpy(path, where);
    strcat(path, name);
    return path;
}

rb_code_t run_data_read(run_data_t *d, const char *where, const char *const *paths, size_t n_paths,
                        rb_err_t *err)
{
    *d = (run_data_t){.file = find_file(where),
                      .paths = paths,
                      .n_paths = n_paths,
                      .totals = new_values(n_paths),
                      .clock_mhz = (double)NAN,
                      .cycles_low = (double)NAN,
                      .cycles_high = (double)NAN,
                      .confidence = (double)NAN};
    FILE *in = fopen(d->file, "re");
    if (in == NULL)
        return rb_fail(err, RB_IO, "%s: %s", d->file, strerror(errno));
    reading_t r = {.data = d};
    sort_paths(&r);
    json_reader_init(&r.json, d->file, json_read_file, in);
    rb_code_t rc = read_all(&r, err);
    json_reader_free(&r.json);
    free(r.sorted);
    free(r.index);
    fclose(in);
    return rc;
}

void run_data_free(run_data_t *d)
{
    for (size_t i = 0; i < d->n_launches; i++) {
        run_data_launch_t *l = &d->launches[i];
        free(l->name);
        free(l->sampler);
        free(l->evidence);
        free(l->values);
    }
    free(d->launches);
    free(d->totals);
    free(d->file);
    free(d->version);
    free(d->commit);
    free(d->command);
    free(d->gpu);
    free(d->trace);
    free(d->method);
    *d = (run_data_t){0};
}

size_t run_data_path(const run_data_t *d, const char *path)
{
    size_t i = 0;
    while (i < d->n_paths && strcmp(d->paths[i], path) != 0)
        i++;
    RB_INVARIANT(i < d->n_paths, "%s is not read from run.json", path);
    return i;
}

const char *run_data_trace_name(const run_data_t *d)
{
    const char *path = d->trace != NULL ? d->trace : "", *name = path;
    for (const char *s = path; *s != '\0'; s++) {
        if (*s == '/' && s[1] != '\0' && s[1] != '/')
            name = s + 1;
    }
    return name;
}
