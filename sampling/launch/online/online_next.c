#include "sampling/launch/online/online_next.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/allocate.h"
#include "sim/core/alloc.h"

/* Limit of the samples after a round, relative to those before; the first if these are few. */
#define SMALL_GROWTH 2.0
#define MOST_GROWTH  4.0
enum { FEW = 100 };

/* The half-width that a variance would give: more samples bring more degrees of freedom and less
 * skewness. */
static double half_at(const online_next_t *s, double variance)
{
    online_state_t then = *s->now;
    double more = s->now->variance / variance;
    then.variance = variance;
    then.df *= more;
    then.skew /= sqrt(more);
    then.unseen = 0;
    return online_farther(online_half(&then, s->confidence, true));
}

/* The variance with which the half-width is `goal`; at least a hundredth of today's. */
static double variance_for(const online_next_t *s, double goal)
{
    enum { HALVINGS = 40 };
    double low = s->now->variance / 100, high = s->now->variance;
    if (!(high > 0) || half_at(s, high) <= goal)
        return high;
    for (int i = 0; i < HALVINGS && half_at(s, low) <= goal; i++) {
        double middle = sqrt(low * high);
        if (half_at(s, middle) <= goal)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds samples to all strata alike (some: to those that may have slow launches), in proportion to what
 * is left, until together they have `all`. */
static void take_evenly(const online_next_t *s, uint64_t *m, double all, bool some)
{
    double have = 0, left = 0, due = 0;
    for (uint32_t h = 0; h < s->strata->n; h++) {
        if (some && !s->plan[h].maybe_slow)
            continue;
        have += (double)m[h];
        left += (double)(s->samples[h].n - m[h]);
    }
    double share = left > 0 ? fmin(1, (all - have) / left) : 0;
    for (uint32_t h = 0; h < s->strata->n && share > 0; h++) {
        if (some && !s->plan[h].maybe_slow)
            continue;
        due += share * (double)(s->samples[h].n - m[h]);
        double more = fmin(ceil(due - 1e-9), (double)(s->samples[h].n - m[h]));
        m[h] += (uint64_t)more;
        due -= more;
    }
}

/* Takes back a part of what a round adds, so that it has at most `most` times what there was before:
 * few samples say little about how many are needed. */
static void limit_growth(const online_next_t *s, uint64_t *m, double before, double most)
{
    double added = 0, due = 0;
    for (uint32_t h = 0; h < s->strata->n; h++)
        added += (double)(m[h] - s->samples[h].m);
    double share = (most - 1) * before / added;
    for (uint32_t h = 0; h < s->strata->n && share < 1; h++) {
        due += share * (double)(m[h] - s->samples[h].m);
        double keep = floor(due);
        m[h] = s->samples[h].m + (uint64_t)keep;
        due -= keep;
    }
}

/* How much slow launches that were not met may add: what the choice of launches leaves of the bound, but
 * at least half of its square; or what they add now, if the other part then fits into the bound with
 * fewer samples than it takes to meet more of them. */
static double room_for_unseen(const online_next_t *s, double bound)
{
    const double half = half_at(s, s->now->variance), unseen = s->now->unseen;
    const double room = sqrt(bound * bound - fmin(half * half, bound * bound / 2));
    const double left = bound * bound - unseen * unseen;
    if (unseen <= room || left <= 0 || s->gives_up)
        return room;
    const double to_meet = online_looks_for(s->now, s->confidence, room) / (double)s->now->looked;
    return half * half / left < to_meet ? unseen : room;
}

/* What the bound requires of the spread between launches. */
static void allocate_all(const online_next_t *s, double variance, uint64_t *m)
{
    stratum_t *strata = rb_calloc(s->strata->n, sizeof(*strata));
    for (uint32_t h = 0; h < s->strata->n; h++)
        strata[h] = (stratum_t){.size = s->samples[h].n,
                                .cost = s->strata->cost[h],
                                .sd = s->plan[h].sd_changing,
                                .least = s->samples[h].m};
    allocate(strata, s->strata->n, variance, true, m);
    free(strata);
}

void online_next(const online_next_t *s, uint64_t *m)
{
    double before = 0, bound = s->epsilon * s->now->total;
    for (uint32_t h = 0; h < s->strata->n; h++)
        before += (double)s->samples[h].m;
    double room = room_for_unseen(s, bound), unseen = fmin(s->now->unseen, room);
    allocate_all(s, variance_for(s, sqrt(bound * bound - unseen * unseen)), m);
    if (s->now->unseen > room && !s->gives_up)
        take_evenly(s, m, online_looks_for(s->now, s->confidence, room), true);
    /* With few degrees of freedom this may be too optimistic, so every round adds at least a tenth; a
     * tail without a variance needs many more samples before it can be judged again. */
    take_evenly(s, m, before * (s->now->heavy ? 2 : 1.1) + 1, false);
    limit_growth(s, m, before, before < FEW ? SMALL_GROWTH : MOST_GROWTH);
}
