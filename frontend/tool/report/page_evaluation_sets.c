/* The sets of samplers of an evaluation, for its section: errors and intervals over their seeds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/report/json_walk.h"
#include "frontend/tool/report/report_page.h"
#include "sim/core/alloc.h"

enum { SET_TEXTS = 4, SET_NUMBERS = 6, ROW_TEXTS = 1, ROW_NUMBERS = 12 };
static const char *const set_texts[SET_TEXTS] = {"sample", "variant", "warmup", "failure"};
static const char *const set_paths[SET_NUMBERS] = {"runs",   "failed",    "bound",
                                                   "within", "simulated", "speedup.cpu"};
static const char *const set_keys[SET_NUMBERS] = {"runs",   "failed",    "bound",
                                                  "within", "simulated", "cpu"};
static const char *const row_texts[ROW_TEXTS] = {"name"};
static const char *const row_paths[ROW_NUMBERS] = {
    "full",      "runs",  "bias",        "error_mean", "error_p95",  "error_max",
    "intervals", "exact", "no_interval", "coverage",   "half_width", "silent_share"};
static const char *const row_keys[ROW_NUMBERS] = {"full", "runs",     "bias",      "mean",
                                                  "p95",  "max",      "intervals", "exact",
                                                  "none", "coverage", "half",      "silent"};

/* Selected members of an object: texts and numbers by their paths. */
typedef struct {
    const char *const *text_paths, *const *number_paths;
    size_t n_texts, n_numbers;
    char *texts[SET_TEXTS]; /* owned */
    double numbers[ROW_NUMBERS];
} members_t;

typedef struct {
    FILE *out;
    size_t n_sets, n_rows;
    members_t set;
} sets_t;

static void members_begin(members_t *m)
{
    for (size_t i = 0; i < m->n_numbers; i++)
        m->numbers[i] = (double)NAN;
    for (size_t i = 0; i < m->n_texts; i++) {
        free(m->texts[i]);
        m->texts[i] = NULL;
    }
}

static void member_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    members_t *m = ctx;
    for (size_t i = 0; i < m->n_numbers && e == JSON_READ_NUMBER; i++) {
        if (strcmp(path, m->number_paths[i]) == 0)
            m->numbers[i] = json_read_f64(r);
    }
    for (size_t i = 0; i < m->n_texts && e == JSON_READ_STRING; i++) {
        if (strcmp(path, m->text_paths[i]) != 0)
            continue;
        free(m->texts[i]);
        m->texts[i] = rb_strdup(r->text);
    }
}

static void write_members(FILE *out, const members_t *m, const char *const *keys)
{
    for (size_t i = 0; i < m->n_texts; i++)
        page_text_member(out, m->text_paths[i], m->texts[i]);
    for (size_t i = 0; i < m->n_numbers; i++)
        page_number_member(out, keys[i], m->numbers[i]);
}

static bool read_statistics(void *ctx, json_reader_t *json)
{
    sets_t *s = ctx;
    members_t row = {row_texts, row_paths, ROW_TEXTS, ROW_NUMBERS, {NULL}, {0}};
    const json_walk_t walk = {.leaf = member_leaf, .ctx = &row};
    bool good = true;
    for (json_event_t e; good && (e = json_next(json)) != JSON_READ_ARRAY_END;) {
        members_begin(&row);
        good = e == JSON_READ_OBJECT && json_walk_object(json, &walk);
        if (!good)
            break;
        fputs(s->n_rows++ > 0 ? ",\n{" : "{", s->out);
        write_members(s->out, &row, row_keys);
        fputs("\"end\":0}", s->out);
    }
    members_begin(&row);
    return good;
}

static void set_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    sets_t *s = ctx;
    member_leaf(&s->set, path, e, r);
}

/* The statistics of a set are written while they are read, its other members after them. */
static bool read_sets(void *ctx, json_reader_t *json)
{
    sets_t *s = ctx;
    const json_walk_t walk = {
        .leaf = set_leaf, .ctx = s, .array = "statistics", .read_array = read_statistics};
    bool good = true;
    for (json_event_t e; good && (e = json_next(json)) != JSON_READ_ARRAY_END;) {
        s->set = (members_t){set_texts, set_paths, SET_TEXTS, SET_NUMBERS, {NULL}, {0}};
        members_begin(&s->set);
        s->n_rows = 0;
        fputs(s->n_sets++ > 0 ? ",\n{\"statistics\":[" : "{\"statistics\":[", s->out);
        good = e == JSON_READ_OBJECT && json_walk_object(json, &walk);
        fputs("],", s->out);
        write_members(s->out, &s->set, set_keys);
        fputs("\"end\":0}", s->out);
        members_begin(&s->set);
    }
    return good;
}

static void skip_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    (void)ctx;
    (void)path;
    (void)e;
    (void)r;
}

rb_code_t page_evaluation_sets(FILE *out, const char *path, rb_err_t *err)
{
    sets_t s = {.out = out};
    const json_walk_t walk = {
        .leaf = skip_leaf, .ctx = &s, .array = "sets", .read_array = read_sets};
    fputs("\"sets\":[", out);
    rb_code_t rc = json_walk_file(path, &walk, err);
    members_begin(&s.set);
    fputs("],", out);
    return rc;
}
