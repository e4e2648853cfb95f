#include "sampling/launch/online/online_size.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_features.h"
#include "sim/core/alloc.h"

/* A regression is used if its slope is this many standard errors from 0. */
#define SIGNIFICANT 3.0

/* ... and has this many degrees of freedom: few samples can be on a line by chance. */
#define LEAST_DF 10.0

void online_size_init(online_size_t *s, const population_t *pop, const online_steps_t *steps)
{
    const stem_strata_t *strata = &steps->view;
    *s = (online_size_t){.pop = pop,
                         .steps = steps,
                         .mean = rb_calloc(strata->n_groups, sizeof(*s->mean)),
                         .slope = rb_calloc(strata->n_groups, sizeof(*s->slope)),
                         .spread = rb_calloc(strata->n_groups, sizeof(*s->spread))};
    for (uint32_t g = 0; g < strata->n_groups; g++) {
        const uint64_t from = strata->begin[strata->of_group[g]];
        const uint64_t to = strata->begin[strata->of_group[g + 1]];
        for (uint64_t i = from; i < to; i++)
            s->mean[g] += launch_cost(pop, strata->rows[i]) / (double)(to - from);
        for (uint64_t i = from; i < to; i++)
            s->spread[g] +=
                pow(launch_cost(pop, strata->rows[i]) / s->mean[g] - 1, 2) / (double)(to - from);
    }
}

void online_size_free(online_size_t *s)
{
    free(s->mean);
    free(s->slope);
    free(s->spread);
    *s = (online_size_t){0};
}

/* Sums over the samples of a kernel, of deviations from the means of their groups. */
typedef struct {
    double xx, xy, yy;
    double df;     /* samples less groups, less one for the slope */
    double larger; /* sizes of all launches, by which the samples would be wrong */
} deviations_t;

static double mean_size(const online_size_t *s, const stratum_sample_t *p, const uint32_t *rows)
{
    double sum = 0;
    for (uint64_t i = 0; i < p->m; i++)
        sum += launch_cost(s->pop, rows[i]);
    return sum / (double)p->m;
}

static void add_group(deviations_t *d, const online_size_t *s, const stem_strata_t *strata,
                      uint32_t g, const stratum_sample_t *samples, const uint32_t *const *rows)
{
    double n = 0, x_mean = 0, y_mean = 0;
    for (uint32_t h = strata->of_group[g]; h < strata->of_group[g + 1]; h++) {
        d->larger += (double)samples[h].n * (mean_size(s, &samples[h], rows[h]) - s->mean[g]);
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
    d->df += n - 1;
}

typedef struct {
    double slope, variance;
} line_t;

static line_t line_of(const deviations_t *d)
{
    if (!(d->xx > 0) || d->df < LEAST_DF)
        return (line_t){0};
    const double slope = d->xy / d->xx, rest = fmax(d->yy - slope * d->xy, 0) / d->df;
    const line_t line = {slope, rest / d->xx};
    return slope * slope > SIGNIFICANT * SIGNIFICANT * line.variance ? line : (line_t){0};
}

/* The kernel of a group; groups of a kernel are neighbours. */
static uint64_t kernel_of(const online_size_t *s, const stem_strata_t *strata, uint32_t g)
{
    return launch_key(s->pop, strata->rows[strata->begin[strata->of_group[g]]], 0);
}

void online_size_fit(online_size_t *s, stem_strata_t *strata, const stratum_sample_t *samples,
                     const uint32_t *const *rows)
{
    for (uint32_t from = 0, to; from < strata->n_groups; from = to) {
        deviations_t d = {.df = -1};
        for (to = from;
             to < strata->n_groups && kernel_of(s, strata, to) == kernel_of(s, strata, from);
             to++) {
            if (!strata->equal[to])
                add_group(&d, s, strata, to, samples, rows);
        }
        const line_t line = line_of(&d);
        for (uint32_t g = from; g < to; g++) {
            s->slope[g] = strata->equal[g] ? 0 : line.slope;
            strata->uneven[g] = s->slope[g] * s->slope[g] > 0 ? 0 : s->spread[g];
        }
        strata->vague[from] += d.larger * d.larger * line.variance;
    }
}

double online_size_adjusted(const online_size_t *s, uint32_t g, uint32_t row, double cycles)
{
    return online_steps_adjusted(s->steps, g, row, cycles) -
           s->slope[g] * (launch_cost(s->pop, row) - s->mean[g]);
}
