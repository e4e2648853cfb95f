/*
 * The rate of a launch that is limited by the DRAM, derived from the sectors that the DRAM moves.
 *
 * Blocks that began together read and write together, so the number of blocks that retire in a few
 * waves fluctuates with what the DRAM is busy with. The sectors it moves fluctuate less, and the
 * sectors per warp instruction are known from the blocks that filled the L2, which were read
 * (left_moves_t). So the rate is the DRAM's pace, the least-squares slope of the sectors moved
 * against the cycles, divided by that number. It says nothing if something else limits the
 * launch.
 */
#ifndef RUBATO_DRAM_PACE_H
#define RUBATO_DRAM_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing is measured yet. */
typedef struct {
    uint64_t n;              /* number of measurements */
    double cycle, moved;     /* the first of them */
    double since;            /* sectors from the first to the last one */
    double t, m, tt, tm, mm; /* sums of cycles and sectors since the first, and of their products */
} dram_pace_t;

/* Adds a measurement: `moved` sectors had been moved at `cycle`. */
void dram_pace_add(dram_pace_t *p, double cycle, double moved);

/* Sectors per cycle; 0 with fewer than two measurements. */
double dram_pace_sectors(const dram_pace_t *p);

/*
 * How uneven the pace is: the standard deviation of the moved sectors from the line, as a share of
 * all moved sectors. INFINITY with fewer than three measurements. A swing as long as the measured
 * time bends the slope by up to 4.3 times as much, shorter ones by less; slower swings do not show
 * in it.
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
 * Warp instructions per cycle: between `retiring`, the rate measured from retired blocks, and that
 * of the DRAM. The weight of the latter grows with the share of its bandwidth that the DRAM
 * delivers, from `light` to the most it ever delivers. Only `retiring` if the two differ by more
 * than the tolerance: the L2 may still write back what it found, or blocks may move more than those
 * that were read.
 *
 * An uneven pace that is within the tolerance of the usual pace (FILL_DRAM_GIVEN) is moved towards
 * it.
 */
double dram_pace_rate(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring);

/* Whether that rate is practically the DRAM's alone, with a relative standard error of at most
 * limit. */
bool dram_pace_tells(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring,
                     double limit);

#endif
