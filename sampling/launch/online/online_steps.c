#include "sampling/launch/online/online_steps.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* Probability with which samples in a random order may show a step. */
#define BY_CHANCE 0.02

/* Before and after a step the cycles differ by at least this many times what they do on either side. */
#define FAR 2.0

typedef struct {
    uint32_t row, stratum;
    double cycles;
} point_t;

typedef struct {
    online_steps_t *out;
    const stem_strata_t *strata;
    bool equal;
    point_t *point;       /* owned: the samples of a group in order */
    double *least, *most; /* owned: of the points from each on */
} finding_t;

static int by_row(const void *a, const void *b)
{
    const point_t *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static void add_group(const finding_t *s, uint32_t end, double vague, online_step_t step)
{
    stem_strata_t *v = &s->out->view;
    v->equal[v->n_groups] = s->equal;
    v->vague[v->n_groups] = vague;
    s->out->step[v->n_groups] = step;
    v->of_group[++v->n_groups] = end;
}

/* Whether k of n samples in a random order are first, for any k of the n, with a probability that is
 * no more than BY_CHANCE. */
static bool is_no_chance(size_t k, size_t n)
{
    const double a = (double)k, b = (double)n;
    return log(b) - (lgamma(b + 1) - lgamma(a + 1) - lgamma(b - a + 1)) < log(BY_CHANCE);
}

/* The number of samples before the clearest step; 0: there is none. */
static size_t find_step(const finding_t *s, size_t from, size_t to)
{
    double clearest = FAR, least = INFINITY, most = -INFINITY;
    size_t at = 0;
    s->least[to] = INFINITY;
    s->most[to] = -INFINITY;
    for (size_t i = to; i-- > from;) {
        s->least[i] = fmin(s->least[i + 1], s->point[i].cycles);
        s->most[i] = fmax(s->most[i + 1], s->point[i].cycles);
    }
    for (size_t i = from; i + 1 < to; i++) {
        least = fmin(least, s->point[i].cycles);
        most = fmax(most, s->point[i].cycles);
        const double gap = fmax(least - s->most[i + 1], s->least[i + 1] - most);
        const double spread = fmax(most - least, s->most[i + 1] - s->least[i + 1]);
        if (gap > clearest * spread && gap > 0 && is_no_chance(i + 1 - from, to - from)) {
            clearest = spread > 0 ? gap / spread : INFINITY;
            at = i + 1 - from;
        }
    }
    return at;
}

static double mean_cycles(const point_t *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i].cycles;
    return sum / (double)n;
}

/* Adds the group of strata [first, end) with the step between two of the points [from, to). */
static void add_step(const finding_t *s, uint32_t first, uint32_t end, size_t from, size_t at,
                     size_t to)
{
    const uint32_t *rows = s->strata->rows;
    const uint64_t begin = s->strata->begin[first], stop = s->strata->begin[end];
    const uint32_t last = s->point[at - 1].row, next = s->point[at].row;
    double between = 0, after = 0;
    for (uint64_t i = begin; i < stop; i++) {
        between += rows[i] > last && rows[i] < next;
        after += rows[i] >= next;
    }
    const online_step_t step = {.height = mean_cycles(s->point + at, to - at) -
                                          mean_cycles(s->point + from, at - from),
                                .row = last + (next - last) / 2 + 1,
                                .after = (after + between / 2) / (double)(stop - begin)};
    /* It is at one of between + 1 places. */
    add_group(s, end, step.height * step.height * between * (between + 2) / 12, step);
}

/* Adds the groups of strata [first, end), whose samples are points [from, to). */
static void divide(const finding_t *s, uint32_t first, uint32_t end, size_t from, size_t to)
{
    const size_t before = s->equal ? find_step(s, from, to) : 0;
    if (first == end)
        return;
    if (before == 0) {
        add_group(s, end, 0, (online_step_t){0});
        return;
    }
    const size_t at = from + before;
    const uint32_t a = s->point[at - 1].stratum, b = s->point[at].stratum;
    size_t left = at, right = at;
    while (left > from && s->point[left - 1].stratum >= a)
        left--;
    while (right < to && s->point[right].stratum <= b)
        right++;
    divide(s, first, a, from, left);
    add_step(s, a, b + 1, left, at, right);
    divide(s, b + 1, end, right, to);
}

static size_t list_points(const finding_t *s, uint32_t g, const stratum_sample_t *samples,
                          const uint32_t *const *rows)
{
    size_t n = 0;
    for (uint32_t h = s->strata->of_group[g]; h < s->strata->of_group[g + 1]; h++) {
        for (uint64_t i = 0; i < samples[h].m; i++)
            s->point[n++] = (point_t){rows[h][i], h, samples[h].cycles[i]};
    }
    qsort(s->point, n, sizeof(*s->point), by_row);
    return n;
}

void online_steps_find(online_steps_t *out, const stem_strata_t *strata,
                       const stratum_sample_t *samples, const uint32_t *const *rows)
{
    uint64_t all = 1;
    for (uint32_t h = 0; h < strata->n; h++)
        all += samples[h].m;
    finding_t s = {.out = out,
                   .strata = strata,
                   .point = rb_calloc(all, sizeof(*s.point)),
                   .least = rb_calloc(all, sizeof(*s.least)),
                   .most = rb_calloc(all, sizeof(*s.most))};
    *out = (online_steps_t){.view = *strata, .step = rb_calloc(strata->n, sizeof(*out->step))};
    out->view.n_groups = 0;
    out->view.of_group = rb_calloc((size_t)strata->n + 1, sizeof(*out->view.of_group));
    out->view.equal = rb_calloc(strata->n, sizeof(*out->view.equal));
    out->view.vague = rb_calloc(strata->n, sizeof(*out->view.vague));
    out->view.uneven = rb_calloc(strata->n, sizeof(*out->view.uneven));
    for (uint32_t g = 0; g < strata->n_groups; g++) {
        s.equal = strata->equal[g];
        divide(&s, strata->of_group[g], strata->of_group[g + 1], 0,
               list_points(&s, g, samples, rows));
    }
    free(s.point);
    free(s.least);
    free(s.most);
}

void online_steps_free(online_steps_t *s)
{
    free(s->view.of_group);
    free(s->view.equal);
    free(s->view.vague);
    free(s->view.uneven);
    free(s->step);
    *s = (online_steps_t){0};
}

double online_steps_adjusted(const online_steps_t *s, uint32_t g, uint32_t row, double cycles)
{
    const online_step_t *step = &s->step[g];
    return cycles - step->height * ((row >= step->row ? 1 : 0) - step->after);
}
