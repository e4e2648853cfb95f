#include "sampling/plan/plan_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/json_read.h"
#include "sim/core/files/json_write.h"

#define SCHEMA "rubato-plan-1"

static const char *sampling_text(const plan_t *plan)
{
    if (plan->part)
        return "part of another choice";
    return !plan->random ? "chosen" : plan->replacement ? "random with replacement" : "random";
}

static void write_profile(const plan_t *plan, json_t *j)
{
    if (isnan(plan->profile_total)) {
        json_null(j, "profile");
        return;
    }
    json_begin_object(j, "profile");
    json_text(j, "unit", plan->profile_cycles ? "cycles" : "ns");
    json_f64(j, "total", plan->profile_total);
    json_f64(j, "predicted_total", plan->predicted_total);
    json_f64(j, "predicted_speedup", plan->predicted_speedup);
    json_f64(j, "error_bound", plan->error_bound);
    json_f64(j, "confidence", plan->confidence);
    json_end(j);
}

/* With draws and cycles only where they say something. */
static void write_samples(const plan_t *plan, uint64_t from, uint64_t to, json_t *j)
{
    json_begin_array(j, "samples");
    for (uint64_t i = from; i < to; i++) {
        const plan_sample_t *s = &plan->samples[i];
        json_begin_array(j, NULL);
        json_u64(j, NULL, s->launch);
        json_f64(j, NULL, s->weight);
        if (s->draws != 1 || s->cycles > 0)
            json_u64(j, NULL, s->draws);
        if (s->cycles > 0) {
            json_f64(j, NULL, s->cycles);
            json_u64(j, NULL, s->kernel);
        }
        json_end(j);
    }
    json_end(j);
}

static void write_clusters(const plan_t *plan, json_t *j)
{
    json_begin_rows(j, "clusters");
    for (uint64_t c = 0, at = 0; c < plan->n_clusters; c++) {
        const plan_cluster_t *cluster = &plan->clusters[c];
        uint64_t end = at;
        while (end < plan->n_samples && plan->samples[end].cluster == c)
            end++;
        json_begin_object(j, NULL);
        json_text(j, "name", plan->names[cluster->name]);
        json_u64(j, "size", cluster->size);
        json_f64(j, "mean", cluster->mean);
        json_f64(j, "sd", cluster->sd);
        write_samples(plan, at, end, j);
        json_end(j);
        at = end;
    }
    json_end(j);
}

static void write_plan(const plan_t *plan, const char *key, json_t *j)
{
    json_begin_object(j, key);
    json_text(j, "schema", SCHEMA);
    json_text(j, "method", plan->method);
    json_u64(j, "seed", plan->seed);
    json_u64(j, "launches", plan->n_launches);
    json_text(j, "sampling", sampling_text(plan));
    write_profile(plan, j);
    json_begin_rows(j, "warnings");
    for (size_t i = 0; i < plan->n_warnings; i++)
        json_text(j, NULL, plan->warnings[i]);
    json_end(j);
    write_clusters(plan, j);
    if (plan->base != NULL)
        write_plan(plan->base, "base", j);
    json_end(j);
}

void plan_write_json(const plan_t *plan, FILE *out)
{
    json_t j;
    json_init(&j, out);
    write_plan(plan, NULL, &j);
}

/* A plan that is being read. */
typedef struct {
    plan_t *plan;
    json_reader_t r;
    size_t names_cap, clusters_cap, samples_cap, warnings_cap;
    bool schema, launches, clusters, is_base;
} reading_t;

/* The functions below return false after the reader has set its message. */

static bool want(reading_t *g, json_event_t wanted, const char *what)
{
    json_event_t e = json_next(&g->r);
    if (e == wanted)
        return true;
    if (e != JSON_READ_ERROR)
        json_fail(&g->r, "%s is missing or has the wrong type", what);
    return false;
}

static bool read_u64(reading_t *g, const char *what, uint64_t *value)
{
    if (!want(g, JSON_READ_NUMBER, what))
        return false;
    if (json_read_u64(&g->r, value))
        return true;
    json_fail(&g->r, "%s: '%.40s' is not a whole number", what, g->r.text);
    return false;
}

/* A number; null is NAN. */
static bool read_f64(reading_t *g, const char *what, double *value)
{
    json_event_t e = json_next(&g->r);
    if (e == JSON_READ_NULL) {
        *value = NAN;
        return true;
    }
    if (e == JSON_READ_NUMBER) {
        *value = json_read_f64(&g->r);
        return true;
    }
    if (e != JSON_READ_ERROR)
        json_fail(&g->r, "%s is not a number", what);
    return false;
}

/* A string; free with free(). */
static bool read_text(reading_t *g, const char *what, char **text)
{
    if (!want(g, JSON_READ_STRING, what))
        return false;
    free(*text);
    *text = rb_strdup(g->r.text);
    return true;
}

/* Name of the next member, for strcmp(); NULL at the end of the object or on an error. */
static const char *next_key(reading_t *g, char key[32], bool *good)
{
    json_event_t e = json_next(&g->r);
    *good = e == JSON_READ_KEY || e == JSON_READ_OBJECT_END;
    if (e != JSON_READ_KEY)
        return NULL;
    snprintf(key, 32, "%s", g->r.text);
    return key;
}

static const char sample_form[] =
    "a sample is [launch, weight], [launch, weight, draws] or [launch, weight, draws, cycles, "
    "kernel]";

static bool read_sample(reading_t *g)
{
    plan_t *p = g->plan;
    plan_sample_t s = {.cluster = p->n_clusters, .draws = 1};
    if (!read_u64(g, "a sample's launch", &s.launch) || !read_f64(g, "a weight", &s.weight))
        return false;
    if (s.launch == 0 || !(s.weight > 0) || isinf(s.weight)) {
        json_fail(&g->r, "a sample needs a launch from 1 and a positive weight");
        return false;
    }
    json_event_t e = json_next(&g->r);
    if (e == JSON_READ_NUMBER) {
        uint64_t draws;
        if (!json_read_u64(&g->r, &draws) || draws == 0 || draws > UINT32_MAX) {
            json_fail(&g->r, "'%.40s' is not a valid number of draws", g->r.text);
            return false;
        }
        s.draws = (uint32_t)draws;
        e = json_next(&g->r);
    }
    if (e == JSON_READ_NUMBER) {
        s.cycles = json_read_f64(&g->r);
        if (!(s.cycles > 0) || isinf(s.cycles)) {
            json_fail(&g->r, "'%.40s' is not a valid number of cycles", g->r.text);
            return false;
        }
        if (!read_u64(g, "a sample's kernel", &s.kernel))
            return false;
        e = json_next(&g->r);
    }
    if (e != JSON_READ_ARRAY_END) {
        json_fail(&g->r, "%s", sample_form);
        return false;
    }
    rb_grow(&p->samples, &g->samples_cap, p->n_samples + 1, sizeof(*p->samples));
    p->samples[p->n_samples++] = s;
    p->clusters[p->n_clusters].draws += s.draws;
    return true;
}

static bool read_samples(reading_t *g)
{
    if (!want(g, JSON_READ_ARRAY, "the list of samples"))
        return false;
    json_event_t e;
    while ((e = json_next(&g->r)) == JSON_READ_ARRAY) {
        if (!read_sample(g))
            return false;
    }
    if (e == JSON_READ_ARRAY_END)
        return true;
    if (e != JSON_READ_ERROR)
        json_fail(&g->r, "%s", sample_form);
    return false;
}

static bool read_cluster(reading_t *g)
{
    plan_t *p = g->plan;
    char key[32], *name = NULL;
    bool good;
    rb_grow(&p->clusters, &g->clusters_cap, (size_t)p->n_clusters + 1, sizeof(*p->clusters));
    plan_cluster_t *c = &p->clusters[p->n_clusters];
    *c = (plan_cluster_t){.mean = NAN, .sd = NAN};
    while (next_key(g, key, &good) != NULL && good) {
        if (strcmp(key, "name") == 0)
            good = read_text(g, "the cluster's name", &name);
        else if (strcmp(key, "size") == 0)
            good = read_u64(g, "the cluster's size", &c->size);
        else if (strcmp(key, "mean") == 0)
            good = read_f64(g, "the cluster's mean", &c->mean);
        else if (strcmp(key, "sd") == 0)
            good = read_f64(g, "the cluster's sd", &c->sd);
        else if (strcmp(key, "samples") == 0)
            good = read_samples(g);
        else
            good = json_skip(&g->r, JSON_READ_KEY);
        if (!good)
            break;
    }
    if (good && c->size == 0) {
        json_fail(&g->r, "a cluster has no size");
        good = false;
    }
    if (!good) {
        free(name);
        return false;
    }
    /* Clusters of a kernel are adjacent, so its name is stored once. */
    if (name == NULL)
        name = rb_strdup("launch");
    if (p->n_names > 0 && strcmp(p->names[p->n_names - 1], name) == 0) {
        free(name);
    } else {
        rb_grow(&p->names, &g->names_cap, (size_t)p->n_names + 1, sizeof(*p->names));
        p->names[p->n_names++] = name;
    }
    c->name = p->n_names - 1;
    p->n_clusters++;
    return true;
}

static bool read_clusters(reading_t *g)
{
    if (!want(g, JSON_READ_ARRAY, "the list of clusters"))
        return false;
    json_event_t e;
    while ((e = json_next(&g->r)) == JSON_READ_OBJECT) {
        if (!read_cluster(g))
            return false;
    }
    g->clusters = true;
    if (e != JSON_READ_ARRAY_END && e != JSON_READ_ERROR)
        json_fail(&g->r, "a cluster is not an object");
    return e == JSON_READ_ARRAY_END;
}

static bool read_warnings(reading_t *g)
{
    plan_t *p = g->plan;
    if (!want(g, JSON_READ_ARRAY, "the list of warnings"))
        return false;
    json_event_t e;
    while ((e = json_next(&g->r)) == JSON_READ_STRING) {
        rb_grow(&p->warnings, &g->warnings_cap, p->n_warnings + 1, sizeof(*p->warnings));
        p->warnings[p->n_warnings++] = rb_strdup(g->r.text);
    }
    if (e != JSON_READ_ARRAY_END && e != JSON_READ_ERROR)
        json_fail(&g->r, "a warning is not text");
    return e == JSON_READ_ARRAY_END;
}

static bool read_profile(reading_t *g)
{
    plan_t *p = g->plan;
    char key[32], *unit = NULL;
    bool good;
    json_event_t e = json_next(&g->r);
    if (e == JSON_READ_NULL)
        return true;
    if (e != JSON_READ_OBJECT) {
        if (e != JSON_READ_ERROR)
            json_fail(&g->r, "profile is not an object");
        return false;
    }
    while (next_key(g, key, &good) != NULL && good) {
        if (strcmp(key, "unit") == 0)
            good = read_text(g, "the profile's unit", &unit);
        else if (strcmp(key, "total") == 0)
            good = read_f64(g, "the profile's total", &p->profile_total);
        else if (strcmp(key, "predicted_total") == 0)
            good = read_f64(g, "predicted_total", &p->predicted_total);
        else if (strcmp(key, "predicted_speedup") == 0)
            good = read_f64(g, "predicted_speedup", &p->predicted_speedup);
        else if (strcmp(key, "error_bound") == 0)
            good = read_f64(g, "error_bound", &p->error_bound);
        else if (strcmp(key, "confidence") == 0)
            good = read_f64(g, "confidence", &p->confidence);
        else
            good = json_skip(&g->r, JSON_READ_KEY);
        if (!good)
            break;
    }
    p->profile_cycles = unit != NULL && strcmp(unit, "cycles") == 0;
    free(unit);
    return good;
}

static bool read_sampling(reading_t *g)
{
    static const char *const words[] = {"chosen", "random", "random with replacement",
                                        "part of another choice"};
    if (!want(g, JSON_READ_STRING, "sampling"))
        return false;
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(g->r.text, words[i]) == 0) {
            g->plan->random = i == 1 || i == 2;
            g->plan->replacement = i > 1;
            g->plan->part = i == 3;
            return true;
        }
    }
    json_fail(&g->r,
              "sampling '%.40s': it must be chosen, random, random with replacement or part of "
              "another choice",
              g->r.text);
    return false;
}

static bool read_schema(reading_t *g)
{
    if (!want(g, JSON_READ_STRING, "schema"))
        return false;
    g->schema = strcmp(g->r.text, SCHEMA) == 0;
    if (!g->schema)
        json_fail(&g->r, "schema '%.40s': this version reads %s; make the plan again with it",
                  g->r.text, SCHEMA);
    return g->schema;
}

static bool read_base(reading_t *g);

static bool read_member(reading_t *g, const char *key)
{
    if (strcmp(key, "schema") == 0)
        return read_schema(g);
    if (strcmp(key, "method") == 0)
        return read_text(g, "method", &g->plan->method);
    if (strcmp(key, "seed") == 0)
        return read_u64(g, "seed", &g->plan->seed);
    if (strcmp(key, "launches") == 0)
        return (g->launches = read_u64(g, "launches", &g->plan->n_launches));
    if (strcmp(key, "sampling") == 0)
        return read_sampling(g);
    if (strcmp(key, "profile") == 0)
        return read_profile(g);
    if (strcmp(key, "warnings") == 0)
        return read_warnings(g);
    if (strcmp(key, "clusters") == 0 && !g->clusters)
        return read_clusters(g);
    if (strcmp(key, "base") == 0 && !g->is_base && g->plan->base == NULL)
        return read_base(g);
    return json_skip(&g->r, JSON_READ_KEY);
}

/* The members of a plan, after the beginning of its object. */
static bool read_members(reading_t *g)
{
    char key[32];
    bool good = true;
    while (good && next_key(g, key, &good) != NULL && good)
        good = read_member(g, key);
    return good;
}

/* Checks that need the whole plan. */
static rb_code_t check_whole(const reading_t *g, const char *name, rb_err_t *err)
{
    const plan_t *p = g->plan;
    if (!g->schema || !g->launches || p->n_samples == 0)
        return rb_fail(err, RB_TRACE, "%s: not a plan: %s", name,
                       !g->schema     ? "the schema is missing"
                       : !g->launches ? "the number of launches of the program is missing"
                                      : "it has no samples");
    uint64_t left = p->n_launches;
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        const plan_cluster_t *k = &p->clusters[c];
        if (k->size > left)
            return rb_fail(err, RB_TRACE,
                           "%s: its clusters have more launches in total than the program's %llu",
                           name, (unsigned long long)p->n_launches);
        left -= k->size;
        if (k->draws > k->size && !p->replacement)
            return rb_fail(err, RB_TRACE, "%s: cluster %u (%.120s) has more samples than launches",
                           name, c + 1, p->names[k->name]);
    }
    uint64_t *ids = rb_calloc(p->n_samples, sizeof(*ids)), n = plan_launches(p, ids);
    free(ids);
    if (n != p->n_samples)
        return rb_fail(err, RB_TRACE, "%s: a launch is sampled twice", name);
    return RB_OK;
}

static const plan_t nothing = {.profile_total = NAN,
                               .predicted_total = NAN,
                               .predicted_speedup = NAN,
                               .error_bound = NAN,
                               .confidence = NAN};

/* The plan from which this one was drawn. */
static bool read_base(reading_t *g)
{
    rb_err_t why = {0};
    if (!want(g, JSON_READ_OBJECT, "the plan of the base"))
        return false;
    g->plan->base = rb_calloc(1, sizeof(plan_t));
    *g->plan->base = nothing;
    reading_t of = {.plan = g->plan->base, .r = g->r, .is_base = true};
    bool good = read_members(&of);
    g->r = of.r;
    if (good && check_whole(&of, "base", &why) != RB_OK) {
        json_fail(&g->r, "%s", why.text);
        good = false;
    }
    return good;
}

rb_code_t plan_read_json(plan_t *plan, FILE *in, const char *name, rb_err_t *err)
{
    reading_t g = {.plan = plan};
    *plan = nothing;
    json_reader_init(&g.r, name, json_read_file, in);
    const bool good = want(&g, JSON_READ_OBJECT, "a plan: an object") && read_members(&g) &&
                      json_next(&g.r) == JSON_READ_END;
    rb_code_t rc =
        good ? check_whole(&g, name, err) : rb_fail(err, g.r.err.code, "%s", g.r.err.text);
    if (rc == RB_OK && plan->method == NULL)
        plan->method = rb_strdup("plan");
    json_reader_free(&g.r);
    if (rc != RB_OK)
        plan_free(plan);
    return rc;
}
