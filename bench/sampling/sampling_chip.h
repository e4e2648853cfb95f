/* Chips for random trials: those of configs/ with other sizes and policies. */
#ifndef RUBATO_BENCH_SAMPLING_CHIP_H
#define RUBATO_BENCH_SAMPLING_CHIP_H

#include <stdint.h>

#include "sampling/math/rng.h"

typedef struct {
    const char *gpu;   /* name of the configuration */
    unsigned arch;     /* of the code: 70 or 75 */
    unsigned sms;      /* 4 .. 80 */
    unsigned warps;    /* slots of an SM */
    unsigned blocks;   /* slots of an SM */
    double l1, l2;     /* bytes of an SM's L1 without shared memory, of the L2 */
    char options[512]; /* for the command line: --gpu NAME -s KEY=VALUE ... */
} drawn_chip_t;

drawn_chip_t draw_chip(rng_t *rng);

/* Log-uniform in low .. high. */
double draw_log(rng_t *rng, double low, double high);

/* True with this probability. */
int draw_chance(rng_t *rng, double p);

#endif
