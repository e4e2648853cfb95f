#include "sampling/launch/stem/stem_strata.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_features.h"
#include "sampling/launch/stem/stem_groups.h"
#include "sim/core/alloc.h"

/* Shares of the cost of all launches that may be spent on the first launches of kernels, on the first
 * launches of groups, and on small groups as a whole. */
#define KERNEL_FIRSTS 0.05
#define GROUP_FIRSTS  0.005
#define WHOLE_GROUPS  0.005

/* The first round takes at most this share of the launches, but may take PILOT_LEAST, and at most this
 * share of the cost of all launches for what a group costs more than others. */
#define PILOT_SHARE 0.05
#define PILOT_LEAST 30.0
#define COST_SHARE  0.01

/* Samples of the first round per part of a group. */
enum { PART_SAMPLES = 2 };

/* Groups while they are made. */
typedef struct {
    const population_t *pop;
    const strata_options_t *o;
    const stem_groups_t *g;
    double all;       /* cost of all launches */
    double *cost;     /* per group: mean */
    uint64_t *least;  /* per group: samples that the first round takes anyway */
    uint8_t *singled; /* per group: its first launch is apart */
} making_t;

static uint64_t size_of(const making_t *m, uint32_t g)
{
    return m->g->begin[g + 1] - m->g->begin[g] - m->singled[g];
}

static void find_costs(making_t *m)
{
    for (uint32_t g = 0; g < m->g->n; g++) {
        double sum = 0;
        for (uint64_t i = m->g->begin[g]; i < m->g->begin[g + 1]; i++)
            sum += launch_cost(m->pop, m->g->rows[i]);
        m->cost[g] = sum / (double)(m->g->begin[g + 1] - m->g->begin[g]);
        m->all += sum;
    }
}

/* A way to spend cost on a group. */
typedef struct {
    double cost;
    uint32_t group;
} offer_t;

static int cheapest_first(const void *a, const void *b)
{
    const offer_t *x = a, *y = b;
    if (x->cost < y->cost || y->cost < x->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Keeps the cheapest offers that a share of all cost pays; returns how many. */
static size_t accept(const making_t *m, offer_t *offer, size_t n, double share)
{
    double room = share * m->all;
    size_t k = 0;
    qsort(offer, n, sizeof(*offer), cheapest_first);
    for (; k < n && offer[k].cost <= room; k++)
        room -= offer[k].cost;
    return k;
}

static void take_small_groups(making_t *m, offer_t *offer)
{
    size_t n = 0;
    for (uint32_t g = 0; g < m->g->n; g++) {
        uint64_t size = size_of(m, g);
        if (size < m->o->small)
            offer[n++] = (offer_t){(double)size * m->cost[g], g};
    }
    n = accept(m, offer, n, WHOLE_GROUPS);
    for (size_t i = 0; i < n; i++)
        m->least[offer[i].group] = size_of(m, offer[i].group);
}

/* Whether the first launch of a group is worth a group of its own. */
static bool can_single(const making_t *m, uint32_t g)
{
    return !m->singled[g] && size_of(m, g) > 1 && m->least[g] < size_of(m, g);
}

/* The group that has the first launch of each kernel; groups of a kernel are neighbours. */
static size_t kernel_firsts(const making_t *m, offer_t *offer)
{
    size_t n = 0;
    uint64_t name = 0;
    for (uint32_t g = 0, best = 0; g < m->g->n; g++) {
        const uint32_t *rows = m->g->rows;
        uint64_t own = launch_key(m->pop, rows[m->g->begin[g]], 0);
        if (g == 0 || own != name || rows[m->g->begin[g]] < rows[m->g->begin[best]])
            best = g;
        name = own;
        bool last = g + 1 == m->g->n || launch_key(m->pop, rows[m->g->begin[g + 1]], 0) != own;
        if (last && can_single(m, best))
            offer[n++] = (offer_t){launch_cost(m->pop, rows[m->g->begin[best]]), best};
    }
    return n;
}

static size_t group_firsts(const making_t *m, offer_t *offer)
{
    size_t n = 0;
    for (uint32_t g = 0; g < m->g->n; g++) {
        if (can_single(m, g))
            offer[n++] = (offer_t){launch_cost(m->pop, m->g->rows[m->g->begin[g]]), g};
    }
    return n;
}

static void single_out(making_t *m, offer_t *offer, size_t n, double share)
{
    n = accept(m, offer, n, share);
    for (size_t i = 0; i < n; i++)
        m->singled[offer[i].group] = 1;
}

/*
 * Samples of a group in the first round: in proportion to its launches, so that rare slow ones are
 * met wherever they are, or to its share in the total's error if all groups spread alike, as far as
 * that costs little.
 */
static uint64_t pilot_of(const making_t *m, uint32_t g, double roots)
{
    const strata_options_t *o = m->o;
    double n = (double)size_of(m, g), all = (double)m->pop->n;
    double most = fmin(fmax(PILOT_LEAST, PILOT_SHARE * all), (double)o->pilot_total);
    double by_error = fmin(most * n * sqrt(m->cost[g]) / roots, COST_SHARE * m->all / m->cost[g]);
    double by_number = most * n / all * fmin(1, sqrt(m->all / all / m->cost[g]));
    double samples = fmax(fmax((double)o->pilot, (double)m->least[g]), ceil(by_number));
    return (uint64_t)fmin(fmax(samples, ceil(by_error)), n);
}

/* The first of n parts has a quarter of the launches of the others: programs warm up. */
static uint64_t part_begin(uint64_t launches, uint64_t parts, uint64_t i)
{
    return i == 0 ? 0 : launches * (4 * i - 3) / (4 * parts - 3);
}

/* Adds a group of rows [from, to), cut into parts. */
static void add_group(stem_strata_t *s, uint64_t from, uint64_t to, uint64_t pilot, double cost,
                      bool equal)
{
    uint64_t n = to - from, parts = pilot < n ? pilot / PART_SAMPLES : 1;
    parts = parts > n / (4 * PART_SAMPLES) ? n / (4 * PART_SAMPLES) : parts;
    parts = parts < 1 ? 1 : parts;
    for (uint64_t i = 0; i < parts; i++) {
        s->begin[s->n] = from + part_begin(n, parts, i);
        s->pilot[s->n] = pilot * (i + 1) / parts - pilot * i / parts;
        s->cost[s->n++] = cost;
    }
    s->begin[s->n] = to;
    s->equal[s->n_groups++] = equal;
    s->of_group[s->n_groups] = s->n;
}

static void make_strata(stem_strata_t *s, const making_t *m)
{
    double roots = 0;
    size_t most = (size_t)m->pop->n + 1;
    s->begin = rb_calloc(most, sizeof(*s->begin));
    s->cost = rb_calloc(most, sizeof(*s->cost));
    s->pilot = rb_calloc(most, sizeof(*s->pilot));
    s->of_group = rb_calloc(most, sizeof(*s->of_group));
    s->equal = rb_calloc(most, sizeof(*s->equal));
    for (uint32_t g = 0; g < m->g->n; g++)
        roots += (double)size_of(m, g) * sqrt(m->cost[g]);
    for (uint32_t g = 0; g < m->g->n; g++) {
        uint64_t from = m->g->begin[g], to = m->g->begin[g + 1];
        if (m->singled[g]) {
            add_group(s, from, from + 1, 1, launch_cost(m->pop, m->g->rows[from]), true);
            from++;
        }
        add_group(s, from, to, pilot_of(m, g, roots), m->cost[g], m->g->equal[g]);
    }
}

void stem_strata_make(stem_strata_t *s, const population_t *pop, const strata_options_t *o)
{
    stem_groups_t g;
    stem_groups_make(&g, pop, o->small, o->similar);
    making_t m = {.pop = pop,
                  .o = o,
                  .g = &g,
                  .cost = rb_calloc(g.n, sizeof(*m.cost)),
                  .least = rb_calloc(g.n, sizeof(*m.least)),
                  .singled = rb_calloc(g.n, sizeof(*m.singled))};
    offer_t *offer = rb_calloc(g.n, sizeof(*offer));
    find_costs(&m);
    take_small_groups(&m, offer);
    if (o->firsts) {
        single_out(&m, offer, kernel_firsts(&m, offer), KERNEL_FIRSTS);
        single_out(&m, offer, group_firsts(&m, offer), GROUP_FIRSTS);
    }
    *s = (stem_strata_t){0};
    make_strata(s, &m);
    s->rows = g.rows;
    g.rows = NULL;
    stem_groups_free(&g);
    free(m.cost);
    free(m.least);
    free(m.singled);
    free(offer);
}

void stem_strata_free(stem_strata_t *s)
{
    free(s->begin);
    free(s->rows);
    free(s->cost);
    free(s->pilot);
    free(s->of_group);
    free(s->equal);
    *s = (stem_strata_t){0};
}
