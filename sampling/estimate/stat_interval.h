/* The interval of a statistic, kept within what is possible. */
#ifndef RUBATO_ESTIMATE_STAT_INTERVAL_H
#define RUBATO_ESTIMATE_STAT_INTERVAL_H

#include "sampling/estimate/launch_values.h"

typedef struct {
    double low, high;   /* NAN: no interval */
    const char *method; /* as in estimate_t */
    const char *reason; /* why there is no interval; NULL: there is one, or there is no value */
} stat_interval_t;

/* No interval, and why. reason NULL: there is no value. */
stat_interval_t stat_interval_none(const char *reason);

/* Keeps an interval between least, or 0, and most. It always contains the value. */
stat_interval_t stat_interval_possible(stat_interval_t i, double value, double least, double most);

/*
 * Keeps parts within their wholes: where a ratio of two counters is at most 1, such as hits of
 * lookups, the first one ends no higher than the second, which begins no lower. of: their
 * intervals.
 */
void stat_interval_parts(const stat_list_t *stats, stat_interval_t *of);

#endif
