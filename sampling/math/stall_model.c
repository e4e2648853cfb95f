#include "sampling/math/stall_model.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

/* A normal distribution has 95 % within this many standard deviations. */
#define SIDES_95 1.96

double stall_model_ipc(double p, const double *m, size_t n)
{
    double all_stalled = 1;
    p = fmin(fmax(p, 0), 1);
    for (size_t i = 0; i < n; i++)
        all_stalled *= p / (p + 1 / m[i]);
    return 1 - all_stalled;
}

stall_spread_t stall_model_spread(double p, double mean, size_t n, unsigned trials, uint64_t seed)
{
    double *m = rb_calloc(n + 1, sizeof(*m));
    stall_spread_t out = {0};
    double sum = 0, squares = 0;
    unsigned within = 0;
    rng_t rng = rng_make(seed, 0);
    for (size_t i = 0; i < n; i++)
        m[i] = mean;
    out.ipc = stall_model_ipc(p, m, n);
    for (unsigned t = 0; t < trials; t++) {
        for (size_t i = 0; i < n; i++)
            m[i] = fmax(mean * (1 + 0.1 / SIDES_95 * rng_normal(&rng)), mean * 1e-3);
        const double away = stall_model_ipc(p, m, n) - out.ipc;
        sum += away;
        squares += away * away;
        within += fabs(away) <= 0.1 * out.ipc;
    }
    if (trials > 0) {
        const double shift = sum / trials, variance = squares / trials - shift * shift;
        out.cov = out.ipc > 0 ? sqrt(fmax(variance, 0)) / (out.ipc + shift) : 0;
        out.within = (double)within / trials;
    }
    free(m);
    return out;
}
