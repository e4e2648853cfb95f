#include "sampling/plan/plan_build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/math/pick.h"
#include "sampling/plan/plan_untold.h"
#include "sim/core/alloc.h"

static uint32_t add_name(plan_build_t *b, const char *name)
{
    plan_t *p = b->plan;
    rb_grow(&p->names, &b->names_cap, (size_t)p->n_names + 1, sizeof(*p->names));
    p->names[p->n_names] = rb_strdup(name);
    return p->n_names++;
}

static uint32_t add_cluster(plan_build_t *b, plan_cluster_t cluster)
{
    plan_t *p = b->plan;
    rb_grow(&p->clusters, &b->clusters_cap, (size_t)p->n_clusters + 1, sizeof(*p->clusters));
    p->clusters[p->n_clusters] = cluster;
    return p->n_clusters++;
}

const char *build_row_name(const population_t *pop, uint64_t row)
{
    return pop->name == NULL ? "launch" : pop->names[pop->name[row]];
}

uint32_t build_cluster(plan_build_t *b, uint32_t name, uint64_t size, double mean, double sd)
{
    const population_t *pop = b->pop;
    uint32_t n = pop->name == NULL ? 1 : pop->n_names;
    if (b->name_in_plan == NULL)
        b->name_in_plan = rb_calloc(n, sizeof(*b->name_in_plan));
    uint32_t *known = &b->name_in_plan[pop->name == NULL ? 0 : name];
    if (*known == 0)
        *known = add_name(b, pop->name == NULL ? "launch" : pop->names[name]) + 1;
    return add_cluster(b,
                       (plan_cluster_t){.name = *known - 1, .size = size, .mean = mean, .sd = sd});
}

uint32_t build_cluster_named(plan_build_t *b, const char *name, uint64_t size)
{
    uint32_t at = add_name(b, name);
    return add_cluster(b, (plan_cluster_t){.name = at, .size = size, .mean = NAN, .sd = NAN});
}

void build_spreads(plan_build_t *b)
{
    const double *time = b->pop->time;
    plan_t *p = b->plan;
    if (time == NULL)
        return;
    for (uint32_t c = 0; c < p->n_clusters; c++)
        p->clusters[c].mean = p->clusters[c].sd = 0;
    for (uint64_t i = 0; i < b->pop->n; i++)
        p->clusters[b->cluster_of[i]].mean += time[i];
    for (uint32_t c = 0; c < p->n_clusters; c++)
        p->clusters[c].mean /= (double)p->clusters[c].size;
    for (uint64_t i = 0; i < b->pop->n; i++) {
        plan_cluster_t *c = &p->clusters[b->cluster_of[i]];
        c->sd += (time[i] - c->mean) * (time[i] - c->mean);
    }
    for (uint32_t c = 0; c < p->n_clusters; c++)
        p->clusters[c].sd = sqrt(p->clusters[c].sd / (double)p->clusters[c].size);
}

void build_sample(plan_build_t *b, uint32_t cluster, uint32_t row, double weight, uint32_t draws)
{
    plan_t *p = b->plan;
    rb_grow(&p->samples, &b->samples_cap, p->n_samples + 1, sizeof(*p->samples));
    p->samples[p->n_samples++] =
        (plan_sample_t){.launch = b->pop->id == NULL ? row + 1ull : b->pop->id[row],
                        .weight = weight,
                        .cluster = cluster,
                        .draws = draws};
    p->clusters[cluster].draws += draws;
}

void build_draw(plan_build_t *b, uint32_t cluster, const uint32_t *rows, uint64_t n, uint64_t m,
                bool replacement)
{
    rng_t rng = rng_make(b->seed, cluster);
    uint64_t *at = rb_calloc(m, sizeof(*at));
    if (replacement)
        pick_with_replacement(&rng, n, m, at);
    else
        pick_distinct(&rng, n, m, at);
    double weight = (double)n / (double)m;
    b->plan->clusters[cluster].untold = plan_untold(b->pop, rows, n, at, m);
    for (uint64_t i = 0; i < m;) {
        uint32_t draws = 1;
        while (i + draws < m && at[i + draws] == at[i])
            draws++;
        build_sample(b, cluster, rows[at[i]], weight * draws, draws);
        i += draws;
    }
    free(at);
}

void build_warning(plan_build_t *b, const char *fmt, ...)
{
    plan_t *p = b->plan;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    rb_grow(&p->warnings, &b->warnings_cap, p->n_warnings + 1, sizeof(*p->warnings));
    p->warnings[p->n_warnings++] = rb_strdup(text);
}
