/*
 * A detector for durations that fluctuate: have two windows of time, one behind the other, the same
 * mean? Where blocks compete for the DRAM their times rise and fall with its refreshes, in step on
 * the whole chip, and as reads and writes take turns: a window of a fixed number of blocks catches
 * a part of a swing. The windows here are as long as needed for so many points and, where that is a
 * few periods of such swings, more points and whole periods; the mean over both is the estimate.
 *
 * Points are summed in buckets, the intervals in which a launch is looked at. Pairs of buckets are
 * joined when there are many, so that memory does not grow.
 */
#ifndef RUBATO_STEADY_H
#define RUBATO_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEADY_BUCKETS = 2048, STEADY_BYTES = (STEADY_BUCKETS + 2) * 16 };

typedef struct {
    uint64_t need;   /* points of a window, at least */
    uint64_t enough; /* and so many, unless it is many periods long */
    double delta;    /* means of the windows may differ by this share */
    double period;   /* cycles; 0: there is none */
    uint64_t drop;   /* points dropped at the beginning */
} steady_rule_t;

typedef enum {
    STEADY_FEW, /* too few points for two windows */
    STEADY_CHANGES,
    STEADY_STABLE,
} steady_verdict_t;

typedef struct {
    steady_verdict_t verdict;
    double mean;        /* of both windows; 0: there are none */
    double first, last; /* of each */
    uint64_t points;    /* of both */
    uint64_t cycles;    /* of both */
} steady_reading_t;

typedef struct {
    steady_rule_t rule;
    uint64_t bucket; /* cycles of a bucket that is closed */
    struct steady_sum {
        uint64_t points, cycles;
    } * sums; /* owned: of the buckets [0 .. n], running; sums[0] is zero; then of what is open */
    size_t n;
    uint64_t seen;
    uint64_t joined, parts; /* intervals of a bucket; of the open one so far */
} steady_t;

/* interval: cycles from one steady_close() to the next. */
void steady_init(steady_t *s, const steady_rule_t *rule, uint64_t interval);
void steady_free(steady_t *s);

/* A duration that ended in the interval that is open. */
void steady_add(steady_t *s, uint64_t duration);

/* An interval is over. Those before the first point do not count. */
void steady_close(steady_t *s);

/* calm: there are no swings; need is all that a window must have. */
steady_reading_t steady_read(const steady_t *s, bool calm);

/* Mean of the points of the last so many cycles; 0: there are none. */
double steady_mean(const steady_t *s, uint64_t cycles);

#endif
