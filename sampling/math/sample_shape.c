#include "sampling/math/sample_shape.h"

#include <math.h>
#include <stdlib.h>

static int largest_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

sample_shape_t sample_shape(double *x, size_t n)
{
    double sum = 0, m2 = 0, m3 = 0, m4 = 0, far = 0, count = (double)n;
    qsort(x, n, sizeof(*x), largest_first);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - sum / count;
        m2 += d * d;
        m3 += d * d * d;
        m4 += d * d * d * d;
        far = fmax(far, d * d);
    }
    sample_shape_t s = {.kurtosis = 3, .ratio = 1, .most = x[0]};
    if (x[n / 2] > 0)
        s.ratio = x[0] / x[n / 2];
    if (!(m2 > 0))
        return s;
    s.share = far / m2;
    s.kurtosis = count * m4 / (m2 * m2);
    if (n > 2)
        s.skew = m3 / m2 / sqrt(m2) * count * sqrt(count - 1) / (count - 2);
    return s;
}

double hill_index(const double *x, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < k && x[k] > 0; i++)
        sum += log(x[i] / x[k]);
    return sum > 0 ? (double)k / sum : INFINITY;
}

double skew_allowance(double skew, double z)
{
    double a = skew / 6;
    return a > 0 ? a * (1 + 2 * z * z) + 4 * a * a * (z + 2 * z * z * z) : 0;
}
