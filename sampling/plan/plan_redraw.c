#include "sampling/plan/plan_redraw.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/pick.h"
#include "sim/core/alloc.h"

/* With 2,000 replays, the standard error of the 95 % quantile is 4 % of it. */
enum { REPLAYS = 2000 };

/* Means of more samples are taken as normal; a sum over more clusters, too (guesses). */
enum { FEW_SAMPLES = 8, FEW_CLUSTERS = 1000 };

/* Times of the launches in clusters with few samples: those of cluster c from begin[c] on. */
typedef struct {
    uint64_t *begin;
    double *time;
} few_t;

static bool is_few(const plan_t *p, uint32_t cluster)
{
    const plan_cluster_t *c = &p->clusters[cluster];
    return c->draws > 0 && c->draws <= FEW_SAMPLES && c->sd > 0 &&
           (p->replacement || c->draws < c->size);
}

static few_t few_make(const plan_build_t *b)
{
    const plan_t *p = b->plan;
    few_t f = {.begin = rb_calloc((size_t)p->n_clusters + 1, sizeof(*f.begin))};
    uint64_t n = 0;
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        f.begin[c] = n;
        n += is_few(p, c) ? p->clusters[c].size : 0;
    }
    f.time = rb_calloc(n + 1, sizeof(*f.time));
    for (uint64_t i = 0; i < b->pop->n; i++) {
        if (is_few(p, b->cluster_of[i]))
            f.time[f.begin[b->cluster_of[i]]++] = b->pop->time[i];
    }
    for (uint32_t c = 0; c < p->n_clusters; c++)
        f.begin[c] -= is_few(p, c) ? p->clusters[c].size : 0;
    return f;
}

/* Error of the cluster's total in one replay. */
static double draw_error(const plan_t *p, uint32_t cluster, const few_t *f, rng_t *rng)
{
    const plan_cluster_t *c = &p->clusters[cluster];
    const double size = (double)c->size, draws = (double)c->draws;
    uint64_t at[FEW_SAMPLES];
    double sum = 0;
    if (!(c->sd > 0) || (!p->replacement && c->draws >= c->size))
        return 0;
    if (!is_few(p, cluster)) {
        const double left = p->replacement ? 1 : (size - draws) / (size - 1);
        return rng_normal(rng) * size * c->sd * sqrt(left / draws);
    }
    if (p->replacement)
        pick_with_replacement(rng, c->size, c->draws, at);
    else
        pick_distinct(rng, c->size, c->draws, at);
    for (uint64_t i = 0; i < c->draws; i++)
        sum += f->time[f->begin[cluster] + at[i]] - c->mean;
    return size * sum / draws;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double plan_redraw_error(const plan_build_t *b)
{
    const plan_t *p = b->plan;
    double error[REPLAYS];
    uint32_t few = 0;
    for (uint32_t c = 0; c < p->n_clusters; c++)
        few += is_few(p, c);
    if (few == 0 || few > FEW_CLUSTERS)
        return 0;
    few_t f = few_make(b);
    for (uint32_t r = 0; r < REPLAYS; r++) {
        rng_t rng = rng_make(0, r); /* not the plan's seed: all plans of a method have one bound */
        double sum = 0;
        for (uint32_t c = 0; c < p->n_clusters; c++)
            sum += draw_error(p, c, &f, &rng);
        error[r] = fabs(sum);
    }
    free(f.begin);
    free(f.time);
    qsort(error, REPLAYS, sizeof(*error), ascending);
    const double rank = ceil(p->confidence * REPLAYS);
    return error[rank < 1 ? 0 : (size_t)rank - 1] / p->profile_total;
}
