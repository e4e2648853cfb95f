#include "sampling/math/rank.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

typedef struct {
    double value;
    size_t at;
} ranked_t;

static int by_value(const void *a, const void *b)
{
    const double x = ((const ranked_t *)a)->value, y = ((const ranked_t *)b)->value;
    return x < y ? -1 : x > y;
}

/* Ranks about their mean. */
static double *ranks_of(const double *x, size_t n)
{
    ranked_t *list = rb_calloc(n, sizeof(*list));
    double *rank = rb_calloc(n, sizeof(*rank));
    for (size_t i = 0; i < n; i++)
        list[i] = (ranked_t){x[i], i};
    qsort(list, n, sizeof(*list), by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].value == list[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            rank[list[k].at] = ((double)i + (double)end - (double)n) / 2;
    }
    free(list);
    return rank;
}

double rank_correlation(const double *x, const double *y, size_t n)
{
    double xx = 0, yy = 0, xy = 0, *a = ranks_of(x, n), *b = ranks_of(y, n);
    for (size_t i = 0; i < n; i++) {
        xx += a[i] * a[i];
        yy += b[i] * b[i];
        xy += a[i] * b[i];
    }
    free(a);
    free(b);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}
