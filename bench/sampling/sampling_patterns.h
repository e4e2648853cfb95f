/* What a phase of a drawn kernel does: patterns of accesses and computation as text of listings. */
#ifndef RUBATO_BENCH_SAMPLING_PATTERNS_H
#define RUBATO_BENCH_SAMPLING_PATTERNS_H

#include <stdio.h>

#include "bench/sampling/sampling_chip.h"

/* A pattern with drawn parameters. */
typedef struct {
    const char *name;
    unsigned insts;   /* warp instructions of a step, about */
    unsigned cost;    /* of simulating a step, in plain instructions, about */
    unsigned shared;  /* bytes of a block */
    double foot;      /* bytes that all blocks share; 0: each has its own data */
    const char *body; /* of the loop over steps: see sampling_patterns.c */
    char params[200]; /* lines ".param ...", with '?' for the letter of the phase */
} pattern_t;

/* threads: of a block; resident: blocks of an SM. */
pattern_t draw_pattern(rng_t *rng, const drawn_chip_t *chip, unsigned threads, unsigned resident);

/* Writes text with '?' replaced. */
void pattern_write(FILE *out, const char *text, char letter);

#endif
