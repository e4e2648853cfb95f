#include "sampling/launch/online/online_stretch.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_features.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

/* Limits of a stretch: its share of the cost of all launches, and launches. */
#define STRETCH_COST 0.01
enum { STRETCH_LEAST = 8, STRETCH_MOST = 64 };

/* Share of the total, as estimated, that the strata with both kinds of launches must have together. */
#define STRETCH_COVERS 0.5

/* Sets the rows: from a random one on, as far as the cost allows. */
static void find_rows(online_stretch_t *t, const population_t *pop, uint64_t seed)
{
    rng_t rng = rng_make(seed, UINT64_MAX);
    double all = 0, left;
    for (uint64_t i = 0; i < pop->n; i++)
        all += launch_cost(pop, (uint32_t)i);
    left = STRETCH_COST * all;
    t->begin = t->end = rng_below(&rng, pop->n);
    while (t->end < pop->n && t->end - t->begin < STRETCH_MOST &&
           launch_cost(pop, (uint32_t)t->end) <= left)
        left -= launch_cost(pop, (uint32_t)t->end++);
    while (t->begin > 0 && t->end - t->begin < STRETCH_MOST &&
           launch_cost(pop, (uint32_t)t->begin - 1) <= left)
        left -= launch_cost(pop, (uint32_t)--t->begin);
    if (t->end - t->begin < STRETCH_LEAST)
        t->end = t->begin;
}

void stretch_choose(online_stretch_t *t, const population_t *pop, const stem_strata_t *strata,
                    uint64_t seed)
{
    stretch_free(t);
    find_rows(t, pop, seed);
    uint64_t n = t->end - t->begin;
    t->cycles = rb_calloc(n + 1, sizeof(*t->cycles));
    t->within = rb_calloc(n + 1, sizeof(*t->within));
    t->stratum = rb_calloc(n + 1, sizeof(*t->stratum));
    for (uint64_t i = 0; i < n; i++)
        t->cycles[i] = NAN;
    for (uint32_t h = 0; n > 0 && h < strata->n; h++) {
        for (uint64_t k = strata->begin[h]; k < strata->begin[h + 1]; k++) {
            if (stretch_has(t, strata->rows[k]))
                t->stratum[strata->rows[k] - t->begin] = h;
        }
    }
}

void stretch_free(online_stretch_t *t)
{
    free(t->cycles);
    free(t->within);
    free(t->stratum);
    *t = (online_stretch_t){0};
}

/* Launches of a stratum: how many, and the sum of their cycles. */
typedef struct {
    double n, sum;
} kind_t;

static kind_t in_sequence(const online_stretch_t *t, const online_size_t *size, uint32_t g,
                          uint32_t h)
{
    kind_t k = {0};
    for (uint64_t i = (t->end - t->begin) / 2; i < t->end - t->begin; i++) {
        bool here = t->stratum[i] == h && !isnan(t->cycles[i]);
        k.n += here;
        k.sum += here ? online_size_adjusted(size, g, (uint32_t)(t->begin + i), t->cycles[i]) : 0;
    }
    return k;
}

static kind_t apart(const online_stretch_t *t, const stratum_sample_t *s, const uint32_t *rows)
{
    kind_t k = {0};
    for (uint64_t i = 0; i < s->m; i++) {
        bool here = !stretch_has(t, rows[i]);
        k.n += here;
        k.sum += here ? s->cycles[i] : 0;
    }
    return k;
}

/* Sums over the strata that have launches of both kinds, each for all launches of its group. */
typedef struct {
    double total, difference, variance;
} bias_sum_t;

static void add_stratum(bias_sum_t *b, const stratum_sample_t *s, kind_t a, kind_t i,
                        const online_stratum_t *plan, double size)
{
    if (!(a.n > 0) || !(i.n > 0) || s->n == 1)
        return;
    b->total += size * i.sum / i.n;
    b->difference += size * (a.sum / a.n - i.sum / i.n);
    b->variance += size * size * plan->sd * plan->sd * (1 / a.n + 1 / i.n);
}

stretch_bias_t stretch_bias(const online_stretch_t *t, const stem_strata_t *strata,
                            const stratum_sample_t *samples, const uint32_t *const *rows,
                            const online_size_t *size, const online_stratum_t *plan)
{
    bias_sum_t b = {0};
    double all = 0;
    for (uint32_t g = 0; g < strata->n_groups; g++) {
        double launches = 0;
        for (uint32_t h = strata->of_group[g]; h < strata->of_group[g + 1]; h++) {
            kind_t any = apart(t, &samples[h], rows[h]);
            launches += (double)samples[h].n;
            all += any.n > 0 ? (double)samples[h].n * any.sum / any.n : 0;
        }
        for (uint32_t h = strata->of_group[g]; h < strata->of_group[g + 1]; h++)
            add_stratum(&b, &samples[h], in_sequence(t, size, g, h), apart(t, &samples[h], rows[h]),
                        &plan[h], launches);
    }
    if (!(b.total > STRETCH_COVERS * all))
        return (stretch_bias_t){.error = INFINITY};
    return (stretch_bias_t){b.difference / b.total, sqrt(b.variance) / b.total};
}
