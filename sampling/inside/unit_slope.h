/*
 * The rate of a region from the moments at which its blocks retire. A unit is as many blocks as the
 * chip holds; its moment is the mean of their retiring. The least-squares slope of these moments
 * over the units' numbers is the time of a unit.
 *
 * Blocks that began together retire in bursts, for many waves. The time between two edges of units
 * catches a part of a burst at each end. The mean over a unit does not: every phase of the swing
 * is in it once. So few units tell more than edges do, and blocks in step give the exact rate. A
 * delay that all blocks have once, as of a first wave in cold caches, moves all moments alike.
 */
#ifndef RUBATO_UNIT_SLOPE_H
#define RUBATO_UNIT_SLOPE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed, but for slots: nothing is measured. */
typedef struct {
    uint64_t slots;      /* blocks of a unit */
    uint64_t blocks;     /* of the unit that is open */
    double moment;       /* sum of theirs, from the origin */
    uint64_t units;      /* closed */
    double insts;        /* warp instructions of these, and of what is open */
    double closed_insts; /* of these */
    double origin;       /* cycle of the first block */
    double y, jy, yy;    /* sums of the units' moments y and their numbers j = 0, 1, ... */
    double quarter[2];   /* sums of the moments of the first quarters of the first two units */
    bool forgot;         /* some that have closed */
} unit_slope_t;

/* A block retired. */
void unit_slope_add(unit_slope_t *s, double retire, double insts);

/* Units that have closed do not count: the one that is open is the first. */
void unit_slope_forget(unit_slope_t *s);

/* Warp instructions per cycle; 0 of fewer than two units. */
double unit_slope_rate(const unit_slope_t *s);

/* The same of one and a quarter units: from the first quarters of the first two. 0: they are not
 * over, or units were forgotten. Blocks of the others are taken to execute as much. */
double unit_slope_first_rate(const unit_slope_t *s);

/* Standard error of the rate as a share of it, from what the moments lie off the line; INFINITY of
 * fewer than three units. */
double unit_slope_error(const unit_slope_t *s);

/*
 * Half the width of the rate's 90 % confidence interval, as a share of it. Few units say little of
 * how far moments lie off the line, and some do not by chance: what is usual (a standard deviation,
 * in times of a unit) counts as two more. INFINITY of fewer than two units.
 */
double unit_slope_doubt(const unit_slope_t *s, double usual);

#endif
