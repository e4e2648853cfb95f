#include "sampling/launch/plan_macsim.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

typedef struct {
    plan_t *plan;
    const char *name;
    uint64_t line;
    size_t clusters_cap, samples_cap;
    rb_err_t *err;
} reading_t;

static void begin(reading_t *g, const char *method)
{
    *g->plan = (plan_t){.profile_total = NAN,
                        .predicted_total = NAN,
                        .predicted_speedup = NAN,
                        .error_bound = NAN,
                        .confidence = NAN};
    g->plan->method = rb_strdup(method);
    g->plan->names = rb_calloc(1, sizeof(*g->plan->names));
    g->plan->names[0] = rb_strdup("launch");
    g->plan->n_names = 1;
}

static rb_code_t bad_line(const reading_t *g, const char *what)
{
    return rb_fail(g->err, RB_TRACE, "%s:%llu: %s", g->name, (unsigned long long)g->line, what);
}

static void add_cluster(reading_t *g, uint64_t size, uint64_t draws)
{
    plan_t *p = g->plan;
    rb_grow(&p->clusters, &g->clusters_cap, (size_t)p->n_clusters + 1, sizeof(*p->clusters));
    p->clusters[p->n_clusters++] =
        (plan_cluster_t){.size = size, .draws = draws, .mean = NAN, .sd = NAN};
    p->n_launches += size;
}

static void add_sample(reading_t *g, uint64_t launch, double weight)
{
    plan_t *p = g->plan;
    rb_grow(&p->samples, &g->samples_cap, p->n_samples + 1, sizeof(*p->samples));
    p->samples[p->n_samples++] = (plan_sample_t){
        .launch = launch, .weight = weight, .cluster = p->n_clusters - 1, .draws = 1};
}

/* A whole number at *at, which moves behind it. */
static bool take_u64(char **at, uint64_t *value)
{
    char *end, *from = *at + strspn(*at, " \t");
    if (!isdigit((unsigned char)*from))
        return false;
    errno = 0;
    *value = strtoull(from, &end, 10);
    *at = end;
    return errno == 0 && (*end == '\0' || strchr(" \t\r\n,", *end) != NULL);
}

/* The samples of one cluster, ascending, repeated draws together. */
static int by_launch(const void *a, const void *b)
{
    const plan_sample_t *x = a, *y = b;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

static void join_draws(plan_t *p, uint64_t from)
{
    uint64_t n = from;
    qsort(p->samples + from, p->n_samples - from, sizeof(*p->samples), by_launch);
    for (uint64_t i = from; i < p->n_samples; i++) {
        plan_sample_t *last = n > from ? &p->samples[n - 1] : NULL;
        if (last == NULL || last->launch != p->samples[i].launch) {
            p->samples[n++] = p->samples[i];
            continue;
        }
        last->draws++;
        last->weight += p->samples[i].weight;
        p->replacement = true;
    }
    p->n_samples = n;
}

static rb_code_t read_cluster(reading_t *g, char *line)
{
    uint64_t size, draws, id, from = g->plan->n_samples, got = 0;
    if (!take_u64(&line, &size) || !take_u64(&line, &draws))
        return bad_line(g, "a cluster is its size, its number of samples and their launches");
    if (size == 0 || draws == 0)
        return bad_line(g, "a cluster has no launches or no samples");
    add_cluster(g, size, draws);
    while (take_u64(&line, &id)) {
        if (id == UINT64_MAX)
            return bad_line(g, "a launch id is too large");
        add_sample(g, id + 1, (double)size / (double)draws);
        got++;
    }
    if (line[strspn(line, " \t\r\n")] != '\0')
        return bad_line(g, "something other than a launch id");
    if (got != draws)
        return bad_line(g, "the number of launches is not the number of samples it says");
    join_draws(g->plan, from);
    return RB_OK;
}

static rb_code_t check_whole(const reading_t *g)
{
    const plan_t *p = g->plan;
    if (p->n_samples == 0)
        return rb_fail(g->err, RB_TRACE, "%s: the plan has no samples", g->name);
    uint64_t *ids = rb_calloc(p->n_samples, sizeof(*ids)), n = plan_launches(p, ids);
    free(ids);
    if (n != p->n_samples)
        return rb_fail(g->err, RB_TRACE, "%s: a launch is sampled twice", g->name);
    return RB_OK;
}

static rb_code_t finish(const reading_t *g, FILE *in, rb_code_t rc)
{
    if (rc == RB_OK && ferror(in))
        rc = rb_fail(g->err, RB_IO, "%s: %s", g->name, strerror(errno));
    if (rc == RB_OK)
        rc = check_whole(g);
    if (rc != RB_OK)
        plan_free(g->plan);
    return rc;
}

rb_code_t plan_read_macsim(plan_t *plan, FILE *in, const char *name, rb_err_t *err)
{
    enum { FREE_TEXT = 2 };
    reading_t g = {.plan = plan, .name = name, .err = err};
    char *line = NULL;
    size_t cap = 0;
    rb_code_t rc = RB_OK;
    begin(&g, "macsim");
    plan->random = true;
    while (rc == RB_OK && getline(&line, &cap, in) > 0) {
        if (++g.line <= FREE_TEXT)
            continue;
        if (line[strspn(line, " \t\r\n")] == '\0')
            break;
        rc = read_cluster(&g, line);
    }
    free(line);
    return finish(&g, in, rc);
}

rb_code_t plan_write_macsim(const plan_t *plan, FILE *out, rb_err_t *err)
{
    fprintf(out, "Kernel sampling information from rubato.\n%s, seed %llu\n", plan->method,
            (unsigned long long)plan->seed);
    for (uint64_t c = 0, at = 0; c < plan->n_clusters; c++) {
        const plan_cluster_t *k = &plan->clusters[c];
        double weight = (double)k->size / (double)k->draws;
        if (k->draws > 0)
            fprintf(out, "%llu %llu", (unsigned long long)k->size, (unsigned long long)k->draws);
        for (; at < plan->n_samples && plan->samples[at].cluster == c; at++) {
            const plan_sample_t *s = &plan->samples[at];
            if (fabs(s->weight - weight * s->draws) > 1e-9 * s->weight)
                return rb_fail(err, RB_USAGE,
                               "the plan of %.60s weights launches by more than their number: "
                               "MacSim's file cannot hold it",
                               plan->method);
            for (uint32_t i = 0; i < s->draws; i++)
                fprintf(out, " %llu", (unsigned long long)s->launch - 1);
        }
        if (k->draws > 0)
            fputc('\n', out);
    }
    return RB_OK;
}

rb_code_t plan_read_list(plan_t *plan, FILE *in, const char *name, rb_err_t *err)
{
    reading_t g = {.plan = plan, .name = name, .err = err};
    char *line = NULL;
    size_t cap = 0;
    rb_code_t rc = RB_OK;
    begin(&g, "list");
    while (rc == RB_OK && getline(&line, &cap, in) > 0) {
        g.line++;
        char *at = line;
        while (rc == RB_OK && *(at += strspn(at, " \t\r\n,[]()")) != '\0') {
            uint64_t id;
            char *end = NULL;
            if (!take_u64(&at, &id) || id == 0) {
                rc = bad_line(&g, "a sample is a launch id, from 1, and its weight");
                break;
            }
            at += strspn(at, " \t,");
            double weight = strtod(at, &end);
            if (end == at || !(weight > 0) || !isfinite(weight) || weight > 1e15) {
                rc = bad_line(&g, "a launch has no positive weight");
                break;
            }
            at = end;
            add_cluster(&g, weight < 1 ? 1 : (uint64_t)llround(weight), 1);
            add_sample(&g, id, weight);
        }
    }
    free(line);
    return finish(&g, in, rc);
}

void plan_write_list(const plan_t *plan, FILE *out)
{
    for (uint64_t i = 0; i < plan->n_samples; i++)
        fprintf(out, "%llu %.17g\n", (unsigned long long)plan->samples[i].launch,
                plan->samples[i].weight);
}
