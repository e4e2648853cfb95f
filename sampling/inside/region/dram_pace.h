/*
 * The rate of a launch that the DRAM limits, measured by the sectors that the DRAM moves.
 *
 * Blocks that began together read together and write together. So the number of blocks that retire
 * in a few waves depends on whether these waves read or wrote more. The number of sectors that the
 * DRAM moves depends on that less. The pace of the DRAM is the slope of a least-squares line
 * through sectors moved against cycles. How many sectors a warp instruction needs is known from
 * the blocks that filled the L2, because they were read (left_moves_t). The rate is the pace
 * divided by that number. It tells nothing if something other than the DRAM limits the launch.
 */
#ifndef RUBATO_DRAM_PACE_H
#define RUBATO_DRAM_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing is measured yet. */
typedef struct {
    uint64_t n;              /* number of measurements */
    double cycle, moved;     /* the first of them */
    double since;            /* sectors moved from the first to the last measurement */
    double t, m, tt, tm, mm; /* sums of cycles and sectors since the first, and of their products */
} dram_pace_t;

/* Adds a measurement: `moved` sectors had been moved at `cycle`. */
void dram_pace_add(dram_pace_t *p, double cycle, double moved);

/* Sectors per cycle; 0 with fewer than two measurements. */
double dram_pace_sectors(const dram_pace_t *p);

/*
 * How uneven the pace is: the standard deviation of the moved sectors from the line, as a share of
 * all moved sectors. INFINITY with fewer than three measurements. If the pace swings once in the
 * measured time, the error of the slope can be 4.3 times as large as this number; with faster
 * swings it is smaller. Slower swings do not show here.
 */
double dram_pace_unrest(const dram_pace_t *p);

/* Parameters that decide how far the pace is trusted. */
typedef struct {
    double per_inst;  /* sectors that must be moved per warp instruction; 0: unknown */
    double bandwidth; /* sectors per cycle that the DRAM can move */
    double light;     /* share of the bandwidth up to which the DRAM limits no launch */
    double tolerance; /* allowed difference of rates or paces, as a share */
} dram_pace_trust_t;

/*
 * Warp instructions per cycle: a weighted mean of `retiring`, the rate of the retired blocks, and
 * the rate of the DRAM. The weight of the DRAM's rate grows with the share of its bandwidth that
 * the DRAM delivers: it is 0 at `light`, and 1 at the most that a DRAM delivers. If the two rates
 * differ by more than the tolerance, the result is `retiring`: the L2 may still write back what
 * the launch found in it, or blocks may move more sectors than those that were read.
 *
 * An uneven pace that is close to the usual one (FILL_DRAM_GIVEN, within the tolerance) is moved
 * towards it.
 */
double dram_pace_rate(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring);

/* Whether dram_pace_rate() is practically the rate of the DRAM alone, and its relative standard
 * error at most `limit`. */
bool dram_pace_tells(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring,
                     double limit);

#endif
