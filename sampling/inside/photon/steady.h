/*
 * A detector for durations that fluctuate. It compares the means of two consecutive windows of
 * time; the estimate is the mean over both.
 *
 * Where blocks compete for the DRAM, all durations on the chip swing together: with the refreshes,
 * and with the alternation of reads and writes. A window of a fixed number of points could be a
 * part of a swing. So windows are measured in time. A window has at least `need` points. If that
 * is only a few periods of the swings, it has at least `enough` points and whole periods.
 *
 * The points of a sampling interval are added up in a bucket. When there are many buckets, each
 * two neighbours are joined, so that memory does not grow.
 */
#ifndef RUBATO_STEADY_H
#define RUBATO_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEADY_BUCKETS = 2048, STEADY_BYTES = (STEADY_BUCKETS + 2) * 16 };

typedef struct {
    uint64_t need;   /* fewest points of a window */
    uint64_t enough; /* the same for a window of few periods */
    double delta;    /* allowed relative difference between the means of the two windows */
    double period;   /* of the swings, in cycles; 0: there are none */
    uint64_t drop;   /* points at the beginning that do not count */
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

/* Compares the last two windows. calm: there are no swings, so `need` points are enough. */
steady_reading_t steady_read(const steady_t *s, bool calm);

/* Mean of the points of the last `cycles` cycles; 0: there are none. */
double steady_mean(const steady_t *s, uint64_t cycles);

#endif
