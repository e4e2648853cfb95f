/*
 * Triples for `./do trials random`: a workload, a chip and a seed of the samplers, drawn from one
 * distribution, which README.md of this folder describes. The same seed and number give the same triple
 * on every machine.
 */
#ifndef RUBATO_BENCH_SAMPLING_DRAW_H
#define RUBATO_BENCH_SAMPLING_DRAW_H

#include <stdint.h>
#include <stdio.h>

#include "bench/sampling/sampling_chip.h"

/* Writes the workload of triple `number` of `seed` to out, as a listing (docs/listings.md), and sets
 * its chip and the waves of its only launch, 0 in a program. Returns the number of launches. */
uint64_t draw_triple(uint64_t seed, uint64_t number, FILE *out, drawn_chip_t *chip, double *waves);

#endif
