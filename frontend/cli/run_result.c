#include "frontend/cli/run_result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/cli/out_file.h"
#include "sim/core/alloc.h"
#include "sim/core/json_read.h"

enum { SCHEMA = 1 }; /* of run.json: report_json.c */

/* A number of run.json and where it goes. */
typedef struct {
    const char *name;
    size_t offset;
    bool real; /* a double; otherwise a uint64_t */
} member_t;

#define COUNT_OF(type, name, field)                                                                \
    {                                                                                              \
        name, offsetof(type, field), false                                                         \
    }
#define REAL_OF(type, name, field)                                                                 \
    {                                                                                              \
        name, offsetof(type, field), true                                                          \
    }

static const member_t launch_members[] = {
    COUNT_OF(run_launch_t, "id", r.info.id),
    COUNT_OF(run_launch_t, "start_cycle", r.start),
    COUNT_OF(run_launch_t, "cycles", r.end), /* relative to the start until the launch is whole */
    COUNT_OF(run_launch_t, "launch_latency_cycles", r.launch_cycles),
    COUNT_OF(run_launch_t, "blocks", r.blocks),
    COUNT_OF(run_launch_t, "warp_instructions", r.warp_insts),
    COUNT_OF(run_launch_t, "thread_instructions", r.thread_insts),
    COUNT_OF(run_launch_t, "copied_bytes", r.copied_bytes),
    REAL_OF(run_launch_t, "host_seconds", host_seconds),
};

static const member_t sampling_members[] = {
    COUNT_OF(run_launch_t, "cycle", r.sampling.cycle),
    COUNT_OF(run_launch_t, "block", r.sampling.block),
    COUNT_OF(run_launch_t, "simulated_blocks", r.sampling.simulated_blocks),
    COUNT_OF(run_launch_t, "simulated_cycles", r.sampling.simulated_cycles),
    COUNT_OF(run_launch_t, "simulated_warp_instructions", r.sampling.simulated_warp_insts),
    REAL_OF(run_launch_t, "weight", weight),
};

static const member_t totals_members[] = {
    COUNT_OF(run_totals_t, "cycles", cycles),
    COUNT_OF(run_totals_t, "launch_latency_cycles", launch_cycles),
    COUNT_OF(run_totals_t, "warp_instructions", warp_insts),
    COUNT_OF(run_totals_t, "thread_instructions", thread_insts),
    COUNT_OF(run_totals_t, "warp_slot_cycles", warp_slot_cycles),
    COUNT_OF(run_totals_t, "copied_bytes", copied_bytes),
};

static const member_t simulated_members[] = {
    COUNT_OF(run_totals_t, "launches", launches),
    COUNT_OF(run_totals_t, "blocks", run_blocks),
    COUNT_OF(run_totals_t, "cycles", run_cycles),
    COUNT_OF(run_totals_t, "warp_instructions", run_warp_insts),
};

#define MEMBERS(table) table, sizeof(table) / sizeof((table)[0])

/*
 * What is done with a member of an object; e is the first event of its value. False: it is not
 * wanted, and is skipped. An error of the reader stays with it.
 */
typedef bool (*take_fn)(json_reader_t *r, const char *key, json_event_t e, void *to);

static bool read_object(json_reader_t *r, take_fn take, void *to)
{
    char key[64];
    json_event_t e;
    while ((e = json_next(r)) == JSON_READ_KEY) {
        snprintf(key, sizeof(key), "%s", r->text);
        e = json_next(r);
        if (e == JSON_READ_ERROR)
            return false;
        if (!take(r, key, e, to) && !json_skip(r, e))
            return false;
        if (r->err.code != RB_OK)
            return false;
    }
    return e == JSON_READ_OBJECT_END;
}

static bool take_number(json_reader_t *r, const member_t *members, size_t n, const char *key,
                        json_event_t e, void *to)
{
    for (size_t i = 0; i < n; i++) {
        char *place = (char *)to + members[i].offset;
        if (strcmp(members[i].name, key) != 0)
            continue;
        if (e == JSON_READ_NULL)
            return true;
        if (e == JSON_READ_NUMBER && members[i].real)
            *(double *)(void *)place = json_read_f64(r);
        else if (e != JSON_READ_NUMBER || !json_read_u64(r, (uint64_t *)(void *)place))
            json_fail(r, "%s: a number is expected", key);
        return true;
    }
    return false;
}

/* A group of counters while it is read: they come in the order of the definitions. */
typedef struct {
    const stat_def_t *defs;
    size_t n, at;
    uint64_t *values;
} group_t;

static bool take_counter(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    group_t *g = to;
    for (size_t i = 0; i < g->n; i++, g->at++) {
        if (g->at >= g->n)
            g->at = 0;
        if (strcmp(g->defs[g->at].name, key) != 0)
            continue;
        if (e != JSON_READ_NUMBER || !json_read_u64(r, &g->values[g->at]))
            json_fail(r, "%s: a count is expected", key);
        return true;
    }
    return false;
}

/* A group of counters by its name: of a launch or of totals. */
static bool take_group(json_reader_t *r, const char *key, json_event_t e, sm_stats_t *sm,
                       l2_stats_t *l2, dram_stats_t *dram)
{
    group_t g;
    if (strcmp(key, "sm") == 0)
        g = (group_t){sm_stat_defs, SM_STAT_COUNT, 0, (uint64_t *)sm};
    else if (strcmp(key, "l2") == 0)
        g = (group_t){l2_stat_defs, L2_STAT_COUNT, 0, (uint64_t *)l2};
    else if (strcmp(key, "dram") == 0)
        g = (group_t){dram_stat_defs, DRAM_STAT_COUNT, 0, (uint64_t *)dram};
    else
        return false;
    if (e != JSON_READ_OBJECT)
        json_fail(r, "%s: counters are expected", key);
    else
        read_object(r, take_counter, &g);
    return true;
}

static bool take_sampling(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_launch_t *l = to;
    launch_sampling_t *s = &l->r.sampling;
    if (take_number(r, MEMBERS(sampling_members), key, e, l))
        return true;
    if (strcmp(key, "sampler") == 0 && e == JSON_READ_STRING)
        snprintf(s->sampler, sizeof(s->sampler), "%s", r->text);
    else if (strcmp(key, "evidence") == 0 && e == JSON_READ_STRING)
        snprintf(s->evidence, sizeof(s->evidence), "%s", r->text);
    else if (strcmp(key, "estimated") == 0)
        s->estimated = e == JSON_READ_TRUE;
    else
        return false;
    return true;
}

static bool take_occupancy(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_launch_t *l = to;
    uint64_t v = 0;
    if (strcmp(key, "blocks_per_sm") != 0 || e != JSON_READ_NUMBER)
        return false;
    if (!json_read_u64(r, &v) || v > UINT32_MAX)
        json_fail(r, "blocks_per_sm: a count is expected");
    l->r.occupancy.blocks_per_sm = (uint32_t)v;
    return true;
}

static bool take_launch(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_launch_t *l = to;
    if (take_number(r, MEMBERS(launch_members), key, e, l) ||
        take_group(r, key, e, &l->r.sm, &l->r.l2, &l->r.dram))
        return true;
    if (strcmp(key, "name") == 0 && e == JSON_READ_STRING && l->name == NULL)
        l->name = rb_strdup(r->text);
    else if (strcmp(key, "sampling") == 0 && e == JSON_READ_OBJECT)
        read_object(r, take_sampling, l);
    else if (strcmp(key, "occupancy") == 0 && e == JSON_READ_OBJECT)
        read_object(r, take_occupancy, l);
    else
        return false;
    return true;
}

static void complete_launch(run_launch_t *l)
{
    launch_sampling_t *s = &l->r.sampling;
    l->r.end += l->r.start;
    if (l->name == NULL)
        l->name = rb_strdup("");
    l->r.info.name = l->name;
    for (int i = 0; i < STATE_COUNT; i++)
        l->r.warp_slot_cycles += ((const uint64_t *)&l->r.sm)[i];
    if (s->estimated)
        return;
    s->simulated_blocks = l->r.blocks;
    s->simulated_cycles = launch_result_cycles(&l->r);
    s->simulated_warp_insts = l->r.warp_insts;
}

static int by_id(const void *a, const void *b)
{
    const run_launch_t *x = a, *y = b;
    return (x->r.info.id > y->r.info.id) - (x->r.info.id < y->r.info.id);
}

static void read_launches(json_reader_t *r, run_result_t *to)
{
    json_event_t e;
    while ((e = json_next(r)) == JSON_READ_OBJECT) {
        rb_grow(&to->launches, &to->cap, to->n + 1, sizeof(*to->launches));
        run_launch_t *l = &to->launches[to->n++];
        *l = (run_launch_t){.weight = 1.0};
        if (!read_object(r, take_launch, l))
            break;
        complete_launch(l);
        if (r->err.code != RB_OK)
            break;
    }
    if (e != JSON_READ_ARRAY_END && r->err.code == RB_OK)
        json_fail(r, "launches: objects are expected");
    qsort(to->launches, to->n, sizeof(*to->launches), by_id);
}

static bool take_cycles_interval(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_result_t *result = to;
    if (e == JSON_READ_NUMBER && strcmp(key, "low") == 0)
        result->low = json_read_f64(r);
    else if (e == JSON_READ_NUMBER && strcmp(key, "high") == 0)
        result->high = json_read_f64(r);
    else
        return false;
    return true;
}

static bool take_interval(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    if (strcmp(key, "cycles") != 0 || e != JSON_READ_OBJECT)
        return false;
    read_object(r, take_cycles_interval, to);
    return true;
}

static bool take_totals(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_result_t *result = to;
    run_totals_t *t = &result->totals;
    if (take_number(r, MEMBERS(totals_members), key, e, t) ||
        take_group(r, key, e, &t->sm, &t->l2, &t->dram))
        return true;
    if (strcmp(key, "estimated") == 0)
        result->estimated = e == JSON_READ_TRUE;
    else if (strcmp(key, "interval") == 0 && e == JSON_READ_OBJECT)
        read_object(r, take_interval, result);
    else
        return false;
    return true;
}

static bool take_simulated(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_result_t *result = to;
    return take_number(r, MEMBERS(simulated_members), key, e, &result->totals);
}

static bool take_host(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    run_result_t *result = to;
    if (strcmp(key, "seconds") != 0 || e != JSON_READ_NUMBER)
        return false;
    result->host_seconds = json_read_f64(r);
    return true;
}

static bool take_document(json_reader_t *r, const char *key, json_event_t e, void *to)
{
    static const struct {
        const char *name;
        take_fn take;
    } parts[] = {{"totals", take_totals}, {"simulated", take_simulated}, {"host", take_host}};
    uint64_t schema = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strcmp(key, parts[i].name) != 0 || e != JSON_READ_OBJECT)
            continue;
        read_object(r, parts[i].take, to);
        return true;
    }
    if (strcmp(key, "schema") == 0) {
        if (e != JSON_READ_NUMBER || !json_read_u64(r, &schema) || schema != SCHEMA)
            json_fail(r, "schema %d of results is expected", SCHEMA);
    } else if (strcmp(key, "complete") == 0) {
        if (e != JSON_READ_TRUE)
            json_fail(r, "the run was stopped before its end");
    } else if (strcmp(key, "launches") == 0 && e == JSON_READ_ARRAY) {
        read_launches(r, to);
    } else {
        return false;
    }
    return true;
}

static rb_code_t read_document(run_result_t *result, json_reader_t *r, rb_err_t *err)
{
    json_event_t e = json_next(r);
    if (e == JSON_READ_OBJECT)
        read_object(r, take_document, result);
    if (r->err.code == RB_OK && result->n == 0)
        json_fail(r, "no results of a run: 'totals' and 'launches' are expected");
    return r->err.code == RB_OK ? RB_OK : rb_fail(err, r->err.code, "%s", r->err.text);
}

rb_code_t run_result_read(run_result_t *result, const char *path, rb_err_t *err)
{
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    char *file = folder ? out_path(path, "run.json") : rb_strdup(path);
    FILE *in = fopen(file, "re");
    rb_code_t rc;
    *result = (run_result_t){.low = NAN, .high = NAN};
    if (in == NULL) {
        rc = rb_fail(err, RB_IO, "%s: %s", file, strerror(errno));
    } else {
        json_reader_t r;
        json_reader_init(&r, file, json_read_file, in);
        rc = read_document(result, &r, err);
        json_reader_free(&r);
        fclose(in);
    }
    free(file);
    return rc;
}

void run_result_free(run_result_t *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->launches[i].name);
    free(r->launches);
    *r = (run_result_t){0};
}

const run_launch_t *run_result_find(const run_result_t *r, uint64_t id)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->launches[middle].r.info.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->n && r->launches[low].r.info.id == id ? &r->launches[low] : NULL;
}
