/* Compensated sum: does not lose small terms among large ones (Neumaier, 1974). */
#ifndef RUBATO_MATH_STABLE_SUM_H
#define RUBATO_MATH_STABLE_SUM_H

#include <math.h>

typedef struct {
    double sum, lost;
} stable_sum_t;

static inline void sum_add(stable_sum_t *s, double x)
{
    double t = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
    s->sum = t;
}

static inline double sum_value(const stable_sum_t *s)
{
    return s->sum + s->lost;
}

#endif
