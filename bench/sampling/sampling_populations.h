/*
 * Programs with known times, made up to break launch samplers: heavy tails, launches that are slow for
 * reasons that an index does not show, drift, phases, and programs of many kernels. They have the
 * columns that the index of a trace would have.
 */
#ifndef RUBATO_BENCH_SAMPLING_POPULATIONS_H
#define RUBATO_BENCH_SAMPLING_POPULATIONS_H

#include <stddef.h>

#include "sampling/math/rng.h"
#include "sampling/plan/population.h"

typedef struct {
    population_t pop; /* without times; borrows the columns */
    double *time;
    uint32_t *name;
    uint32_t (*grid)[3], (*block)[3];
    double *insts, *threads, *requests, *sectors, *extra;
    char (*text)[24];
    const char **names;
} made_program_t;

typedef struct {
    const char *name; /* for people */
    uint64_t launches;
    uint32_t kernels;
    /* Fills in the launches of a zeroed program: name, time, counts; extra: what is usual. */
    void (*make)(made_program_t *p, rng_t *rng);
    double reach; /* what the chip and the index allow, in usual times; 0: nothing is known */
} made_kind_t;

extern const made_kind_t made_kinds[];
extern const size_t n_made_kinds;

made_program_t made_program(const made_kind_t *kind, uint64_t seed);
void made_program_free(made_program_t *p);

#endif
