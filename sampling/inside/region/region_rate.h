/*
 * The rate of a region, in warp instructions per cycle, measured in consecutive sampling units.
 *
 * There are two counts: instructions issued, and instructions of retired blocks. In steady state
 * both have the same mean. If blocks run in step, the number of issued instructions depends on the
 * phase and the second count is exact: all its units are equal. Otherwise blocks retire in bursts,
 * and the first count varies less.
 */
#ifndef RUBATO_REGION_RATE_H
#define RUBATO_REGION_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { RATE_ISSUED, RATE_RETIRED, RATE_COUNTS } rate_count_t;

/* The end of a unit and start of the next, with the counts so far. */
typedef struct {
    double cycle;
    double insts[RATE_COUNTS];
    double taken; /* L2 sectors */
} rate_edge_t;

/* The time between two edges at which a block retired, assuming an even issue rate. The count of
 * retired instructions is that of `to`. */
rate_edge_t rate_edge_between(const rate_edge_t *from, const rate_edge_t *to, double cycle);

/* Zeroed: nothing is measured yet. */
typedef struct {
    bool open; /* a unit has started, at edge */
    rate_edge_t edge;
    uint64_t units; /* number of measured units */
    double cycles, taken;
    struct {
        double insts;           /* sum over all units */
        double last, before;    /* rates of the last unit and the one before it */
        double mean, deviation; /* of the units' rates: mean, and sum of squared deviations from
                                 * it */
    } count[RATE_COUNTS];
} region_rate_t;

/* Ends the current unit, if any, and starts the next one. */
void region_rate_pass(region_rate_t *r, const rate_edge_t *at);

/* Which count to use: RATE_RETIRED if its units are equal. */
rate_count_t region_rate_count(const region_rate_t *r);

/* Rate of all units by a count; 0 if there are none. */
double region_rate_mean(const region_rate_t *r, rate_count_t count);

/* Its relative standard error; INFINITY with fewer than two units. */
double region_rate_error(const region_rate_t *r, rate_count_t count);

#endif
