#include "frontend/tool/report/run_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/report/json_walk.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* The position of the reader in run.json. */
typedef struct {
    run_data_t *data;
    run_data_launch_t *launch; /* being read */
    const char **sorted;       /* owned; the paths, sorted */
    size_t *index;             /* owned; indices of sorted in paths */
    bool schema;               /* present and supported */
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
    size_t i;
    FIND_FIRST(i, 0, r->data->n_paths, strcmp(r->sorted[i], path) >= 0);
    if (i < r->data->n_paths && strcmp(r->sorted[i], path) == 0)
        values[r->index[i]] = v;
}

static void put_text(char **to, const json_reader_t *r, json_event_t e)
{
    free(*to);
    *to = e == JSON_READ_STRING ? rb_strdup(r->text) : NULL;
}

static uint32_t small_number(const json_reader_t *r)
{
    uint64_t v = 0;
    return json_read_u64(r, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static void launch_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    reading_t *reading = ctx;
    run_data_launch_t *l = reading->launch;
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
    if (strcmp(path, "id") == 0 && !json_read_u64(r, &l->id))
        l->id = 0;
    if (strncmp(path, "grid[", 5) == 0 && path[5] <= '2')
        l->grid[path[5] - '0'] = small_number(r);
    if (strncmp(path, "block[", 6) == 0 && path[6] <= '2')
        l->block[path[6] - '0'] = small_number(r);
    put_value(reading, l->values, path, json_read_f64(r));
}

static bool read_launches(void *ctx, json_reader_t *json)
{
    reading_t *r = ctx;
    run_data_t *d = r->data;
    const json_walk_t walk = {.leaf = launch_leaf, .ctx = r};
    for (json_event_t e; (e = json_next(json)) != JSON_READ_ARRAY_END;) {
        if (e != JSON_READ_OBJECT)
            return false;
        rb_grow(&d->launches, &d->cap_launches, d->n_launches + 1, sizeof(*d->launches));
        r->launch = &d->launches[d->n_launches++];
        *r->launch = (run_data_launch_t){.values = new_values(d->n_paths)};
        if (!json_walk_object(json, &walk))
            return false;
        if (r->launch->name == NULL)
            r->launch->name = rb_strdup("");
    }
    return true;
}

static void run_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    enum { SCHEMA = 1, TOTALS = sizeof("totals.") - 1 };
    reading_t *reading = ctx;
    run_data_t *d = reading->data;
    const struct {
        const char *path;
        char **text;
    } texts[] = {{"rubato.version", &d->version},  {"rubato.commit", &d->commit},
                 {"command", &d->command},         {"config.name", &d->gpu},
                 {"trace.path", &d->trace},        {"sampling.method", &d->method},
                 {"simulated.warmup", &d->warmup}, {"totals.interval.cycles.note", &d->note}};
    const struct {
        const char *path;
        double *number;
    } numbers[] = {{"config.clock_mhz", &d->clock_mhz},
                   {"totals.interval.cycles.low", &d->cycles_low},
                   {"totals.interval.cycles.high", &d->cycles_high},
                   {"totals.interval.cycles.confidence", &d->confidence},
                   {"config.peaks.warp_instructions_per_second", &d->peak_issue},
                   {"config.peaks.fp16_operations_per_second", &d->peak_fp16},
                   {"config.peaks.fp32_operations_per_second", &d->peak_fp32},
                   {"config.peaks.fp64_operations_per_second", &d->peak_fp64},
                   {"config.peaks.tensor_operations_per_second", &d->peak_tensor},
                   {"config.peaks.l2_bytes_per_second", &d->peak_l2},
                   {"config.peaks.dram_bytes_per_second", &d->peak_dram}};
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
    double v = json_read_f64(r);
    if (strcmp(path, "schema") == 0)
        reading->schema = v == SCHEMA;
    if (strcmp(path, "trace.launches") == 0 && !json_read_u64(r, &d->trace_launches))
        d->trace_launches = 0;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(path, numbers[i].path) == 0)
            *numbers[i].number = v;
    }
    if (strncmp(path, "totals.", TOTALS) == 0)
        put_value(reading, d->totals, path + TOTALS, v);
    else
        put_value(reading, d->totals, path, v);
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
                      .confidence = (double)NAN,
                      .peak_issue = (double)NAN,
                      .peak_fp16 = (double)NAN,
                      .peak_fp32 = (double)NAN,
                      .peak_fp64 = (double)NAN,
                      .peak_tensor = (double)NAN,
                      .peak_l2 = (double)NAN,
                      .peak_dram = (double)NAN};
    reading_t r = {.data = d};
    const json_walk_t walk = {
        .leaf = run_leaf, .ctx = &r, .array = "launches", .read_array = read_launches};
    sort_paths(&r);
    rb_code_t rc = json_walk_file(d->file, &walk, err);
    free(r.sorted);
    free(r.index);
    if (rc == RB_OK && !r.schema)
        rc = rb_fail(err, RB_TRACE,
                     "%s: not a run.json that this version can read: results of 'rubato run' with "
                     "\"schema\": 1 are expected",
                     d->file);
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
    free(d->warmup);
    free(d->note);
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
