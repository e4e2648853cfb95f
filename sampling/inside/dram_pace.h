/*
 * The rate of a launch that the DRAM holds up, from what the DRAM moves.
 *
 * Blocks that began together read together and write together: how many of them retire in a few
 * waves swings with what the DRAM happens to be busy with. What it moves swings less, and what it
 * has to move for a warp instruction is known from the blocks that filled the L2, which were read
 * (left_moves_t). So the rate is the DRAM's pace, the least-squares slope of the sectors moved over
 * the cycles, divided by that. It says nothing where something else holds the launch up.
 */
#ifndef RUBATO_DRAM_PACE_H
#define RUBATO_DRAM_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing is measured. */
typedef struct {
    uint64_t n;              /* moments */
    double cycle, moved;     /* the first of them */
    double since;            /* sectors from then to the last one */
    double t, m, tt, tm, mm; /* sums of cycles and sectors since then, and of their products */
} dram_pace_t;

/* So many sectors had been moved by then. */
void dram_pace_add(dram_pace_t *p, double cycle, double moved);

/* Sectors per cycle; 0 of fewer than two moments. */
double dram_pace_sectors(const dram_pace_t *p);

/*
 * How uneven the pace is: the standard deviation of what had been moved from the line, as a share
 * of all that was moved. INFINITY of fewer than three moments. A swing that is as long as what was
 * measured bends the slope by up to 4.3 times as much, shorter ones by less; slower ones do not
 * show in it.
 */
double dram_pace_unrest(const dram_pace_t *p);

/* What tells how far it is believed. */
typedef struct {
    double per_inst;  /* sectors that have to be moved for a warp instruction; 0: not known */
    double bandwidth; /* sectors that the DRAM can move in a cycle */
    double light;     /* share of it that holds no launch up */
    double tolerance; /* share by which rates, or paces, may differ */
} dram_pace_trust_t;

/*
 * Warp instructions per cycle: between retiring, the rate that was measured by the blocks, and that
 * of the DRAM, the nearer to this the more of its bandwidth the DRAM gives, from light to as much
 * as it ever does. Retiring alone, where the two differ by more than the tolerance: the L2 is still
 * giving back what it found, or blocks move more than those that were read.
 *
 * A pace that is uneven, and within the tolerance of what the DRAM gives to launches that it holds
 * up (FILL_DRAM_GIVEN), is taken to be nearer to that.
 */
double dram_pace_rate(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring);

/* That rate is as good as the DRAM's alone, with a standard error of no more than limit, as a share
 * of it. */
bool dram_pace_tells(const dram_pace_t *p, const dram_pace_trust_t *trust, double retiring,
                     double limit);

#endif
