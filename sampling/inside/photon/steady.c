#include "sampling/inside/photon/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { MANY_PERIODS = 8 }; /* with more periods, a fraction of a period does not matter */

/* Allowed deviation of a window from whole periods, as a share. */
static const double ragged = 0.05;

void steady_init(steady_t *s, const steady_rule_t *rule, uint64_t interval)
{
    *s = (steady_t){.rule = *rule, .bucket = interval, .joined = 1};
    s->sums = rb_calloc(STEADY_BUCKETS + 2, sizeof(*s->sums));
}

void steady_free(steady_t *s)
{
    free(s->sums);
    *s = (steady_t){0};
}

void steady_add(steady_t *s, uint64_t duration)
{
    if (s->seen++ < s->rule.drop)
        return;
    s->sums[s->n + 1].points++;
    s->sums[s->n + 1].cycles += duration;
}

static void join_pairs(steady_t *s)
{
    for (size_t i = 1; i <= STEADY_BUCKETS / 2; i++)
        s->sums[i] = s->sums[2 * i];
    s->n = STEADY_BUCKETS / 2;
    s->bucket *= 2;
    s->joined *= 2;
}

void steady_close(steady_t *s)
{
    if (s->sums[s->n + 1].points == 0)
        return;
    if (++s->parts < s->joined)
        return;
    s->parts = 0;
    s->n++;
    if (s->n == STEADY_BUCKETS)
        join_pairs(s);
    s->sums[s->n + 1] = s->sums[s->n];
}

/* Whether a window of that many buckets, with at least that many points, averages over the
 * swings. */
static bool is_even(const steady_t *s, size_t buckets, uint64_t points)
{
    if (s->rule.period <= 0)
        return true;
    const double periods = (double)(buckets * s->bucket) / s->rule.period;
    return periods > MANY_PERIODS || (points >= s->rule.enough && periods > 0.5 &&
                                      fabs(periods - round(periods)) <= ragged * periods);
}

/* Sum of the points of buckets [from, to). */
static struct steady_sum between(const steady_t *s, size_t from, size_t to)
{
    return (struct steady_sum){s->sums[to].points - s->sums[from].points,
                               s->sums[to].cycles - s->sums[from].cycles};
}

static double mean_of(struct steady_sum sum)
{
    return sum.points == 0 ? 0 : (double)sum.cycles / (double)sum.points;
}

steady_reading_t steady_read(const steady_t *s, bool calm)
{
    steady_reading_t r = {0};
    if (s->sums[s->n].points < 2 * s->rule.need)
        return r;
    for (size_t k = 1; 2 * k <= s->n; k++) {
        const struct steady_sum first = between(s, s->n - 2 * k, s->n - k),
                                last = between(s, s->n - k, s->n);
        const uint64_t points = first.points < last.points ? first.points : last.points;
        if (points < s->rule.need || !(calm || is_even(s, k, points)))
            continue;
        r.first = mean_of(first);
        r.last = mean_of(last);
        r.points = first.points + last.points;
        r.cycles = 2 * k * s->bucket;
        r.mean = mean_of(between(s, s->n - 2 * k, s->n));
        r.verdict =
            fabs(r.last - r.first) <= s->rule.delta * r.mean ? STEADY_STABLE : STEADY_CHANGES;
        return r;
    }
    return r;
}

double steady_mean(const steady_t *s, uint64_t cycles)
{
    const uint64_t buckets = cycles / s->bucket + (cycles % s->bucket != 0);
    return mean_of(between(s, buckets < s->n ? s->n - (size_t)buckets : 0, s->n));
}
