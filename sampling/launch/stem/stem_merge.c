#include "sampling/launch/stem/stem_merge.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

enum { HALVINGS = 100 };

/* Cost and variance of a cluster, or of its best division. */
typedef struct {
    double cost, variance;
    bool divided;
} best_t;

/* The minimum of m cost + lambda N^2 S^2 (1/m - 1/N), 1 <= m <= N, with m rounded to an integer. */
static best_t undivided(const stratum_t *s, double lambda)
{
    double n = (double)s->size, m = 1;
    if (s->sd > 0)
        m = ceil(sqrt(lambda / s->cost) * n * s->sd * (1 - 1e-12));
    m = m < 1 ? 1 : m > n ? n : m;
    double b = n * s->sd * (n * s->sd);
    return (best_t){.cost = m * s->cost, .variance = b * (1 / m - 1 / n)};
}

/* Decides from the leaves up; returns the variance of the total. */
static double decide(const root_node_t *nodes, uint32_t n, double lambda, const bool *is_half,
                     best_t *best)
{
    double sum = 0;
    for (uint32_t i = n; i-- > 0;) {
        best[i] = undivided(&nodes[i].stratum, lambda);
        if (nodes[i].half[0] != 0) {
            const best_t *a = &best[nodes[i].half[0]], *b = &best[nodes[i].half[1]];
            best_t both = {
                .cost = a->cost + b->cost, .variance = a->variance + b->variance, .divided = true};
            if (both.cost + lambda * both.variance < best[i].cost + lambda * best[i].variance)
                best[i] = both;
        }
        sum += is_half[i] ? 0 : best[i].variance;
    }
    return sum;
}

void stem_merge(root_node_t *nodes, uint32_t n, double variance)
{
    bool *is_half = rb_calloc(n, sizeof(*is_half)), *open = rb_calloc(n, sizeof(*open));
    best_t *best = rb_calloc(n, sizeof(*best));
    for (uint32_t i = 0; i < n; i++) {
        for (int k = 0; k < 2 && nodes[i].half[0] != 0; k++)
            is_half[nodes[i].half[k]] = true;
    }
    double low = 0, high = 1e-12;
    if (decide(nodes, n, low, is_half, best) > variance) {
        while (decide(nodes, n, high, is_half, best) > variance && high < 1e250)
            high *= 16;
        for (int i = 0; i < HALVINGS && high - low > 1e-9 * high; i++) {
            double middle = low > 0 ? sqrt(low) * sqrt(high) : high / 16;
            if (decide(nodes, n, middle, is_half, best) > variance)
                low = middle;
            else
                high = middle;
        }
        decide(nodes, n, high, is_half, best);
    }
    for (uint32_t i = 0; i < n; i++) {
        open[i] = open[i] || !is_half[i];
        nodes[i].kept = open[i] && !best[i].divided;
        for (int k = 0; k < 2 && open[i] && best[i].divided; k++)
            open[nodes[i].half[k]] = true;
    }
    free(is_half);
    free(open);
    free(best);
}
