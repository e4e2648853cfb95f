/*
 * How far an SM is from a slice of the L2: longer and shorter ways than the mean.
 *
 * The chip is a line. SMs stand in columns along it, the two of a TPC in one, TPC t in column
 * t mod columns; slices lie along all of it, in order. A way takes in proportion to the distance,
 * and the mean over all pairs stays: what one pair gains others lose.
 *
 * The form is derived from what Jin 2024 measured on a V100, whose GPCs are two rows of three: SMs
 * of two GPCs see slices at a mean of 213 cycles with a standard deviation of 13.9 and at 209 with
 * 7.5, and four GPCs are alike. Three columns on a line of 54 cycles have 214 with 13.7 at the ends
 * and 208 with 7.8 in the middle (sums over 64 slices). Which SM stands where is a guess.
 */
#ifndef RUBATO_PARTS_DISTANCE_H
#define RUBATO_PARTS_DISTANCE_H

#include <stdint.h>

typedef struct {
    uint32_t cycles; /* from end to end and back */
    uint32_t columns, n_sms, n_slices;
    int64_t total; /* of all pairs' distances, in parts of the line; unless cycles is 0 */
} distance_t;

/* cycles: 0 for a chip on which all are equally far. columns, n_sms, n_slices: at least 1. */
void distance_init(distance_t *d, uint32_t cycles, uint32_t columns, uint32_t n_sms,
                   uint32_t n_slices);

/* Cycles by which the way to the slice, or back from it, is longer than the mean; may be negative.
 * Together they are rounded once. */
int32_t distance_there(const distance_t *d, uint32_t sm, uint32_t slice);
int32_t distance_back(const distance_t *d, uint32_t sm, uint32_t slice);

/* The smallest and the largest of either way. */
typedef struct {
    int32_t least, most;
} distance_range_t;
distance_range_t distance_range(const distance_t *d);

#endif
