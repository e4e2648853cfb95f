#include "frontend/tool/evaluate/score/interval_coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Sums are rounded, and run.json has totals as integers: an exact estimate may be off by this. */
#define ROUNDING 1e-9

static void count_reason(coverage_t *c, const char *reason)
{
    const char *text = reason != NULL ? reason : "no reason is given";
    size_t i = 0;
    while (i < c->n_reasons && strcmp(c->reasons[i].text, text) != 0)
        i++;
    if (i == c->n_reasons) {
        rb_grow(&c->reasons, &c->cap_reasons, i + 1, sizeof(*c->reasons));
        c->reasons[c->n_reasons++] = (missing_reason_t){.text = rb_strdup(text)};
    }
    c->reasons[i].runs++;
}

/* Divides by the truth, unless the number is a share. */
static double relative(const coverage_t *c, double difference, double truth)
{
    if (c->share)
        return difference;
    if (truth == 0.0)
        return difference == 0.0 ? 0.0 : (double)NAN;
    return difference / truth;
}

static void add_interval(coverage_t *c, const estimate_case_t *e)
{
    const double half = (e->high - e->low) / 2.0, slack = ROUNDING * fabs(e->truth);
    if (half <= slack && fabs(e->value - e->truth) <= slack) {
        c->exact++;
        return;
    }
    c->intervals++;
    c->covered += e->low - slack <= e->truth && e->truth <= e->high + slack;
    c->silent += fabs(e->value - e->truth) > 2.0 * half + slack;
    c->half_sum += fabs(relative(c, half, e->truth));
}

void coverage_add(coverage_t *c, const estimate_case_t *e)
{
    rb_grow(&c->error, &c->cap, c->n + 1, sizeof(*c->error));
    c->error[c->n++] = relative(c, e->value - e->truth, e->truth);
    if (isfinite(e->low) && isfinite(e->high)) {
        add_interval(c, e);
    } else if (e->exact) {
        c->exact++;
    } else {
        c->none++;
        count_reason(c, e->reason);
    }
}

void coverage_free(coverage_t *c)
{
    for (size_t i = 0; i < c->n_reasons; i++)
        free(c->reasons[i].text);
    free(c->reasons);
    free(c->error);
    *c = (coverage_t){0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean, 95th percentile and largest of the n known absolute errors, which are sorted. */
static void summarise(coverage_summary_t *s, double *error, size_t n)
{
    double sum = 0.0;
    s->error_mean = s->error_p95 = s->error_max = (double)NAN;
    if (n == 0)
        return;
    qsort(error, n, sizeof(*error), ascending);
    for (size_t i = 0; i < n; i++)
        sum += error[i];
    s->error_mean = sum / (double)n;
    s->error_p95 = error[(size_t)ceil(0.95 * (double)n) - 1];
    s->error_max = error[n - 1];
}

static double ratio(double part, double whole)
{
    return whole > 0.0 ? part / whole : (double)NAN;
}

coverage_summary_t coverage_summary(const coverage_t *c)
{
    coverage_summary_t s = {.runs = c->n,
                            .intervals = c->intervals,
                            .covered = c->covered,
                            .silent = c->silent,
                            .exact = c->exact,
                            .none = c->none,
                            .coverage = ratio((double)c->covered, (double)c->intervals),
                            .silent_share = ratio((double)c->silent, (double)c->intervals),
                            .half_width = ratio(c->half_sum, (double)c->intervals)};
    double *error = rb_calloc(c->n + 1, sizeof(*error)), bias = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!isfinite(c->error[i]))
            continue;
        bias += c->error[i];
        error[n++] = fabs(c->error[i]);
    }
    s.bias = ratio(bias, (double)n);
    summarise(&s, error, n);
    free(error);
    return s;
}

double coverage_within(const coverage_t *c, double bound)
{
    size_t known = 0, within = 0;
    for (size_t i = 0; i < c->n; i++) {
        known += isfinite(c->error[i]) ? 1 : 0;
        within += fabs(c->error[i]) <= bound + ROUNDING;
    }
    return isfinite(bound) ? ratio((double)within, (double)known) : (double)NAN;
}
