#include "frontend/tool/silicon/hardware_score.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

double hardware_relative_error(double measured, double simulated, bool share)
{
    const double difference = simulated - measured;
    if (share || difference == 0.0)
        return difference;
    return measured != 0.0 ? difference / fabs(measured) : (double)NAN;
}

/* Pearson's correlation; NAN: fewer than 3 pairs, or no variation. */
static double correlate(const double *x, const double *y, size_t n)
{
    enum { FEWEST = 3 };
    double mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const double dx = x[i] - mx, dy = y[i] - my;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return n < FEWEST || xx <= 0.0 || yy <= 0.0 ? (double)NAN : xy / sqrt(xx * yy);
}

static double correlate_logs(const double *measured, const double *simulated, size_t n)
{
    double *x = rb_calloc(n + 1, sizeof(*x)), *y = rb_calloc(n + 1, sizeof(*y));
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(measured[i] > 0.0 && simulated[i] > 0.0))
            continue;
        x[kept] = log(measured[i]);
        y[kept++] = log(simulated[i]);
    }
    const double r = correlate(x, y, kept);
    free(x);
    free(y);
    return r;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts values. NAN: there are none. */
static double median_of(double *values, size_t n)
{
    if (n == 0)
        return (double)NAN;
    qsort(values, n, sizeof(*values), ascending);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

hardware_score_t hardware_score(const double *measured, const double *simulated, size_t n,
                                bool share)
{
    hardware_score_t s = {.r = correlate(measured, simulated, n),
                          .log_r = correlate_logs(measured, simulated, n)};
    double *sizes = rb_calloc(n + 1, sizeof(*sizes)), largest = -1.0;
    for (size_t i = 0; i < n; i++) {
        const double e = hardware_relative_error(measured[i], simulated[i], share);
        if (!isfinite(e))
            continue;
        sizes[s.n++] = fabs(e);
        s.error += fabs(e);
        s.bias += e;
        if (fabs(e) > largest) {
            largest = fabs(e);
            s.worst = i;
        }
    }
    s.error /= (double)s.n; /* NAN if there are none */
    s.bias /= (double)s.n;
    s.median = median_of(sizes, s.n);
    free(sizes);
    return s;
}
