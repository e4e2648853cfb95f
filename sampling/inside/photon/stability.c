#include "sampling/inside/photon/stability.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

void stability_init(stability_t *s, const stability_rule_t *rule)
{
    RB_INVARIANT(2 <= rule->short_n && rule->short_n <= rule->long_n, "stability: bad windows");
    *s = (stability_t){.rule = *rule};
    s->ring = rb_calloc(rule->long_n, sizeof(*s->ring));
}

void stability_free(stability_t *s)
{
    free(s->ring);
    *s = (stability_t){0};
}

size_t stability_bytes(const stability_rule_t *rule)
{
    return sizeof(stability_t) + rule->long_n * sizeof(struct stability_point);
}

static void sums_add(stability_sums_t *s, const struct stability_point *p, int sign)
{
    const stability_sum_t x = p->x, y = p->y;
    s->x += sign * x;
    s->y += sign * y;
    s->xx += sign * x * x;
    s->xy += sign * x * y;
}

static double mean_duration(const stability_sums_t *s, size_t n)
{
    return (double)(s->y - s->x) / (double)n;
}

static double slope_of(const stability_sums_t *s, size_t n)
{
    const stability_sum_t m = (stability_sum_t)n, cov = m * s->xy - s->x * s->y;
    const stability_sum_t var = m * s->xx - s->x * s->x;
    return var == 0 ? 0.0 : (double)cov / (double)var;
}

/* What the windows say now. */
static stability_reading_t windows_say(const stability_t *s)
{
    const stability_rule_t *r = &s->rule;
    stability_reading_t out = {.points = s->n};
    if (s->n < r->long_n)
        return out;
    out.short_mean = mean_duration(&s->short_sums, r->short_n);
    out.long_mean = mean_duration(&s->long_sums, r->long_n);
    out.slope =
        r->slope_long ? slope_of(&s->long_sums, r->long_n) : slope_of(&s->short_sums, r->short_n);
    const double scale = r->halved ? out.long_mean + out.short_mean : out.long_mean;
    if (!(fabs(1.0 - out.slope) <= r->delta_slope))
        out.verdict = STABILITY_TREND;
    else if (!(fabs(out.long_mean - out.short_mean) <= r->delta_mean * scale))
        out.verdict = STABILITY_CHANGE;
    else
        out.verdict = STABILITY_STABLE;
    return out;
}

static void latch(stability_t *s)
{
    const size_t n = s->rule.short_n;
    if (s->latched_mean > 0) {
        if (fabs(1.0 - slope_of(&s->short_sums, n)) <= s->rule.delta_slope)
            s->latched_mean = mean_duration(&s->short_sums, n);
    } else if (windows_say(s).verdict == STABILITY_STABLE) {
        s->latched_mean = mean_duration(&s->short_sums, n);
    }
}

void stability_add(stability_t *s, uint64_t issue, uint64_t retire)
{
    const stability_rule_t *r = &s->rule;
    const struct stability_point p = {issue, retire};
    if (s->seen++ < r->drop)
        return;
    struct stability_point *oldest = &s->ring[s->n % r->long_n];
    if (s->n >= r->short_n)
        sums_add(&s->short_sums, &s->ring[(s->n - r->short_n) % r->long_n], -1);
    if (s->n >= r->long_n)
        sums_add(&s->long_sums, oldest, -1);
    *oldest = p;
    sums_add(&s->short_sums, &p, 1);
    sums_add(&s->long_sums, &p, 1);
    s->n++;
    if (r->latched)
        latch(s);
}

stability_reading_t stability_read(const stability_t *s)
{
    stability_reading_t out = windows_say(s);
    if (s->latched_mean > 0) {
        out.verdict = STABILITY_STABLE;
        out.short_mean = s->latched_mean;
    }
    return out;
}
