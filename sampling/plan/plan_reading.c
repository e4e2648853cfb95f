#include "sampling/plan/plan_reading.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* A cluster, or a list printed by Python, is one line with about 20 bytes per sample. */
enum { LINE_BYTES_MAX = 64 << 20 };

void plan_reading_begin(plan_reading_t *g, plan_t *plan, const char *method, const char *name,
                        rb_err_t *err)
{
    *g = (plan_reading_t){.plan = plan, .name = name, .err = err};
    *plan = (plan_t){.profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = NAN};
    plan->method = rb_strdup(method);
    plan->names = rb_calloc(1, sizeof(*plan->names));
    plan->names[0] = rb_strdup("launch");
    plan->n_names = 1;
}

text_lines_t plan_reading_lines(const char *name, FILE *in)
{
    return (text_lines_t){.path = name, .in = in, .max = LINE_BYTES_MAX};
}

rb_code_t plan_reading_bad(const plan_reading_t *g, const char *what)
{
    return rb_fail(g->err, RB_TRACE, "%s:%llu: %s", g->name, (unsigned long long)g->line, what);
}

rb_code_t plan_reading_cluster(plan_reading_t *g, uint64_t size, uint64_t draws)
{
    plan_t *p = g->plan;
    if (size > UINT64_MAX - p->n_launches)
        return plan_reading_bad(g, "the number of launches of the clusters is too large");
    rb_grow(&p->clusters, &g->clusters_cap, (size_t)p->n_clusters + 1, sizeof(*p->clusters));
    p->clusters[p->n_clusters++] =
        (plan_cluster_t){.size = size, .draws = draws, .mean = NAN, .sd = NAN};
    p->n_launches += size;
    return RB_OK;
}

void plan_reading_sample(plan_reading_t *g, uint64_t launch, double weight)
{
    plan_t *p = g->plan;
    rb_grow(&p->samples, &g->samples_cap, p->n_samples + 1, sizeof(*p->samples));
    p->samples[p->n_samples++] = (plan_sample_t){
        .launch = launch, .weight = weight, .cluster = p->n_clusters - 1, .draws = 1};
}

bool plan_weight_valid(double weight)
{
    return weight > 0 && weight <= 1e12;
}

static uint64_t size_of(double weight)
{
    return weight < 1 ? 1 : (uint64_t)llround(weight);
}

rb_code_t plan_reading_pair(plan_reading_t *g, uint64_t launch, double weight)
{
    RB_TRY(plan_reading_cluster(g, size_of(weight), 1));
    plan_reading_sample(g, launch, weight);
    return RB_OK;
}

static int by_launch(const void *a, const void *b)
{
    const plan_sample_t *x = a, *y = b;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

void plan_reading_join_draws(plan_reading_t *g, uint64_t from)
{
    plan_t *p = g->plan;
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

rb_code_t plan_reading_join_pairs(plan_reading_t *g)
{
    plan_t *p = g->plan;
    uint64_t n = 0;
    if (p->n_samples > 0)
        qsort(p->samples, p->n_samples, sizeof(*p->samples), by_launch);
    for (uint64_t i = 0; i < p->n_samples; i++) {
        if (n > 0 && p->samples[n - 1].launch == p->samples[i].launch)
            p->samples[n - 1].weight += p->samples[i].weight;
        else
            p->samples[n++] = p->samples[i];
    }
    p->n_samples = n;
    p->n_clusters = 0;
    p->n_launches = 0;
    for (uint64_t i = 0; i < n; i++) {
        plan_sample_t *s = &p->samples[i];
        if (!plan_weight_valid(s->weight))
            return rb_fail(g->err, RB_TRACE,
                           "%s: the weights of launch %llu add up to %.0f, more launches than any "
                           "program has",
                           g->name, (unsigned long long)s->launch, s->weight);
        s->cluster = (uint32_t)i;
        RB_TRY(plan_reading_cluster(g, size_of(s->weight), 1));
    }
    return RB_OK;
}

static rb_code_t check_whole(const plan_reading_t *g)
{
    const plan_t *p = g->plan;
    if (p->n_samples == 0)
        return rb_fail(
            g->err, RB_TRACE,
            "%s: this file contains no samples of a plan; expected: rubato's JSON, a list of "
            "launches and weights, or MacSim's list",
            g->name);
    uint64_t *ids = rb_calloc(p->n_samples, sizeof(*ids)), n = plan_launches(p, ids);
    free(ids);
    if (n != p->n_samples)
        return rb_fail(g->err, RB_TRACE, "%s: a launch is sampled twice", g->name);
    return RB_OK;
}

rb_code_t plan_reading_finish(plan_reading_t *g, FILE *in, rb_code_t rc)
{
    if (rc == RB_OK && ferror(in))
        rc = rb_fail(g->err, RB_IO, "%s: %s", g->name, strerror(errno));
    if (rc == RB_OK)
        rc = check_whole(g);
    if (rc != RB_OK)
        plan_free(g->plan);
    return rc;
}

bool plan_take_u64(char **at, uint64_t *value)
{
    char *end, *from = *at + strspn(*at, " \t");
    if (!isdigit((unsigned char)*from))
        return false;
    errno = 0;
    *value = strtoull(from, &end, 10);
    *at = end;
    return errno == 0 && (*end == '\0' || strchr(" \t\r\n,)", *end) != NULL);
}
