#include "sampling/math/kde.h"

#include <math.h>

#include "sim/core/find_first.h"

double kde_log(const double *x, const double *weight, size_t n, double bandwidth, double at)
{
    const double negligible = 40; /* exp(-40) = 4e-18 */
    size_t low;
    FIND_FIRST(low, 0, n, x[low] >= at);
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
