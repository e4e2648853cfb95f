/*
 * Artificial launches for tests of launch samplers.
 */
#ifndef RUBATO_TESTS_POPULATION_LAB_H
#define RUBATO_TESTS_POPULATION_LAB_H

#include "sampling/launch/launch_sampler.h"
#include "sampling/math/rng.h"

/* Owned columns of n launches; pop borrows them. */
typedef struct {
    population_t pop;
    uint32_t *name;
    double *time, *insts, *threads, *requests;
    char **names;
} lab_population_t;

/* Launches of kernels k0, k1, ... in turn; times are 0, counts 1; counters are not in pop. */
lab_population_t lab_population(uint64_t n, uint32_t names);
void lab_population_free(lab_population_t *lab);

/* Launches of one kernel: durations around peaks, each a multiple of the previous one. */
typedef struct {
    uint64_t n;
    unsigned peaks;
    double first, factor; /* duration of the first peak; of a peak over the one before */
    double spread;        /* coefficient of variation around a peak */
} lab_kernel_t;

/*
 * Launches of these kernels, one after the other. Their counts (insts) are proportional to the peak
 * that a launch belongs to.
 */
lab_population_t lab_kernels(const lab_kernel_t *kernels, uint32_t n, uint64_t seed);

/*
 * A training run: steps that repeat the same launches of 40 kernels, in the order of layers. Most
 * launches of a kernel differ by layer. Durations spread by 2 to 30 %, those of some kernels more.
 */
lab_population_t lab_training(uint64_t steps, uint64_t seed);

/* A plan that must succeed. */
plan_t lab_plan(const population_t *pop, const char *method, uint64_t seed);

/* The message of a plan that must fail. Valid until the next call. */
const char *lab_plan_error(const population_t *pop, const char *method);

/* Weighted sum of the samples' values in a column of the rows (ids are 1 .. n). */
double lab_weighted(const plan_t *plan, const double *column);

/* Adds warp and thread instructions and requests, as from an index or a profile. */
void lab_know_counters(lab_population_t *lab);

/* Fails the test unless the plan has the properties that every plan must have. */
void lab_check_plan(const population_t *pop, const plan_t *plan);

/* Equal but for rounding. */
bool lab_close(double a, double b);

#endif
