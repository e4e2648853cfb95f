#include "sampling/launch/change_rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

#define CONFIDENCE 0.95

/* Of the variance that more draws cannot change, as much as they are allowed to add. */
#define WORTHWHILE 0.25

/* The first look ends the rounds only if the interval is this much narrower than the bound: the spread of so
 * few draws may be small by chance. */
#define CLEARLY 0.7

struct change_rounds {
    const plan_t *plan;
    const double *cycles;
    const uint64_t *kernel;
    double bound;
    part_groups_t groups;
    rng_t *rng;      /* owned; per group: its draws, one after the other */
    uint64_t *draws; /* owned; per group */
    uint32_t *drawn; /* owned; per sample */
    bool *known;     /* owned; per sample: its result was given */
    double *a, *b;   /* owned; STAT_VALUES per sample, of which only the cycles are not 0 */
    double *inside;  /* owned; per sample */
    uint64_t *asked; /* owned; samples of the round */
    uint64_t *ids;   /* owned; their launches */
    uint64_t n_asked;
    unsigned rounds;
    change_t change;
};

change_rounds_t *change_rounds_create(const plan_t *plan, const double *cycles,
                                      const uint64_t *kernel, double bound, uint64_t seed)
{
    const uint64_t n = plan->n_samples + 1;
    change_rounds_t *r = rb_calloc(1, sizeof(*r));
    *r = (change_rounds_t){.plan = plan, .cycles = cycles, .kernel = kernel, .bound = bound};
    part_groups_make(&r->groups, plan, cycles, kernel);
    r->rng = rb_calloc(r->groups.n + 1, sizeof(*r->rng));
    for (uint32_t g = 0; g < r->groups.n; g++)
        r->rng[g] = rng_make(seed, g);
    r->draws = rb_calloc(r->groups.n + 1, sizeof(*r->draws));
    r->drawn = rb_calloc(n, sizeof(*r->drawn));
    r->known = rb_calloc(n, sizeof(*r->known));
    r->inside = rb_calloc(n, sizeof(*r->inside));
    r->a = rb_calloc(n, STAT_VALUES * sizeof(*r->a));
    r->b = rb_calloc(n, STAT_VALUES * sizeof(*r->b));
    r->asked = rb_calloc(n, sizeof(*r->asked));
    r->ids = rb_calloc(n, sizeof(*r->ids));
    for (uint64_t i = 0; i < plan->n_samples; i++)
        r->a[i * STAT_VALUES + VALUE_CYCLES] = cycles[i];
    return r;
}

void change_rounds_free(change_rounds_t *r)
{
    if (r == NULL)
        return;
    part_groups_free(&r->groups);
    free(r->rng);
    free(r->draws);
    free(r->drawn);
    free(r->known);
    free(r->inside);
    free(r->a);
    free(r->b);
    free(r->asked);
    free(r->ids);
    free(r);
}

/* Takes all samples of a group that were not drawn. */
static void take_whole(change_rounds_t *r, uint32_t group)
{
    for (uint64_t i = 0; i < r->plan->n_samples; i++)
        if (r->groups.of[i] == group && r->drawn[i] == 0)
            r->drawn[i] = 1;
}

/* One sample of a group, in proportion to x. */
static uint64_t draw_one(change_rounds_t *r, uint32_t group)
{
    const part_groups_t *g = &r->groups;
    double left = rng_unit(&r->rng[group]) * g->total[group];
    uint64_t last = 0;
    for (uint64_t i = 0; i < r->plan->n_samples; i++) {
        if (g->of[i] != group)
            continue;
        last = i;
        left -= g->x[i];
        if (left < 0)
            break;
    }
    return last;
}

/* Draws until a group has as many draws, or is complete. */
static void take(change_rounds_t *r, uint32_t group, double draws)
{
    if (draws >= (double)r->groups.samples[group]) {
        take_whole(r, group);
        return;
    }
    for (; (double)r->draws[group] < draws; r->draws[group]++)
        r->drawn[draw_one(r, group)]++;
}

static change_t change_of(const change_rounds_t *r)
{
    const stat_form_t cycles = {.num = {{{VALUE_CYCLES, 1}}, 1}, .most = INFINITY};
    double *none = rb_calloc(r->plan->n_samples + 1, sizeof(*none));
    const pairs_t pairs = {.plan = r->plan,
                           .a = r->a,
                           .b = r->b,
                           .both = r->known,
                           .drawn = r->drawn,
                           .cycles = r->cycles,
                           .kernel = r->kernel,
                           .all_a = true,
                           .inside_a = none,
                           .inside_b = r->inside,
                           .confidence = CONFIDENCE};
    paired_t *p = paired_create(&pairs);
    const change_t c = paired_change(p, &cycles, &cycles, CHANGE_RELATIVE);
    paired_free(p);
    free(none);
    return c;
}

static double half_of(const change_t *c)
{
    return (c->high - c->low) / 2;
}

/* The variance that drawing adds to the change, by group; returns the sum. */
static double drawing_by_group(const change_rounds_t *r, double *spread)
{
    double *d = rb_calloc(r->plan->n_samples + 1, sizeof(*d)), mean, sum = 0;
    for (uint64_t i = 0; i < r->plan->n_samples; i++)
        d[i] = r->b[i * STAT_VALUES + VALUE_CYCLES];
    for (uint32_t g = 0; g < r->groups.n; g++) {
        const double share = r->groups.total[g] / r->groups.all;
        spread[g] = share * part_spread(&r->groups, r->drawn, g, d, &mean);
        if (part_drawn(&r->groups, r->drawn, g).complete || !isfinite(spread[g]))
            spread[g] = 0;
        else
            sum += spread[g] * spread[g] / (double)r->draws[g];
    }
    free(d);
    return sum;
}

/* Takes as many as the bound needs by what is known so far. */
static void take_more(change_rounds_t *r)
{
    double *spread = rb_calloc(r->groups.n + 1, sizeof(*spread)), by_cost = 0;
    const double drawing = drawing_by_group(r, spread), half = half_of(&r->change);
    /* As if half of the interval went with the root of the variance. */
    const double all = fmax(half * half, 1e-300),
                 factor = interval_factor(CONFIDENCE, r->change.df);
    const double rest = fmax(all - factor * factor * drawing, 0);
    const double goal = fmax(r->bound * r->bound - rest, WORTHWHILE * rest) / (factor * factor);
    for (uint32_t g = 0; g < r->groups.n; g++)
        by_cost += spread[g] * sqrt(r->groups.cost[g]);
    const double least = r->rounds == 1 ? 2 : 1; /* times what the first look saw */
    for (uint32_t g = 0; g < r->groups.n; g++) {
        const double before = (double)r->draws[g];
        const double needed = spread[g] / sqrt(r->groups.cost[g]) * by_cost / goal;
        if (spread[g] > 0)
            take(r, g, fmin(fmax(ceil(needed), least * before), CHANGE_GROWTH * before));
    }
    free(spread);
}

/* Lists what was drawn and is not known. */
static uint64_t list_asked(change_rounds_t *r)
{
    r->n_asked = 0;
    for (uint64_t i = 0; i < r->plan->n_samples; i++)
        if (r->drawn[i] > 0 && !r->known[i])
            r->asked[r->n_asked++] = i;
    return r->n_asked;
}

static void take_all(change_rounds_t *r)
{
    for (uint32_t g = 0; g < r->groups.n; g++)
        take_whole(r, g);
}

/* Chooses the launches of the next round; none: the change is known well enough, or nothing is left. */
static void choose(change_rounds_t *r)
{
    if (r->rounds == 0) {
        for (uint32_t g = 0; g < r->groups.n; g++)
            take(r, g, CHANGE_FIRST);
        list_asked(r);
        return;
    }
    for (unsigned tries = 0; tries < CHANGE_ROUNDS; tries++) {
        r->change = change_of(r);
        if (half_of(&r->change) <= r->bound * (r->rounds == 1 ? CLEARLY : 1))
            return;
        if (r->rounds >= CHANGE_ROUNDS || !isfinite(half_of(&r->change)))
            take_all(r);
        else
            take_more(r);
        if (list_asked(r) > 0)
            return;
    }
}

typedef struct {
    uint64_t launch, sample;
} asked_t;

static int by_launch(const void *a, const void *b)
{
    const asked_t *x = a, *y = b;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

uint64_t change_rounds_next(change_rounds_t *r, const uint64_t **ids)
{
    r->n_asked = 0;
    choose(r);
    asked_t *list = rb_calloc(r->n_asked + 1, sizeof(*list));
    for (uint64_t i = 0; i < r->n_asked; i++)
        list[i] = (asked_t){r->plan->samples[r->asked[i]].launch, r->asked[i]};
    if (r->n_asked > 0)
        qsort(list, r->n_asked, sizeof(*list), by_launch);
    for (uint64_t i = 0; i < r->n_asked; i++) {
        r->asked[i] = list[i].sample;
        r->ids[i] = list[i].launch;
    }
    free(list);
    r->rounds += r->n_asked > 0;
    *ids = r->ids;
    return r->n_asked;
}

void change_rounds_result(change_rounds_t *r, uint64_t i, double cycles, double variance)
{
    const uint64_t sample = r->asked[i];
    r->b[sample * STAT_VALUES + VALUE_CYCLES] = cycles;
    r->inside[sample] = variance;
    r->known[sample] = true;
}

unsigned change_rounds_count(const change_rounds_t *r)
{
    return r->rounds;
}

bool change_rounds_is_whole(const change_rounds_t *r)
{
    bool whole = true;
    for (uint64_t i = 0; i < r->plan->n_samples; i++)
        whole = whole && r->known[i];
    return whole;
}

change_t change_rounds_change(const change_rounds_t *r)
{
    return r->change;
}

static void add_samples(const change_rounds_t *r, uint32_t group, const double *weight,
                        plan_t *plan)
{
    plan_cluster_t *c = &plan->clusters[group];
    const part_drawn_t of = part_drawn(&r->groups, r->drawn, group);
    for (uint64_t i = 0; i < r->plan->n_samples; i++) {
        if (r->groups.of[i] != group || r->drawn[i] == 0)
            continue;
        const uint32_t draws = of.complete ? 1 : r->drawn[i];
        plan->samples[plan->n_samples++] = (plan_sample_t){.launch = r->plan->samples[i].launch,
                                                           .weight = weight[i],
                                                           .cluster = group,
                                                           .draws = draws};
        c->draws += draws;
    }
}

/* About how many launches the samples of a group stand for: of those that are left, all for the last one. */
static uint64_t launches_of(const change_rounds_t *r, uint32_t group, uint64_t *left)
{
    double sum = 0;
    for (uint64_t i = 0; i < r->plan->n_samples; i++)
        sum += r->groups.of[i] == group ? r->plan->samples[i].weight : 0;
    const uint64_t after = r->groups.n - 1 - group; /* each has one at least */
    uint64_t n = (uint64_t)fmax(sum + 0.5, 1);
    n = after == 0 || n + after > *left ? *left - after : n;
    *left -= n;
    return n;
}

void change_rounds_plan(const change_rounds_t *r, plan_t *plan)
{
    const plan_t *base = r->plan;
    double *weight = rb_calloc(base->n_samples + 1, sizeof(*weight));
    uint64_t left = base->n_launches;
    *plan = (plan_t){.method = rb_strdup(base->method),
                     .seed = base->seed,
                     .n_launches = base->n_launches,
                     .n_names = r->groups.n,
                     .n_clusters = r->groups.n,
                     .part = true,
                     .replacement = true,
                     .profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = CONFIDENCE};
    plan->names = rb_calloc(r->groups.n + 1, sizeof(*plan->names));
    plan->clusters = rb_calloc(r->groups.n + 1, sizeof(*plan->clusters));
    plan->samples = rb_calloc(base->n_samples + 1, sizeof(*plan->samples));
    part_weights(&r->groups, r->drawn, weight);
    for (uint32_t g = 0; g < r->groups.n; g++) {
        char name[32];
        snprintf(name, sizeof(name), "group %u", g + 1);
        plan->names[g] = rb_strdup(name);
        plan->clusters[g] = (plan_cluster_t){.name = g, .mean = NAN, .sd = NAN};
        plan->clusters[g].size = launches_of(r, g, &left);
        add_samples(r, g, weight, plan);
    }
    plan_sort_samples(plan);
    free(weight);
}
