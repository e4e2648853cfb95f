#include "sampling/plan/plan_untold.h"

#include <math.h>
#include <stddef.h>

/* Samples show the spread of a count if theirs is at least this share of it. */
#define SHOWN 0.5

/* What goes along with a count does so a little more or less than in proportion. */
#define MORE_OR_LESS 1.25

/* Half of the mean deviation is the error of the mean if the samples are all alike. */
#define DEVIATION 0.5

typedef double column_t(const population_t *pop, const double *column, uint32_t row);

static double count(const population_t *pop, const double *column, uint32_t row)
{
    (void)pop;
    return column[row];
}

static double blocks(const population_t *pop, const double *column, uint32_t row)
{
    (void)column;
    return (double)pop->grid[row][0] * (double)pop->grid[row][1] * (double)pop->grid[row][2];
}

typedef struct {
    double mean, deviation, square; /* mean, mean deviation, variance */
} shape_t;

/* Of n launches: those at at[i], or all of them. */
static shape_t shape_of(const population_t *pop, column_t *value, const double *column,
                        const uint32_t *rows, const uint64_t *at, uint64_t n)
{
    shape_t s = {0};
    for (uint64_t i = 0; i < n; i++)
        s.mean += value(pop, column, rows[at != NULL ? at[i] : i]);
    s.mean /= (double)n;
    for (uint64_t i = 0; i < n; i++) {
        const double d = value(pop, column, rows[at != NULL ? at[i] : i]) - s.mean;
        s.deviation += fabs(d) / (double)n;
        s.square += d * d / (double)n;
    }
    return s;
}

static double untold_of(const population_t *pop, column_t *value, const double *column,
                        const uint32_t *rows, uint64_t n, const uint64_t *sample, uint64_t m)
{
    const shape_t all = shape_of(pop, value, column, rows, NULL, n);
    const shape_t some = shape_of(pop, value, column, rows, sample, m);
    if (!(all.square > 0) || !(all.mean > 0) || some.square >= SHOWN * SHOWN * all.square)
        return 0;
    /* Relative to what the samples have, as the sum that it widens is; never less than relative to the truth. */
    const double least = some.mean > 0 ? fmin(some.mean, all.mean) : all.mean;
    return fmax(MORE_OR_LESS * fabs(some.mean - all.mean), DEVIATION * all.deviation) / least;
}

double plan_untold(const population_t *pop, const uint32_t *rows, uint64_t n,
                   const uint64_t *sample, uint64_t m)
{
    const double *const column[] = {pop->counter[POP_WARP_INSTS],  pop->counter[POP_REQUESTS],
                                    pop->fact[POP_GLOBAL_SECTORS], pop->fact[POP_LOCAL_SECTORS],
                                    pop->fact[POP_MEMORY_INSTS],   pop->fact[POP_TENSOR_INSTS],
                                    pop->fact[POP_SLOW_INSTS]};
    double most = 0;
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
        if (column[i] != NULL)
            most = fmax(most, untold_of(pop, count, column[i], rows, n, sample, m));
    if (pop->grid != NULL)
        most = fmax(most, untold_of(pop, blocks, NULL, rows, n, sample, m));
    return most;
}
