/*
 * The rate of a region, in warp instructions a cycle, measured in sampling units that follow each
 * other.
 *
 * Two counts tell it: instructions issued, and instructions of blocks that have retired. In steady
 * state both have the same mean. Where blocks run in step, what is issued between two moments
 * depends on the phase, and the second count is exact: its units are all equal. Otherwise blocks
 * retire in bursts, and the first is the quieter one.
 */
#ifndef RUBATO_REGION_RATE_H
#define RUBATO_REGION_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { RATE_ISSUED, RATE_RETIRED, RATE_COUNTS } rate_count_t;

/* A moment at which a unit ends and the next begins, and what had happened by then. */
typedef struct {
    double cycle;
    double insts[RATE_COUNTS];
    double taken; /* sectors of the L2 */
} rate_edge_t;

/* The moment between two when a block retired: instructions are issued at an even rate. Those of
 * retired blocks are as at the second. */
rate_edge_t rate_edge_between(const rate_edge_t *from, const rate_edge_t *to, double cycle);

/* Zeroed: nothing is measured. */
typedef struct {
    bool open; /* a unit has begun, at edge */
    rate_edge_t edge;
    uint64_t units; /* measured */
    double cycles, taken;
    struct {
        double insts;           /* of all units */
        double last, before;    /* rates of the last unit and the one before */
        double mean, deviation; /* of the units' rates, and the sum of squares about it */
    } count[RATE_COUNTS];
} region_rate_t;

/* A unit ends here, if one had begun, and the next begins. */
void region_rate_pass(region_rate_t *r, const rate_edge_t *at);

/* The count to go by: RATE_RETIRED where its units are equal. */
rate_count_t region_rate_count(const region_rate_t *r);

/* Rate of all units by a count; 0: there is none. */
double region_rate_mean(const region_rate_t *r, rate_count_t count);

/* Its standard error as a share of it; INFINITY of fewer than two units. */
double region_rate_error(const region_rate_t *r, rate_count_t count);

#endif
