#include "sampling/launch/online_size.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_features.h"
#include "sim/core/alloc.h"

/* A regression is used if its slope is so many standard errors from 0. */
#define SIGNIFICANT 3.0

void online_size_init(online_size_t *s, const population_t *pop, const stem_strata_t *strata)
{
    *s = (online_size_t){.pop = pop,
                         .mean = rb_calloc(strata->n_groups, sizeof(*s->mean)),
                         .slope = rb_calloc(strata->n_groups, sizeof(*s->slope))};
    for (uint32_t g = 0; g < strata->n_groups; g++) {
        const uint64_t from = strata->begin[strata->of_group[g]];
        const uint64_t to = strata->begin[strata->of_group[g + 1]];
        for (uint64_t i = from; i < to; i++)
            s->mean[g] += launch_cost(pop, strata->rows[i]) / (double)(to - from);
    }
}

void online_size_free(online_size_t *s)
{
    free(s->mean);
    free(s->slope);
    *s = (online_size_t){0};
}

/* Sums over samples, of deviations from the means of their groups. */
typedef struct {
    double xx, xy, yy;
    double df; /* samples less groups */
} deviations_t;

static void add_group(deviations_t *d, const online_size_t *s, const stem_strata_t *strata,
                      uint32_t g, const stratum_sample_t *samples, const uint32_t *const *rows)
{
    double n = 0, x_mean = 0, y_mean = 0;
    for (uint32_t h = strata->of_group[g]; h < strata->of_group[g + 1]; h++) {
        for (uint64_t i = 0; i < samples[h].m; i++) {
            const double dx = launch_cost(s->pop, rows[h][i]) - x_mean;
            const double dy = samples[h].cycles[i] - y_mean;
            n++;
            x_mean += dx / n;
            y_mean += dy / n;
            d->xx += dx * dx * (n - 1) / n;
            d->xy += dx * dy * (n - 1) / n;
            d->yy += dy * dy * (n - 1) / n;
        }
    }
    d->df += n > 0 ? n - 1 : 0;
}

static double slope_of(const deviations_t *d)
{
    if (!(d->xx > 0) || d->df < 2)
        return 0;
    const double slope = d->xy / d->xx, rest = fmax(d->yy - slope * d->xy, 0);
    return slope * slope * d->xx > SIGNIFICANT * SIGNIFICANT * rest / (d->df - 1) ? slope : 0;
}

/* The kernel of a group; groups of a kernel are neighbours. */
static uint64_t kernel_of(const online_size_t *s, const stem_strata_t *strata, uint32_t g)
{
    return launch_key(s->pop, strata->rows[strata->begin[strata->of_group[g]]], 0);
}

void online_size_fit(online_size_t *s, const stem_strata_t *strata, const stratum_sample_t *samples,
                     const uint32_t *const *rows)
{
    for (uint32_t from = 0, to; from < strata->n_groups; from = to) {
        deviations_t d = {0};
        for (to = from; to < strata->n_groups &&
                        kernel_of(s, strata, to) == kernel_of(s, strata, from);
             to++) {
            if (!strata->equal[to])
                add_group(&d, s, strata, to, samples, rows);
        }
        for (uint32_t g = from; g < to; g++)
            s->slope[g] = strata->equal[g] ? 0 : slope_of(&d);
    }
}

double online_size_adjusted(const online_size_t *s, uint32_t g, uint32_t row, double cycles)
{
    return cycles - s->slope[g] * (launch_cost(s->pop, row) - s->mean[g]);
}
