/*
 * Photon's detector (MICRO 2023, section 4.1): tests whether the durations of what retires are
 * stationary. Points (issue x, retire y) come in order of retirement. Over a window, the
 * least-squares slope of y against x is 1 if the duration does not change (equation 1). A second,
 * longer window must have the same mean duration, as a guard against slow changes.
 *
 * In a window bounded by retirement the slope is biased low: it is Var(y) / (Var(y) + Var(d)) for
 * durations d that do not depend on y. So |1 - slope| < delta also limits the spread of the
 * durations, to sqrt(delta / (1 - delta)) of the spread of y; a window must be several durations
 * long for any spread to pass. On a chip that holds many more warps than the window has, none does.
 *
 * All sums are exact integers of cycles since the launch began, so nothing cancels or drifts.
 */
#ifndef RUBATO_STABILITY_H
#define RUBATO_STABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t short_n, long_n; /* points of the two windows; 2 <= short_n <= long_n */
    bool slope_long;        /* use the slope of the long window instead of the short one */
    bool halved;            /* compare means as |long - short| / (long + short) instead of / long */
    bool latched;           /* what was stable once stays so; its mean is that of the last short
                             * window whose slope was near one */
    double delta_slope, delta_mean;
    uint64_t drop; /* points to drop at the beginning */
} stability_rule_t;

typedef enum {
    STABILITY_FEW,    /* fewer points than the long window */
    STABILITY_TREND,  /* the slope is not near one */
    STABILITY_CHANGE, /* the means differ */
    STABILITY_STABLE,
} stability_verdict_t;

typedef struct {
    stability_verdict_t verdict;
    double slope;      /* 0 if x does not vary */
    double short_mean; /* predicts the next duration, if stable */
    double long_mean;
    uint64_t points; /* since the launch began, without dropped ones */
} stability_reading_t;

/* Exact sums over a window. */
__extension__ typedef __int128 stability_sum_t;
typedef struct {
    stability_sum_t x, y, xx, xy;
} stability_sums_t;

typedef struct {
    stability_rule_t rule;
    struct stability_point {
        uint64_t x, y;
    } * ring; /* owned; ring of long_n points */
    uint64_t seen, n;
    stability_sums_t short_sums, long_sums;
    double latched_mean; /* 0: not stable yet */
} stability_t;

void stability_init(stability_t *s, const stability_rule_t *rule);
void stability_free(stability_t *s);

/* Adds a point; issue <= retire < 2^48. */
void stability_add(stability_t *s, uint64_t issue, uint64_t retire);

stability_reading_t stability_read(const stability_t *s);

/* Memory of a detector in bytes. */
size_t stability_bytes(const stability_rule_t *rule);

#endif
