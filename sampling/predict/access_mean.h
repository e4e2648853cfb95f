/* What the accesses of an instruction class are like on average, from decoded blocks. */
#ifndef RUBATO_ACCESS_MEAN_H
#define RUBATO_ACCESS_MEAN_H

#include "sim/gpu/source/trace_source.h"

/* The mean of an instruction class's accesses; all 0: unknown. */
typedef struct {
    double n;        /* instructions */
    double lines;    /* of 128 bytes that they access */
    double sectors;  /* of 32 bytes */
    double passes;   /* through the banks of the L1 or shared memory */
    double conflict; /* atomics: lanes on the word with the most, of each line in global memory */
    double words;    /* atomics in global memory: words that a line has operations on */
    uint64_t skipped;
} access_mean_t;

/* Accesses of equal shape are looked at once. */
enum { ACCESS_SHAPES = 256 };
typedef struct {
    uint64_t key; /* 0: none */
    access_mean_t mean;
} access_shape_t;

/* Adds an access to the mean of its class. shapes: those that were looked at, of the same launch. */
void access_add(access_mean_t *access, access_shape_t *shapes, const launch_info_t *info,
                const inst_t *inst, const uint64_t *rec, uint32_t mask);

#endif
