#include "frontend/tool/run/run_arm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_number.h"
#include "frontend/input/profile/table_reader.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/library/stat_forms.h"
#include "frontend/tool/report/run_data.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_inside.h"
#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"

/* Columns that are not values of a launch. */
enum {
    COLUMN_NONE = STAT_VALUES,
    COLUMN_ID,
    COLUMN_NAME,
    COLUMN_GRID,
    COLUMN_STREAM,
    COLUMN_ESTIMATED,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_KINDS
};

static const struct {
    const char *name;
    unsigned kind;
} columns[] = {
    {"id", COLUMN_ID},
    {"name", COLUMN_NAME},
    {"grid_x", COLUMN_GRID},
    {"grid_y", COLUMN_GRID},
    {"grid_z", COLUMN_GRID},
    {"stream", COLUMN_STREAM},
    {"estimated", COLUMN_ESTIMATED},
    {"cycles_low", COLUMN_LOW},
    {"cycles_high", COLUMN_HIGH},
    {"cycles", VALUE_CYCLES},
    {"launch_latency_cycles", VALUE_LAUNCH_CYCLES},
    {"blocks", VALUE_BLOCKS},
    {"warp_instructions", VALUE_WARP_INSTS},
    {"thread_instructions", VALUE_THREAD_INSTS},
    {"copied_bytes", VALUE_COPIED_BYTES},
};

/* A launches.csv that is being read. */
typedef struct {
    run_arm_t *arm;
    table_reader_t *reader;
    const uint64_t *wanted; /* ids, ascending */
    uint64_t n_wanted;
    unsigned *kind; /* owned; of each column */
    size_t n_columns;
    bool seen[COLUMN_KINDS];
    double stream; /* of the first launch */
} reading_t;

static bool is_text(const table_field_t *f, const char *text)
{
    return f->len == strlen(text) && memcmp(f->at, text, f->len) == 0;
}

/* The counter with a path, among the values; COLUMN_NONE: there is none. */
static unsigned find_counter(const table_field_t *f)
{
    stat_group_t groups[REPORT_GROUPS];
    unsigned at = VALUE_COUNTERS;
    report_groups(groups, NULL, NULL, NULL);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        const size_t n = strlen(groups[g].path);
        for (size_t i = 0; i < groups[g].n; i++, at++) {
            const char *name = groups[g].defs[i].name;
            if (f->len == n + 1 + strlen(name) && memcmp(f->at, groups[g].path, n) == 0 &&
                f->at[n] == '.' && memcmp(f->at + n + 1, name, strlen(name)) == 0)
                return at;
        }
    }
    return COLUMN_NONE;
}

static unsigned kind_of(const table_field_t *f)
{
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        if (is_text(f, columns[i].name))
            return columns[i].kind;
    return find_counter(f);
}

static rb_code_t bad_row(const table_reader_t *r, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%llu: not a launches.csv of this version: %s", r->path,
                   (unsigned long long)r->line, what);
}

static rb_code_t read_head(reading_t *in, rb_err_t *err)
{
    table_reader_t *r = in->reader;
    bool more;
    RB_TRY(table_reader_row(r, &more, err));
    if (!more)
        return bad_row(r, "it is empty", err);
    in->n_columns = r->n_fields;
    in->kind = rb_calloc(in->n_columns + 1, sizeof(*in->kind));
    for (size_t i = 0; i < in->n_columns; i++) {
        in->kind[i] = kind_of(&r->fields[i]);
        in->seen[in->kind[i]] = true;
    }
    for (unsigned k = 0; k < COLUMN_KINDS; k++)
        if (!in->seen[k] && k != COLUMN_NONE)
            return bad_row(r, "columns are missing", err);
    return RB_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_wanted(const reading_t *in, uint64_t id)
{
    return in->wanted == NULL ||
           bsearch(&id, in->wanted, in->n_wanted, sizeof(id), by_number) != NULL;
}

/* With a zero behind it, so that fields do not run into each other. */
static uint64_t hash_field(uint64_t hash, const table_field_t *f)
{
    return fnv_bytes(fnv_bytes(hash, f->at, f->len), "", 1);
}

/* What the row says beside the values. */
typedef struct {
    double number[COLUMN_KINDS];
} row_t;

static rb_code_t read_number(reading_t *in, size_t column, double *out, rb_err_t *err)
{
    const table_field_t *f = &in->reader->fields[column];
    *out = (double)NAN;
    if (f->len > 0 && !profile_number(f->at, f->len, out))
        return bad_row(in->reader, "a number is expected", err);
    return RB_OK;
}

static rb_code_t read_row(reading_t *in, rb_err_t *err)
{
    const table_reader_t *r = in->reader;
    run_arm_t *arm = in->arm;
    row_t row;
    arm_launch_t l = {.name = FNV_START, .kernel = FNV_START};
    if (r->n_fields != in->n_columns)
        return bad_row(r, "the row is cut off", err);
    for (size_t i = 0; i < in->n_columns; i++) {
        const unsigned kind = in->kind[i];
        if (kind == COLUMN_NAME)
            l.name = hash_field(l.name, &r->fields[i]);
        if (kind == COLUMN_NAME || kind == COLUMN_GRID)
            l.kernel = hash_field(l.kernel, &r->fields[i]);
        else if (kind != COLUMN_NONE)
            RB_TRY(read_number(in, i, &row.number[kind], err));
        if (kind == COLUMN_ID && !is_wanted(in, (uint64_t)row.number[COLUMN_ID]))
            return RB_OK;
    }
    l.id = (uint64_t)row.number[COLUMN_ID];
    memcpy(l.values, row.number, sizeof(l.values));
    if (row.number[COLUMN_ESTIMATED] > 0)
        l.inside = pow((row.number[COLUMN_HIGH] - row.number[COLUMN_LOW]) / 2 /
                           interval_factor(0.95, INFINITY),
                       2);
    if (arm->n == 0)
        in->stream = row.number[COLUMN_STREAM];
    if (row.number[COLUMN_STREAM] != in->stream && arm->config != NULL)
        arm->overlaps = library_config_spec(arm->config)->gpu.concurrent_launches > 1;
    rb_grow(&arm->launches, &arm->cap, arm->n + 1, sizeof(*arm->launches));
    arm->launches[arm->n++] = l;
    return RB_OK;
}

static int by_id(const void *a, const void *b)
{
    const arm_launch_t *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static rb_code_t read_rows(reading_t *in, rb_err_t *err)
{
    bool more = true;
    RB_TRY(read_head(in, err));
    for (;;) {
        RB_TRY(table_reader_row(in->reader, &more, err));
        if (!more)
            return RB_OK;
        RB_TRY(read_row(in, err));
    }
}

rb_code_t run_arm_read(run_arm_t *arm, const char *folder, const plan_t *plan, rb_err_t *err)
{
    uint64_t *wanted = plan != NULL ? rb_calloc(plan->n_samples + 1, sizeof(*wanted)) : NULL;
    const uint64_t n_wanted = plan != NULL ? plan_launches(plan, wanted) : 0;
    if (plan == NULL ? arm->n > 0 && arm->wanted == NULL
                     : arm->wanted != NULL && arm->n_wanted == n_wanted &&
                           memcmp(arm->wanted, wanted, n_wanted * sizeof(*wanted)) == 0) {
        free(wanted);
        return RB_OK;
    }
    free(arm->wanted);
    arm->wanted = wanted;
    arm->n_wanted = n_wanted;
    arm->n = 0;
    char *path = out_path(folder, "launches.csv");
    reading_t in = {.arm = arm, .wanted = wanted, .n_wanted = n_wanted};
    profile_input_t *input;
    table_reader_t reader;
    rb_code_t rc = profile_input_open(&input, path, err);
    if (rc == RB_OK) {
        table_reader_init(&reader, input);
        in.reader = &reader;
        rc = read_rows(&in, err);
        table_reader_free(&reader);
        profile_input_close(input);
    }
    if (arm->n > 0)
        qsort(arm->launches, arm->n, sizeof(*arm->launches), by_id);
    free(in.kind);
    free(path);
    return rc;
}

/* Whether launches were left out and not walked. */
static rb_code_t look_for_cold(run_arm_t *arm, const char *folder, rb_err_t *err)
{
    run_data_t run;
    const rb_code_t rc = run_data_read(&run, folder, NULL, 0, err);
    arm->cold = rc == RB_OK && run.warmup != NULL && strcmp(run.warmup, "keep") == 0;
    run_data_free(&run);
    return rc;
}

rb_code_t run_arm_open(run_arm_t *arm, const char *folder, rb_err_t *err)
{
    if (!out_has(folder, "config.cfg"))
        return rb_fail(err, RB_USAGE, "%s: has no config.cfg: pairs need the folders of runs",
                       folder);
    char *config = out_path(folder, "config.cfg"), *plan = out_path(folder, PLAN_FILE_NAME),
         *units = out_path(folder, UNIT_FILE_NAME);
    arm->config = library_config_open(config, NULL, 0, err);
    rb_code_t rc = arm->config != NULL ? RB_OK : err->code;
    if (rc == RB_OK) {
        arm->forms = stat_forms(library_config_spec(arm->config));
        arm->sampled = out_has(folder, PLAN_FILE_NAME);
    }
    if (rc == RB_OK && arm->sampled)
        rc = plan_file_read(&arm->plan, plan, err);
    if (rc == RB_OK && arm->sampled)
        rc = look_for_cold(arm, folder, err);
    if (rc == RB_OK && !arm->sampled && out_has(folder, UNIT_FILE_NAME))
        rc = unit_file_read(&arm->units, units, err);
    free(config);
    free(plan);
    free(units);
    return rc;
}

void run_arm_free(run_arm_t *arm)
{
    rubato_config_destroy(arm->config);
    free(arm->forms.form);
    plan_free(&arm->plan);
    unit_file_free(&arm->units);
    free(arm->launches);
    free(arm->wanted);
    *arm = (run_arm_t){0};
}

const arm_launch_t *run_arm_find(const run_arm_t *arm, uint64_t id)
{
    const arm_launch_t key = {.id = id};
    return arm->n > 0 ? bsearch(&key, arm->launches, arm->n, sizeof(key), by_id) : NULL;
}
