/*
 * The rate of a region, from the retirement times of its blocks. A unit consists of as many blocks
 * as the chip holds; its moment is the mean of their retirement times. The least-squares slope of
 * the moments against the unit numbers is the time of a unit.
 *
 * Blocks that began together retire in bursts, for many waves. The time between two unit boundaries
 * includes a part of a burst at each end. The mean over a unit does not: it contains every phase of
 * the swing once. So fewer units are needed, and blocks in step give the exact rate. A delay that
 * all blocks have once, such as a first wave in cold caches, shifts all moments equally.
 */
#ifndef RUBATO_UNIT_SLOPE_H
#define RUBATO_UNIT_SLOPE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed except for slots: nothing is measured yet. */
typedef struct {
    uint64_t slots;      /* blocks per unit */
    uint64_t blocks;     /* blocks so far in the open unit */
    double moment;       /* sum of their retirement times, from the origin */
    uint64_t units;      /* number of closed units */
    double insts;        /* warp instructions of the closed units and of the open one */
    double closed_insts; /* warp instructions of the closed units */
    double origin;       /* retirement cycle of the first block */
    double y, jy, yy;    /* sums of the units' moments y and their numbers j = 0, 1, ... */
    double quarter[2];   /* sums of retirement times in the first quarter of the first two units */
    bool forgot;         /* some closed units were discarded */
} unit_slope_t;

/* Adds a block that retired. */
void unit_slope_add(unit_slope_t *s, double retire, double insts);

/* Discards the closed units; the open one becomes the first. */
void unit_slope_forget(unit_slope_t *s);

/* Warp instructions per cycle; 0 with fewer than two units. */
double unit_slope_rate(const unit_slope_t *s);

/* The rate from one and a quarter units: from the first quarters of the first two. 0: they are not
 * complete, or units were discarded. The other blocks are assumed to execute as many
 * instructions. */
double unit_slope_first_rate(const unit_slope_t *s);

/* Relative standard error of the rate, from the deviations of the moments from the line; INFINITY
 * with fewer than three units. */
double unit_slope_error(const unit_slope_t *s);

/*
 * Half the width of the rate's 90 % confidence interval, as a share of the rate. With few units the
 * deviations from the line say little and may be small by chance, so the usual deviation (a
 * standard deviation, in unit times) counts as two more units. INFINITY with fewer than two
 * units.
 */
double unit_slope_doubt(const unit_slope_t *s, double usual);

#endif
