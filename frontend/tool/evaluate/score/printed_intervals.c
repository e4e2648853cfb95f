#include "frontend/tool/evaluate/score/printed_intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/report/json_walk.h"
#include "sim/core/alloc.h"

typedef struct {
    printed_intervals_t *out;
    size_t first;    /* intervals of the launch being read */
    uint64_t launch; /* its id; 0: not known yet, or the whole run */
} reading_t;

/* The interval with the name path[0 .. n), whose members stand together. Ratios go by their names
 * alone. */
static printed_interval_t *interval_of(reading_t *r, const char *path, size_t n)
{
    static const char ratios[] = "metrics.";
    const size_t skip = sizeof(ratios) - 1;
    printed_intervals_t *out = r->out;
    if (n > skip && memcmp(path, ratios, skip) == 0) {
        path += skip;
        n -= skip;
    }
    for (size_t i = out->n; i > r->first; i--) {
        printed_interval_t *known = &out->list[i - 1];
        if (strlen(known->name) == n && memcmp(known->name, path, n) == 0)
            return known;
    }
    rb_grow(&out->list, &out->cap, out->n + 1, sizeof(*out->list));
    printed_interval_t *fresh = &out->list[out->n++];
    *fresh = (printed_interval_t){.name = rb_calloc(n + 1, 1), .low = NAN, .high = NAN};
    memcpy(fresh->name, path, n);
    return fresh;
}

/* path: below "interval". */
static void take_member(reading_t *r, const char *path, json_event_t e, const json_reader_t *json)
{
    const char *dot = strrchr(path, '.');
    if (dot == NULL)
        return;
    printed_interval_t *to = interval_of(r, path, (size_t)(dot - path));
    if (strcmp(dot, ".low") == 0 && e == JSON_READ_NUMBER) {
        to->low = json_read_f64(json);
    } else if (strcmp(dot, ".high") == 0 && e == JSON_READ_NUMBER) {
        to->high = json_read_f64(json);
    } else if ((strcmp(dot, ".note") == 0 || strcmp(dot, ".reason") == 0) &&
               e == JSON_READ_STRING) {
        free(to->note);
        to->note = rb_strdup(json->text);
    }
}

static void take_below(reading_t *r, const char *prefix, const char *path, json_event_t e,
                       const json_reader_t *json)
{
    const size_t n = strlen(prefix);
    if (strncmp(path, prefix, n) == 0)
        take_member(r, path + n, e, json);
}

static void launch_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *json)
{
    reading_t *r = ctx;
    if (strcmp(path, "id") == 0 && (e != JSON_READ_NUMBER || !json_read_u64(json, &r->launch)))
        r->launch = 0;
    take_below(r, "interval.", path, e, json);
}

static bool read_launches(void *ctx, json_reader_t *json)
{
    reading_t *r = ctx;
    const json_walk_t walk = {.leaf = launch_leaf, .ctx = r};
    for (json_event_t e; (e = json_next(json)) != JSON_READ_ARRAY_END;) {
        r->first = r->out->n;
        r->launch = 0;
        if (e != JSON_READ_OBJECT || !json_walk_object(json, &walk))
            return false;
        for (size_t i = r->first; i < r->out->n; i++)
            r->out->list[i].launch = r->launch;
    }
    r->first = r->out->n;
    return true;
}

static void run_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *json)
{
    take_below(ctx, "totals.interval.", path, e, json);
}

static int by_launch_and_name(const void *a, const void *b)
{
    const printed_interval_t *x = a, *y = b;
    if (x->launch != y->launch)
        return x->launch > y->launch ? 1 : -1;
    return strcmp(x->name, y->name);
}

rb_code_t printed_intervals_read(printed_intervals_t *r, const char *path, rb_err_t *err)
{
    *r = (printed_intervals_t){0};
    reading_t reading = {.out = r};
    const json_walk_t walk = {
        .leaf = run_leaf, .ctx = &reading, .array = "launches", .read_array = read_launches};
    RB_TRY(json_walk_file(path, &walk, err));
    if (r->n > 0)
        qsort(r->list, r->n, sizeof(*r->list), by_launch_and_name);
    return RB_OK;
}

void printed_intervals_free(printed_intervals_t *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->list[i].name);
        free(r->list[i].note);
    }
    free(r->list);
    *r = (printed_intervals_t){0};
}

const printed_interval_t *printed_intervals_find(const printed_intervals_t *r, uint64_t launch,
                                                 const char *name)
{
    /* A copy, because the key's members are not const. */
    char text[JSON_WALK_PATH];
    snprintf(text, sizeof(text), "%s", name);
    const printed_interval_t key = {.launch = launch, .name = text};
    return r->n > 0 ? bsearch(&key, r->list, r->n, sizeof(*r->list), by_launch_and_name) : NULL;
}

bool printed_intervals_any(const printed_intervals_t *r, uint64_t launch)
{
    return printed_intervals_find(r, launch, "cycles") != NULL;
}
