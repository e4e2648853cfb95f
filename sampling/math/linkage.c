#include "sampling/math/linkage.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sampling/math/kmeans.h"
#include "sim/core/alloc.h"

/* Seconds per pair of points, for three passes over the distances: an estimate, only for the
 * limit. */
#define SECONDS_PER_PAIR 6e-9

double linkage_bytes(double n)
{
    return n * n / 2 * sizeof(double);
}

double linkage_seconds(double n)
{
    return n * n / 2 * SECONDS_PER_PAIR;
}

typedef struct {
    double *distance; /* lower triangle */
    double *weight;
    bool *gone;
    size_t n;
} tree_t;

static double *between(tree_t *t, size_t a, size_t b)
{
    size_t row = a > b ? a : b, column = a > b ? b : a;
    return &t->distance[row * (row - 1) / 2 + column];
}

/* The nearest cluster of a; among equally near ones `prefer`, otherwise the first. */
static size_t nearest(tree_t *t, size_t a, size_t prefer)
{
    size_t best = prefer;
    double least = prefer == SIZE_MAX ? INFINITY : *between(t, a, prefer);
    for (size_t b = 0; b < t->n; b++) {
        if (b == a || t->gone[b])
            continue;
        double distance = *between(t, a, b);
        if (distance < least) {
            least = distance;
            best = b;
        }
    }
    return best;
}

/* Merges a into b, with the formulas of Lance and Williams. */
static void merge(tree_t *t, size_t a, size_t b, linkage_t kind)
{
    double apart = *between(t, a, b), wa = t->weight[a], wb = t->weight[b];
    t->gone[a] = true;
    for (size_t c = 0; c < t->n; c++) {
        if (c == b || t->gone[c])
            continue;
        double ac = *between(t, a, c), *bc = between(t, b, c), wc = t->weight[c];
        if (kind == LINKAGE_COMPLETE)
            *bc = ac > *bc ? ac : *bc;
        else
            *bc = sqrt(((wa + wc) * ac * ac + (wb + wc) * *bc * *bc - wc * apart * apart) /
                       (wa + wb + wc));
    }
    t->weight[b] = wa + wb;
}

static uint32_t find(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static size_t number(uint32_t *up, size_t n, uint32_t *cluster)
{
    uint32_t *label = rb_calloc(n, sizeof(*label)), count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t root = find(up, i);
        if (label[root] == 0)
            label[root] = ++count;
        cluster[i] = label[root] - 1;
    }
    free(label);
    return count;
}

size_t linkage_cluster(const double *x, const double *weight, size_t n, size_t d, linkage_t kind,
                       double threshold, uint32_t *cluster)
{
    tree_t t = {.n = n};
    t.distance = rb_calloc(n * (n - 1) / 2, sizeof(*t.distance));
    t.weight = rb_calloc(n, sizeof(*t.weight));
    t.gone = rb_calloc(n, sizeof(*t.gone));
    uint32_t *up = rb_calloc(n, sizeof(*up));
    size_t *chain = rb_calloc(n + 1, sizeof(*chain)), length = 0, first = 0;
    for (size_t i = 0; i < n; i++) {
        up[i] = (uint32_t)i;
        t.weight[i] = weight[i];
        for (size_t j = 0; j < i; j++) {
            double distance = sqrt(squared_distance(x + i * d, x + j * d, d));
            if (kind == LINKAGE_WARD)
                distance *= sqrt(2 * weight[i] * weight[j] / (weight[i] + weight[j]));
            *between(&t, i, j) = distance;
        }
    }
    for (size_t left = n; left > 1;) {
        if (length == 0) {
            while (t.gone[first])
                first++;
            chain[length++] = first;
        }
        size_t a = chain[length - 1], before = length > 1 ? chain[length - 2] : SIZE_MAX;
        size_t b = nearest(&t, a, before);
        if (b != before) {
            chain[length++] = b;
            continue;
        }
        /* They are each other's nearest. Both linkages are monotone, so merging within the
         * threshold gives the same clusters as cutting the complete tree there. */
        if (*between(&t, a, b) <= threshold)
            up[find(up, (uint32_t)a)] = find(up, (uint32_t)b);
        merge(&t, a, b, kind);
        length -= 2;
        left--;
    }
    size_t count = number(up, n, cluster);
    free(t.distance);
    free(t.weight);
    free(t.gone);
    free(up);
    free(chain);
    return count;
}
