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
    /* Loads of one line whose lines come at equal distances: of all, those whose line a stride prefetcher has fetched before,
     * and the sequences of them that end. */
    double strided, ahead, ends;
} access_mean_t;

/* Accesses of equal shape are looked at once. */
enum { ACCESS_SHAPES = 256 };
typedef struct {
    uint64_t key; /* 0: none */
    access_mean_t mean;
} access_shape_t;

/* A load of a warp, as a stride prefetcher sees it (sim/sm/memory/prefetcher_stride.c). */
enum { ACCESS_STRIDES = 16 };
typedef struct {
    const inst_t *inst; /* NULL: none */
    uint64_t line, distance;
    unsigned equal; /* distances in a row */
} access_stride_t;

/* Adds the warp's next access to that line. stride: ACCESS_STRIDES of the warp. */
void access_follow(access_mean_t *access, access_stride_t *stride, const inst_t *inst,
                   uint64_t line);

/* The warp ends. */
void access_unfollow(access_mean_t *access, const access_stride_t *stride);

/* Adds an access to the mean of its class. shapes: those that were looked at, of the same launch. */
void access_add(access_mean_t *access, access_shape_t *shapes, const launch_info_t *info,
                const inst_t *inst, const uint64_t *rec, uint32_t mask);

#endif
