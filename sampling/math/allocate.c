#include "sampling/math/allocate.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

enum { HALVINGS = 200 };

/* Limit of sample counts: they stay exact as doubles. */
#define MOST_SAMPLES 0x1p53

/* Real-valued number of samples of a stratum for a multiplier lambda; root = sqrt(lambda). */
static double samples_at(const stratum_t *s, double root, bool finite)
{
    double most = finite ? (double)s->size : MOST_SAMPLES;
    double least = (double)s->least;
    if (finite && least > most)
        least = most;
    double m = s->sd > 0 ? root * ((double)s->size * s->sd / sqrt(s->cost)) : 0;
    return m < least ? least : m > most ? most : m;
}

static double variance_of(const stratum_t *s, double m, bool finite)
{
    double n = (double)s->size, b = n * s->sd * (n * s->sd);
    if (!(s->sd > 0))
        return 0;
    double v = finite ? b * (1 / m - 1 / n) : b / m;
    return v > 0 ? v : 0;
}

static double variance_at(const stratum_t *strata, size_t n, double root, bool finite)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += variance_of(&strata[i], samples_at(&strata[i], root, finite), finite);
    return sum;
}

double allocated_variance(const stratum_t *strata, size_t n, bool finite, const uint64_t *m)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += variance_of(&strata[i], (double)m[i], finite);
    return sum;
}

/* The smallest multiplier that meets the bound. */
static double solve(const stratum_t *strata, size_t n, double variance, bool finite)
{
    double low = 0, high = 1e-12;
    if (variance_at(strata, n, low, finite) <= variance)
        return low;
    while (variance_at(strata, n, high, finite) > variance && high < 1e290)
        high *= 16;
    for (int i = 0; i < HALVINGS && high - low > 1e-13 * high; i++) {
        double middle = low > 0 ? sqrt(low) * sqrt(high) : high / 16;
        if (variance_at(strata, n, middle, finite) > variance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

typedef struct {
    double cost;
    size_t index;
} dear_t;

static int dearest_first(const void *a, const void *b)
{
    const dear_t *x = a, *y = b;
    if (x->cost < y->cost || y->cost < x->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Removes samples that rounding up added, at most one per stratum, the most expensive first. */
static void take_back(const stratum_t *strata, size_t n, double variance, bool finite, uint64_t *m)
{
    dear_t *order = rb_calloc(n, sizeof(*order));
    for (size_t i = 0; i < n; i++)
        order[i] = (dear_t){strata[i].cost, i};
    qsort(order, n, sizeof(*order), dearest_first);
    double now = allocated_variance(strata, n, finite, m);
    for (size_t k = 0; k < n; k++) {
        size_t i = order[k].index;
        if (m[i] <= strata[i].least || m[i] <= 1)
            continue;
        double more = variance_of(&strata[i], (double)(m[i] - 1), finite) -
                      variance_of(&strata[i], (double)m[i], finite);
        if (now + more <= variance) {
            now += more;
            m[i]--;
        }
    }
    free(order);
}

void allocate(const stratum_t *strata, size_t n, double variance, bool finite, uint64_t *m)
{
    double root = solve(strata, n, variance, finite);
    for (size_t i = 0; i < n; i++) {
        double real = samples_at(&strata[i], root, finite);
        /* Do not round up a solution that is an integer except for rounding errors. */
        m[i] = (uint64_t)ceil(real * (1 - 1e-12));
        if (m[i] < 1)
            m[i] = 1;
    }
    take_back(strata, n, variance, finite, m);
}

void allocate_printed(const stratum_t *strata, size_t n, double variance, uint64_t *m)
{
    double products = 0;
    for (size_t i = 0; i < n; i++) {
        double b = (double)strata[i].size * strata[i].sd;
        products += strata[i].cost * b * b;
    }
    for (size_t i = 0; i < n; i++) {
        double b = (double)strata[i].size * strata[i].sd;
        double real = b > 0 ? sqrt(products) / variance * b / sqrt(strata[i].cost) : 0;
        m[i] = real > 1 ? (uint64_t)ceil(fmin(real, MOST_SAMPLES)) : 1;
    }
}

void allocate_unlimited(const stratum_t *strata, size_t n, double variance, uint64_t *m)
{
    double roots = 0;
    for (size_t i = 0; i < n; i++)
        roots += (double)strata[i].size * strata[i].sd * sqrt(strata[i].cost);
    for (size_t i = 0; i < n; i++) {
        double b = (double)strata[i].size * strata[i].sd;
        double real = b > 0 ? roots / variance * b / sqrt(strata[i].cost) : 0;
        m[i] = (uint64_t)ceil(fmin(real, MOST_SAMPLES));
    }
}
