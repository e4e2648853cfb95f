#include "sampling/plan/plan_check.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/math/quantile.h"
#include "sampling/math/stable_sum.h"
#include "sampling/plan/plan_redraw.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* With fewer launches, the mean of a cluster is far from normally distributed. */
enum { SMALL_CLUSTER = 30 };

/* Lag-1 autocorrelation above which a cluster is reported: well above the noise of small clusters,
 * 2 / sqrt(n). */
#define CORRELATED 0.5

#define USUAL_CONFIDENCE 0.95

rb_code_t population_check(const population_t *pop, rb_err_t *err)
{
    stable_sum_t total = {0};
    if (pop->n == 0)
        return rb_fail(err, RB_TRACE, "there are no launches to choose from");
    if (pop->n > UINT32_MAX - 1)
        return rb_fail(err, RB_TRACE, "%llu launches are too many: the limit is %u",
                       (unsigned long long)pop->n, UINT32_MAX - 1);
    if (pop->time == NULL)
        return RB_OK;
    for (uint64_t i = 0; i < pop->n; i++) {
        double t = pop->time[i];
        if (!(t >= 0) || isinf(t)) {
            const char *what = isnan(t) ? "not a number" : t < 0 ? "negative" : "infinite";
            uint64_t id = pop->id == NULL ? i + 1 : pop->id[i];
            return rb_fail(err, RB_TRACE, "launch %llu (%.200s): its duration is %s",
                           (unsigned long long)id, build_row_name(pop, i), what);
        }
        sum_add(&total, t);
    }
    if (!(sum_value(&total) > 0))
        return rb_fail(err, RB_TRACE, "the durations of all %llu launches are zero",
                       (unsigned long long)pop->n);
    if (isinf(sum_value(&total)))
        return rb_fail(err, RB_TRACE, "the sum of the durations is too large");
    return RB_OK;
}

static void warn_small(plan_build_t *b)
{
    const plan_t *p = b->plan;
    uint32_t small = 0, first = 0;
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        const plan_cluster_t *cluster = &p->clusters[c];
        if (cluster->size < SMALL_CLUSTER && cluster->draws < cluster->size && small++ == 0)
            first = c;
    }
    if (small > 0)
        build_warning(
            b,
            "%u of %u clusters have fewer than %d launches and are not simulated completely "
            "(first: %.120s, %llu launches): means of so few launches are not normally distributed",
            small, p->n_clusters, SMALL_CLUSTER, p->names[p->clusters[first].name],
            (unsigned long long)p->clusters[first].size);
}

/* Warns about clusters whose times, in launch order, are autocorrelated at lag 1. */
static void warn_correlated(plan_build_t *b)
{
    const plan_t *p = b->plan;
    const double *time = b->pop->time;
    typedef struct {
        double last, products;
        bool seen;
    } lag_t;
    lag_t *lag = rb_calloc(p->n_clusters, sizeof(*lag));
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < b->pop->n; i++) {
        uint32_t c = b->cluster_of[i];
        double d = time[i] - p->clusters[c].mean;
        if (lag[c].seen)
            lag[c].products += lag[c].last * d;
        lag[c].last = d;
        lag[c].seen = true;
        zeros += !(time[i] > 0);
    }
    uint32_t correlated = 0, first = 0;
    double worst = 0;
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        const plan_cluster_t *cluster = &p->clusters[c];
        double squares = cluster->sd * cluster->sd * (double)cluster->size;
        if (cluster->size < SMALL_CLUSTER || !(squares > 0) || cluster->draws == cluster->size)
            continue;
        double r = lag[c].products / squares;
        if (r < CORRELATED)
            continue;
        if (correlated++ == 0 || r > worst) {
            worst = r;
            first = c;
        }
    }
    free(lag);
    if (correlated > 0)
        build_warning(
            b,
            "durations are autocorrelated in %u of %u clusters (%.2f in %.120s): "
            "neighbouring launches are similar, so a launch may depend on those before it",
            correlated, p->n_clusters, worst, p->names[p->clusters[first].name]);
    if (zeros > 0)
        build_warning(b, "%llu launches have a duration of zero in the profile",
                      (unsigned long long)zeros);
}

void plan_diagnose(plan_build_t *b)
{
    if (b->plan->random)
        warn_small(b);
    if (b->pop->time != NULL)
        warn_correlated(b);
}

uint64_t population_row(const population_t *pop, uint64_t id)
{
    if (pop->id == NULL)
        return id - 1;
    uint64_t after;
    FIND_FIRST(after, 1, pop->n, pop->id[after] > id);
    return after - 1;
}

/* Predicted error of the total, from the spread of each cluster in the profile. */
static void predict_error(plan_build_t *b)
{
    plan_t *p = b->plan;
    if (!p->random)
        return;
    stable_sum_t variance = {0};
    if (isnan(p->confidence))
        p->confidence = USUAL_CONFIDENCE;
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        const plan_cluster_t *k = &p->clusters[c];
        double n = (double)k->size, m = (double)k->draws, share = n * k->sd / p->profile_total;
        if (k->draws == 0)
            return; /* nothing bounds the error of a cluster without samples */
        double v = share * share / m;
        if (!p->replacement)
            v *= k->size == k->draws ? 0 : (n - m) / (n - 1);
        sum_add(&variance, v);
    }
    p->error_bound = interval_factor(p->confidence, INFINITY) * sqrt(sum_value(&variance));
    const double replayed = plan_redraw_error(b);
    if (replayed > (1 + REPLAY_NOISE) * p->error_bound)
        p->error_bound = replayed;
}

void plan_predict(plan_build_t *b)
{
    const population_t *pop = b->pop;
    plan_t *p = b->plan;
    if (pop->time == NULL)
        return;
    stable_sum_t total = {0}, sampled = {0}, predicted = {0};
    for (uint64_t i = 0; i < pop->n; i++)
        sum_add(&total, pop->time[i]);
    for (uint64_t i = 0; i < p->n_samples; i++) {
        double t = pop->time[population_row(pop, p->samples[i].launch)];
        sum_add(&sampled, t);
        sum_add(&predicted, t * p->samples[i].weight);
    }
    p->profile_total = sum_value(&total);
    p->predicted_total = sum_value(&predicted);
    if (sum_value(&sampled) > 0)
        p->predicted_speedup = p->profile_total / sum_value(&sampled);
    predict_error(b);
}
