#include "sampling/launch/launch_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/kmeans.h"
#include "sampling/math/pair_sort.h"
#include "sim/core/alloc.h"
#include "sim/core/hash_map.h"

const param_choice_t representative_choices[] = {
    {"first", NULL}, {"random", NULL}, {"centre", NULL}, {NULL, NULL}};

static uint64_t row_hash(const double *row, size_t d)
{
    uint64_t h = 0;
    for (size_t j = 0; j < d; j++) {
        h = (h ^ sort_key(row[j])) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 31;
    }
    return h;
}

void vectors_merge(launch_vectors_t *v, double *x, size_t n, size_t d)
{
    hash_map_t map = {0};
    *v = (launch_vectors_t){.d = d, .x = x};
    v->of = rb_calloc(n, sizeof(*v->of));
    v->weight = rb_calloc(n, sizeof(*v->weight));
    for (size_t i = 0; i < n; i++) {
        const double *row = x + i * d;
        const uint64_t hash = row_hash(row, d);
        hash_walk_t w = hash_map_walk(&map, hash);
        while (hash_walk_next(&w) && memcmp(x + w.number * d, row, d * sizeof(*row)) != 0)
            ;
        if (w.slot->entry == 0) {
            /* v->n never overtakes i, so no unread row is overwritten. */
            memmove(x + v->n * d, row, d * sizeof(*row));
            w.number = (uint32_t)v->n++;
            hash_map_add(&map, hash, w.number);
        }
        v->of[i] = w.number;
        v->weight[v->of[i]]++;
    }
    hash_map_free(&map);
    v->x = rb_realloc(v->x, v->n * d, sizeof(*v->x));
}

void vectors_free(launch_vectors_t *v)
{
    free(v->x);
    free(v->weight);
    free(v->of);
    *v = (launch_vectors_t){0};
}

static double *cluster_means(const launch_vectors_t *v, const uint32_t *cluster, size_t k)
{
    double *mean = rb_calloc(k * v->d, sizeof(*mean)), *weight = rb_calloc(k, sizeof(*weight));
    for (size_t i = 0; i < v->n; i++)
        weight[cluster[i]] += v->weight[i];
    for (size_t i = 0; i < v->n; i++) {
        for (size_t j = 0; j < v->d; j++)
            mean[cluster[i] * v->d + j] += v->weight[i] / weight[cluster[i]] * v->x[i * v->d + j];
    }
    free(weight);
    return mean;
}

void vectors_representatives(const launch_vectors_t *v, size_t n_rows, const uint32_t *cluster,
                             size_t k, representative_t how, uint64_t seed, uint64_t stream,
                             uint64_t *row)
{
    double *mean = how == REPRESENTATIVE_CENTRE ? cluster_means(v, cluster, k) : NULL;
    double *least = rb_calloc(k, sizeof(*least));
    rng_t rng = rng_make(seed, stream);
    uint64_t *seen = rb_calloc(k, sizeof(*seen));
    for (size_t i = 0; i < n_rows; i++) {
        uint32_t c = cluster[v->of[i]];
        seen[c]++;
        if (how == REPRESENTATIVE_RANDOM) {
            /* Reservoir sampling: each row so far is chosen with equal probability. */
            if (rng_below(&rng, seen[c]) == 0)
                row[c] = i;
            continue;
        }
        double distance =
            mean == NULL ? 0 : squared_distance(v->x + v->of[i] * v->d, mean + c * v->d, v->d);
        if (seen[c] == 1 || distance < least[c]) {
            row[c] = i;
            least[c] = distance;
        }
    }
    free(mean);
    free(least);
    free(seen);
}
