#include "sampling/launch/online/online_size.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_features.h"
#include "sim/core/alloc.h"

/* A regression is used if its slope is this many standard errors from 0. */
#define SIGNIFICANT 3.0

/* ... and has this many degrees of freedom: few samples can be on a line by chance. */
#define LEAST_DF 10.0

static double size_of(const population_t *pop, unsigned kind, uint32_t row)
{
    return kind == SIZE_COST ? launch_cost(pop, row) : pop->predicted[row];
}

static double *mean_of(const online_size_t *s, uint32_t g, unsigned kind)
{
    return &s->mean[(size_t)g * SIZES + kind];
}

void online_size_init(online_size_t *s, const population_t *pop, const online_steps_t *steps)
{
    const stem_strata_t *strata = &steps->view;
    *s = (online_size_t){.pop = pop,
                         .steps = steps,
                         .n = pop->predicted != NULL ? SIZES : SIZE_PREDICTED,
                         .mean = rb_calloc((size_t)strata->n_groups * SIZES, sizeof(*s->mean)),
                         .kind = rb_calloc(strata->n_groups, sizeof(*s->kind)),
                         .slope = rb_calloc(strata->n_groups, sizeof(*s->slope)),
                         .spread = rb_calloc(strata->n_groups, sizeof(*s->spread))};
    for (uint32_t g = 0; g < strata->n_groups; g++) {
        const uint64_t from = strata->begin[strata->of_group[g]];
        const uint64_t to = strata->begin[strata->of_group[g + 1]];
        for (unsigned kind = 0; kind < s->n; kind++) {
            double *mean = mean_of(s, g, kind), spread = 0;
            for (uint64_t i = from; i < to; i++)
                *mean += size_of(pop, kind, strata->rows[i]) / (double)(to - from);
            for (uint64_t i = from; i < to; i++)
                spread +=
                    pow(size_of(pop, kind, strata->rows[i]) / *mean - 1, 2) / (double)(to - from);
            s->spread[g] = kind == 0 ? spread : fmin(s->spread[g], spread);
        }
    }
}

void online_size_free(online_size_t *s)
{
    free(s->mean);
    free(s->kind);
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

static double mean_size(const online_size_t *s, unsigned kind, const stratum_sample_t *p,
                        const uint32_t *rows)
{
    double sum = 0;
    for (uint64_t i = 0; i < p->m; i++)
        sum += size_of(s->pop, kind, rows[i]);
    return sum / (double)p->m;
}

static void add_group(deviations_t *d, const online_size_t *s, unsigned kind,
                      const stem_strata_t *strata, uint32_t g, const stratum_sample_t *samples,
                      const uint32_t *const *rows)
{
    double n = 0, x_mean = 0, y_mean = 0;
    for (uint32_t h = strata->of_group[g]; h < strata->of_group[g + 1]; h++) {
        d->larger += (double)samples[h].n *
                     (mean_size(s, kind, &samples[h], rows[h]) - *mean_of(s, g, kind));
        for (uint64_t i = 0; i < samples[h].m; i++) {
            const double dx = size_of(s->pop, kind, rows[h][i]) - x_mean;
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
    double rest; /* variance of what it does not explain */
} line_t;

static bool is_significant(const line_t *l)
{
    return l->slope * l->slope > SIGNIFICANT * SIGNIFICANT * l->variance;
}

static line_t line_of(const deviations_t *d)
{
    const line_t none = {.rest = INFINITY};
    if (!(d->xx > 0) || d->df < LEAST_DF)
        return none;
    const double slope = d->xy / d->xx, rest = fmax(d->yy - slope * d->xy, 0) / d->df;
    const line_t line = {slope, rest / d->xx, rest};
    return is_significant(&line) ? line : none;
}

/* What the samples of a group contribute to the variance of a slope if each is compared with the line that the others
 * give: HC3 (MacKinnon and White 1985). */
static double group_doubt(const online_size_t *s, unsigned kind, const stem_strata_t *strata,
                          uint32_t g, const stratum_sample_t *samples, const uint32_t *const *rows,
                          double xx, double slope)
{
    double n = 0, x_mean = 0, y_mean = 0, sum = 0;
    const uint32_t from = strata->of_group[g], to = strata->of_group[g + 1];
    for (uint32_t h = from; h < to; h++)
        for (uint64_t i = 0; i < samples[h].m; i++) {
            n++;
            x_mean += (size_of(s->pop, kind, rows[h][i]) - x_mean) / n;
            y_mean += (samples[h].cycles[i] - y_mean) / n;
        }
    for (uint32_t h = from; h < to; h++)
        for (uint64_t i = 0; i < samples[h].m; i++) {
            const double dx = size_of(s->pop, kind, rows[h][i]) - x_mean;
            const double rest = samples[h].cycles[i] - y_mean - slope * dx;
            const double others = 1 - 1 / n - dx * dx / xx;
            if (dx * dx > 0)
                sum += others > 0 ? pow(dx * rest / others, 2) : INFINITY;
        }
    return sum / (xx * xx);
}

/* The kernel of a group; groups of a kernel are neighbours. */
static uint64_t kernel_of(const online_size_t *s, const stem_strata_t *strata, uint32_t g)
{
    return launch_key(s->pop, strata->rows[strata->begin[strata->of_group[g]]], 0);
}

/* Fits the groups [from, to) of a kernel. */
static void fit_kernel(online_size_t *s, stem_strata_t *strata, uint32_t from, uint32_t to,
                       const stratum_sample_t *samples, const uint32_t *const *rows)
{
    line_t best = {.rest = INFINITY};
    unsigned kind = SIZE_COST;
    double larger = 0;
    for (unsigned k = 0; k < s->n; k++) {
        deviations_t d = {.df = -1};
        for (uint32_t g = from; g < to; g++)
            if (!strata->equal[g])
                add_group(&d, s, k, strata, g, samples, rows);
        line_t line = line_of(&d);
        if (!(line.rest < best.rest))
            continue;
        /* Few samples that lie far out draw the line to themselves, so that little is left of their errors. */
        double doubt = 0;
        for (uint32_t g = from; g < to; g++)
            if (!strata->equal[g])
                doubt += group_doubt(s, k, strata, g, samples, rows, d.xx, line.slope);
        line.variance = fmax(line.variance, doubt);
        if (!is_significant(&line))
            continue;
        best = line;
        kind = k;
        larger = d.larger;
    }
    for (uint32_t g = from; g < to; g++) {
        s->kind[g] = kind;
        s->slope[g] = strata->equal[g] ? 0 : best.slope;
        strata->uneven[g] = s->slope[g] * s->slope[g] > 0 ? 0 : s->spread[g];
    }
    strata->vague[from] += larger * larger * best.variance;
}

void online_size_fit(online_size_t *s, stem_strata_t *strata, const stratum_sample_t *samples,
                     const uint32_t *const *rows)
{
    for (uint32_t from = 0, to; from < strata->n_groups; from = to) {
        for (to = from;
             to < strata->n_groups && kernel_of(s, strata, to) == kernel_of(s, strata, from); to++)
            ;
        fit_kernel(s, strata, from, to, samples, rows);
    }
}

double online_size_adjusted(const online_size_t *s, uint32_t g, uint32_t row, double cycles)
{
    return online_steps_adjusted(s->steps, g, row, cycles) -
           s->slope[g] * (size_of(s->pop, s->kind[g], row) - *mean_of(s, g, s->kind[g]));
}
