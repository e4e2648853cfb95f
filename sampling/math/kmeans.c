#include "sampling/math/kmeans.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

double squared_distance(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* k-means++: draws the first centres, each with probability proportional to the squared distance to
 * the previous ones. Returns how many. */
static size_t first_centres(const points_t *p, size_t k, rng_t *rng, double *centre, double *near)
{
    for (size_t i = 0; i < p->n; i++)
        near[i] = INFINITY;
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t i = 0; i < p->n; i++)
            sum += p->weight[i] * (c == 0 ? 1 : near[i]);
        if (!(sum > 0))
            return c; /* every point is a centre already */
        double at = rng_unit(rng) * sum;
        size_t chosen = p->n;
        for (size_t i = 0; i < p->n && (chosen == p->n || at >= 0); i++) {
            double share = p->weight[i] * (c == 0 ? 1 : near[i]);
            if (!(share > 0))
                continue;
            chosen = i;
            at -= share;
        }
        memcpy(centre + c * p->d, p->x + chosen * p->d, p->d * sizeof(*centre));
        for (size_t i = 0; i < p->n; i++) {
            double distance = squared_distance(p->x + i * p->d, centre + c * p->d, p->d);
            near[i] = distance < near[i] ? distance : near[i];
        }
    }
    return k;
}

/* Assigns every point to its nearest centre; returns the weighted sum of squares. */
static double assign(const points_t *p, size_t k, const double *centre, uint32_t *cluster,
                     bool *changed)
{
    double squares = 0;
    *changed = false;
    for (size_t i = 0; i < p->n; i++) {
        double best = INFINITY;
        uint32_t nearest = 0;
        for (size_t c = 0; c < k; c++) {
            double distance = squared_distance(p->x + i * p->d, centre + c * p->d, p->d);
            if (distance < best) {
                best = distance;
                nearest = (uint32_t)c;
            }
        }
        *changed = *changed || cluster[i] != nearest;
        cluster[i] = nearest;
        squares += p->weight[i] * best;
    }
    return squares;
}

/* Moves the centres to the means of their points; an empty cluster keeps its centre. */
static void move(const points_t *p, size_t k, const uint32_t *cluster, double *centre, double *sum,
                 double *weight)
{
    memset(sum, 0, k * p->d * sizeof(*sum));
    memset(weight, 0, k * sizeof(*weight));
    for (size_t i = 0; i < p->n; i++) {
        weight[cluster[i]] += p->weight[i];
        for (size_t j = 0; j < p->d; j++)
            sum[cluster[i] * p->d + j] += p->weight[i] * p->x[i * p->d + j];
    }
    for (size_t c = 0; c < k; c++) {
        for (size_t j = 0; weight[c] > 0 && j < p->d; j++)
            centre[c * p->d + j] = sum[c * p->d + j] / weight[c];
    }
}

size_t kmeans(const points_t *p, size_t k, unsigned restarts, rng_t *rng, uint32_t *cluster,
              double *centre)
{
    double *near = rb_calloc(p->n, sizeof(*near)), *sum = rb_calloc(k * p->d, sizeof(*sum));
    double *weight = rb_calloc(k, sizeof(*weight)), *trial = rb_calloc(k * p->d, sizeof(*trial));
    uint32_t *of = rb_calloc(p->n, sizeof(*of));
    double least = INFINITY;
    size_t found = 0;
    for (unsigned start = 0; start < restarts; start++) {
        bool changed = true;
        size_t n = first_centres(p, k, rng, trial, near);
        double squares = assign(p, n, trial, of, &changed);
        changed = true;
        for (int i = 0; i < KMEANS_ITERATIONS && changed; i++) {
            move(p, n, of, trial, sum, weight);
            squares = assign(p, n, trial, of, &changed);
        }
        if (squares < least) {
            least = squares;
            found = n;
            memcpy(cluster, of, p->n * sizeof(*of));
            memcpy(centre, trial, n * p->d * sizeof(*trial));
        }
    }
    free(near);
    free(sum);
    free(weight);
    free(trial);
    free(of);
    return found;
}
