#include "sampling/launch/launch_features.h"

#include <math.h>

#include "sampling/math/pair_sort.h"

/* Reading a launch, its launch latency and its report take as long as about a thousand warp
 * instructions. */
#define LAUNCH_OVERHEAD 1000.0

/* A count below this share of the warp instructions hardly matters. */
#define SMALL_SHARE 0.01

static uint64_t count_key(const double *column, uint32_t row)
{
    return column == NULL ? 0 : sort_key(column[row]);
}

uint64_t launch_key(const population_t *pop, uint32_t row, unsigned i)
{
    if (i == 0)
        return pop->name == NULL ? 0 : pop->name[row];
    i--;
    if (i < POP_COUNTERS)
        return count_key(pop->counter[i], row);
    i -= POP_COUNTERS;
    if (i < POP_FACTS)
        return count_key(pop->fact[i], row);
    i -= POP_FACTS;
    if (i < 3)
        return pop->grid == NULL ? 0 : pop->grid[row][i];
    i -= 3;
    if (i < 3)
        return pop->block == NULL ? 0 : pop->block[row][i];
    if (i == 3)
        return pop->bbv_of == NULL ? 0 : pop->bbv_of[row];
    return pop->mix_of == NULL ? 0 : pop->mix_of[row];
}

static double product(const uint32_t (*size)[3], uint32_t row)
{
    return size == NULL ? 1 : (double)size[row][0] * (double)size[row][1] * (double)size[row][2];
}

static double scaled(const double *column, uint32_t row, double small)
{
    return column == NULL ? 0 : log(fmax(column[row], 0) + small);
}

void launch_features(const population_t *pop, uint32_t row, double x[LAUNCH_FEATURES])
{
    const double *insts = pop->counter[POP_WARP_INSTS];
    double small = 1 + (insts == NULL ? 0 : SMALL_SHARE * insts[row]);
    unsigned n = 0;
    x[n++] = log(product(pop->grid, row));
    x[n++] = log(product(pop->block, row));
    x[n++] = scaled(insts, row, 1);
    x[n++] = scaled(pop->predicted, row, 1);
    for (unsigned i = 0; i < POP_COUNTERS; i++) {
        const double *column = pop->counter[i];
        if (i == POP_BLOCK_COV)
            x[n++] = column == NULL ? 0 : column[row];
        else
            x[n++] = scaled(column, row, small);
    }
    for (unsigned i = 0; i < POP_FACTS; i++)
        x[n++] = scaled(pop->fact[i], row, small);
}

double launch_distance(const double *a, const double *b)
{
    double most = 0;
    for (unsigned i = 0; i < LAUNCH_FEATURES; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

double launch_cost(const population_t *pop, uint32_t row)
{
    const double *insts = pop->counter[POP_WARP_INSTS];
    return insts == NULL ? 1 : LAUNCH_OVERHEAD + fmax(insts[row], 0);
}
