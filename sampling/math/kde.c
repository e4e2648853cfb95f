#include "sampling/math/kde.h"

#include <math.h>

double kde_log(const double *x, const double *weight, size_t n, double bandwidth, double at)
{
    const double negligible = 40; /* exp(-40) = 4e-18 */
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    /* x[low - 1] < at <= x[low]: the largest term belongs to one of them. */
    double above = low < n ? (x[low] - at) / bandwidth : INFINITY;
    double below = low > 0 ? (at - x[low - 1]) / bandwidth : INFINITY;
    double least = fmin(above, below), largest = -0.5 * least * least, sum = 0;
    for (size_t i = low; i < n; i++) {
        double d = (x[i] - at) / bandwidth, term = -0.5 * d * d - largest;
        if (term < -negligible)
            break;
        sum += (weight == NULL ? 1 : weight[i]) * exp(term);
    }
    for (size_t i = low; i > 0; i--) {
        double d = (at - x[i - 1]) / bandwidth, term = -0.5 * d * d - largest;
        if (term < -negligible)
            break;
        sum += (weight == NULL ? 1 : weight[i - 1]) * exp(term);
    }
    return largest + log(sum);
}
