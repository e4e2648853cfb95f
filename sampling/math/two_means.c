#include "sampling/math/two_means.h"

#include <math.h>

#include "sampling/math/stable_sum.h"

spread_t spread_of(const double *x, size_t n)
{
    /* Relative to the first value: equal values give exactly 0, and large ones do not cancel. */
    stable_sum_t sum = {0};
    double first = x[0];
    for (size_t i = 0; i < n; i++)
        sum_add(&sum, x[i] - first);
    double shift = sum_value(&sum) / (double)n;
    double squares = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (x[i] - first) - shift;
        squares += d * d;
        rest += d;
    }
    squares -= rest * rest / (double)n; /* correction for the rounding of the mean */
    if (!(squares > 0))
        return (spread_t){.mean = first + shift};
    return (spread_t){.mean = first + shift,
                      .sd = sqrt(squares / (double)n),
                      .sample = n > 1 ? sqrt(squares / (double)(n - 1)) : 0};
}

size_t two_means(const double *x, size_t n)
{
    if (n < 2 || !(x[0] < x[n - 1]))
        return 0;
    /* With values relative to their mean, a division after i values explains the sum of squares s^2
     * n / (i (n - i)), where s is the sum of the first i. Scaled by the range to avoid overflow. */
    double range = x[n - 1] / 2 - x[0] / 2, mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += (x[i] / 2 - x[0] / 2) / range;
    mean /= (double)n;
    double sum = 0, best = -1;
    size_t at = 0;
    for (size_t i = 1; i < n; i++) {
        sum += (x[i - 1] / 2 - x[0] / 2) / range - mean;
        if (!(x[i - 1] < x[i]))
            continue;
        double explained = sum * sum / ((double)i * (double)(n - i));
        if (explained > best) {
            best = explained;
            at = i;
        }
    }
    return at;
}
