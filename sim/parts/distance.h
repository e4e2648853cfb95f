/*
 * How much farther or nearer than the mean a slice of the L2 is from an SM.
 *
 * The chip is modelled as a line. SMs stand in columns along it: the two SMs of TPC t in column t
 * mod columns. The slices lie along all of it, in order. The latency grows linearly with the
 * distance; the mean over all pairs is unchanged.
 *
 * The form follows the V100 measurements of Jin 2024, whose GPCs are two rows of three: SMs of two
 * GPCs see slices at a mean of 213 cycles with a standard deviation of 13.9, another pair at 209
 * with 7.5, and four GPCs are alike. Three columns on a line of 54 cycles give 214 with 13.7 at the
 * ends and 208 with 7.8 in the middle (sums over 64 slices). Which SM stands where is a guess.
 */
#ifndef RUBATO_PARTS_DISTANCE_H
#define RUBATO_PARTS_DISTANCE_H

#include <stdint.h>

typedef struct {
    uint32_t cycles; /* round trip from end to end */
    uint32_t columns, n_sms, n_slices;
    int64_t total; /* sum of the distances of all pairs, in parts of the line; 0 if cycles is 0 */
} distance_t;

/* cycles: 0 if all slices are equally far. columns, n_sms, n_slices: at least 1. */
void distance_init(distance_t *d, uint32_t cycles, uint32_t columns, uint32_t n_sms,
                   uint32_t n_slices);

/* Cycles by which the way to the slice, or back, takes longer than the mean; may be negative. Their
 * sum is rounded only once. */
int32_t distance_there(const distance_t *d, uint32_t sm, uint32_t slice);
int32_t distance_back(const distance_t *d, uint32_t sm, uint32_t slice);

/* The smallest and the largest value of both. */
typedef struct {
    int32_t least, most;
} distance_range_t;
distance_range_t distance_range(const distance_t *d);

#endif
