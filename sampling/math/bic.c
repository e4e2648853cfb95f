#include "sampling/math/bic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* BIC of the points p in k clusters with these centres; larger is better. A weight of w counts as w
 * points. */
static double bic_of(const points_t *p, size_t k, const uint32_t *cluster, const double *centre)
{
    double *size = rb_calloc(k, sizeof(*size)), all = 0, squares = 0;
    const double d = (double)p->d;
    for (size_t i = 0; i < p->n; i++) {
        size[cluster[i]] += p->weight[i];
        all += p->weight[i];
        squares +=
            p->weight[i] * squared_distance(p->x + i * p->d, centre + cluster[i] * p->d, p->d);
    }
    /* A variance of 0 would give an infinite likelihood; the lower limit assumes values known to
     * 1e-6. */
    const double free_points = fmax(all - (double)k, 1);
    const double variance = fmax(squares / (free_points * d), 1e-12);
    double likelihood = 0;
    for (size_t c = 0; c < k; c++) {
        if (size[c] > 0)
            likelihood += size[c] * log(size[c] / all);
    }
    likelihood -= all * d / 2 * log(2 * acos(-1.0) * variance) + squares / (2 * variance);
    free(size);
    return likelihood - (double)k * (d + 1) / 2 * log(all);
}

size_t bic_kmeans(const points_t *p, size_t k_max, double share, unsigned restarts, uint64_t seed,
                  uint32_t *cluster)
{
    uint32_t *all = rb_calloc(k_max * p->n, sizeof(*all));
    size_t *found = rb_calloc(k_max, sizeof(*found));
    double *score = rb_calloc(k_max, sizeof(*score));
    double *centre = rb_calloc(k_max * p->d, sizeof(*centre));
    double worst = INFINITY, best = -INFINITY;
    for (size_t k = 1; k <= k_max; k++) {
        rng_t rng = rng_make(seed, k);
        uint32_t *of = all + (k - 1) * p->n;
        found[k - 1] = kmeans(p, k, restarts, &rng, of, centre);
        score[k - 1] = bic_of(p, found[k - 1], of, centre);
        worst = fmin(worst, score[k - 1]);
        best = fmax(best, score[k - 1]);
    }
    size_t k = 0;
    while (score[k] < worst + share * (best - worst))
        k++;
    const size_t n = found[k];
    memcpy(cluster, all + k * p->n, p->n * sizeof(*cluster));
    free(all);
    free(found);
    free(score);
    free(centre);
    return n;
}
