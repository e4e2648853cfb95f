/*
 * A detector for durations that fluctuate: tests whether two consecutive windows of time have the
 * same mean. If blocks compete for the DRAM, their times rise and fall with its refreshes, at the
 * same time on the whole chip, and with the alternation of reads and writes; a window of a fixed
 * number of blocks would catch only a part of a swing. The windows here are as long as needed for a
 * number of points and, if that is only a few periods of the swings, for more points and whole
 * periods. The mean over both windows is the estimate.
 *
 * Points are summed in buckets, the sampling intervals. When there are many buckets, pairs of them
 * are joined, so that memory does not grow.
 */
#ifndef RUBATO_STEADY_H
#define RUBATO_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEADY_BUCKETS = 2048, STEADY_BYTES = (STEADY_BUCKETS + 2) * 16 };

typedef struct {
    uint64_t need;   /* minimum points of a window */
    uint64_t enough; /* also this many, unless the window is many periods long */
    double delta;    /* allowed relative difference of the means of the windows */
    double period;   /* of the swings, in cycles; 0: none */
    uint64_t drop;   /* points to drop at the beginning */
} steady_rule_t;

typedef enum {
    STEADY_FEW, /* too few points for two windows */
    STEADY_CHANGES,
    STEADY_STABLE,
} steady_verdict_t;

typedef struct {
    steady_verdict_t verdict;
    double mean;        /* of both windows; 0: no windows */
    double first, last; /* of each window */
    uint64_t points;    /* of both windows */
    uint64_t cycles;    /* of both windows */
} steady_reading_t;

typedef struct {
    steady_rule_t rule;
    uint64_t bucket; /* cycles of a closed bucket */
    struct steady_sum {
        uint64_t points, cycles;
    } * sums; /* owned: running sums up to each bucket 0 .. n (sums[0] is zero), then with the open
               * bucket */
    size_t n;
    uint64_t seen;
    uint64_t joined, parts; /* intervals per bucket; intervals so far in the open one */
} steady_t;

/* interval: cycles between calls of steady_close(). */
void steady_init(steady_t *s, const steady_rule_t *rule, uint64_t interval);
void steady_free(steady_t *s);

/* Adds a duration that ended in the current interval. */
void steady_add(steady_t *s, uint64_t duration);

/* Ends an interval. Intervals before the first point do not count. */
void steady_close(steady_t *s);

/* calm: there are no swings, so a window only needs `need` points. */
steady_reading_t steady_read(const steady_t *s, bool calm);

/* Mean of the points of the last `cycles` cycles; 0: there are none. */
double steady_mean(const steady_t *s, uint64_t cycles);

#endif
