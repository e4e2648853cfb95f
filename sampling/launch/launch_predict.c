/*
 * predict: a prediction of every launch (sampling/predict), corrected by a few launches that are
 * simulated. The launches of a kernel are chosen in proportion to their predicted cycles, evenly over
 * these. What the others take is their prediction times the mean ratio of simulated to predicted cycles;
 * the spread of these ratios is the interval (Royall, Biometrika 57, 1970: the ratio model).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_online.h"
#include "sampling/launch/launch_table.h"
#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sampling/plan/plan_build.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

#define PREDICT_OPTIONS(P, E, T)                                                                   \
    P(U32, level, "1", 0, 1, "", "0: from the index only, 1: with hit rates from one walk")        \
    P(F64, share, "0.02", 0, 1, "", "share of the warp instructions that is simulated, about")     \
    P(U64, pilot, "2", 1, 1e6, "launches", "least number simulated of each kernel")                \
    P(F64, confidence, "0.95", 0.5, 0.999999, "", "of the interval")

PARAM_STRUCT(predict_options_t, PREDICT_OPTIONS);
#define PARAM_SPEC_ predict_options_t
static const param_t predict_rows[] = {PARAM_ROWS(PREDICT_OPTIONS)};
#undef PARAM_SPEC_
const param_group_t launch_predict_group =
    PARAM_GROUP("predict", "calibrated predictions", predict_options_t, predict_rows);

/* The launches of a kernel. */
typedef struct {
    uint64_t begin, n; /* in rows: by predicted cycles */
    uint64_t m;        /* simulated */
    double predicted;  /* sum */
    double cost;       /* of a launch, mean */
} kernel_t;

typedef struct {
    predict_options_t o;
    const population_t *pop;
    uint64_t seed;
    uint32_t *rows;   /* owned; by kernel, then by predicted cycles */
    kernel_t *kernel; /* owned */
    size_t n_kernels;
    uint64_t *ids;    /* owned; the launches to simulate, ascending */
    uint32_t *row_of; /* owned; of these */
    double *cycles;   /* owned; by row: simulated; NAN: not chosen */
    uint64_t n;
    bool asked;
} predict_t;

static double cost_of(const predict_t *s, uint64_t row)
{
    const double *insts = s->pop->counter[POP_WARP_INSTS];
    return insts != NULL ? insts[row] : s->pop->predicted[row];
}

/* A launch, for sorting. */
typedef struct {
    double predicted;
    uint32_t name, row;
} sorted_t;

static int by_kernel(const void *a, const void *b)
{
    const sorted_t *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->predicted != y->predicted)
        return x->predicted < y->predicted ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void make_kernels(predict_t *s)
{
    const population_t *pop = s->pop;
    sorted_t *list = rb_calloc(pop->n, sizeof(*list));
    for (uint64_t i = 0; i < pop->n; i++)
        list[i] = (sorted_t){pop->predicted[i], pop->name != NULL ? pop->name[i] : 0, (uint32_t)i};
    qsort(list, pop->n, sizeof(*list), by_kernel);
    s->rows = rb_calloc(pop->n, sizeof(*s->rows));
    s->kernel = rb_calloc(pop->n, sizeof(*s->kernel));
    for (uint64_t i = 0; i < pop->n; i++) {
        s->rows[i] = list[i].row;
        if (i == 0 || list[i].name != list[i - 1].name)
            s->kernel[s->n_kernels++] = (kernel_t){.begin = i};
        s->kernel[s->n_kernels - 1].n++;
        s->kernel[s->n_kernels - 1].predicted += list[i].predicted;
    }
    free(list);
}

/* Chooses m launches of a kernel: where equal steps through the sum of predicted cycles end; a launch
 * that is met twice leaves its second turn to the next one. */
static void draw(predict_t *s, const kernel_t *k, uint64_t number)
{
    rng_t rng = rng_make(s->seed, number);
    const double step = k->predicted / (double)k->m, first = rng_unit(&rng);
    double sum = 0;
    uint64_t taken = 0;
    for (uint64_t i = 0; i < k->n && taken < k->m; i++) {
        const uint32_t row = s->rows[k->begin + i];
        sum += s->pop->predicted[row];
        if (k->m - taken < k->n - i && sum < (first + (double)taken) * step)
            continue;
        s->cycles[row] = 0;
        taken++;
    }
}

/* How many of each kernel: the least number, and more where the most predicted cycles hang on a launch,
 * as long as the share allows. */
static void allot(predict_t *s)
{
    double all = 0, spent = 0;
    for (uint64_t i = 0; i < s->pop->n; i++)
        all += cost_of(s, i);
    for (size_t k = 0; k < s->n_kernels; k++) {
        kernel_t *x = &s->kernel[k];
        x->m = s->o.pilot < x->n ? s->o.pilot : x->n;
        for (uint64_t i = 0; i < x->n; i++)
            x->cost += cost_of(s, s->rows[x->begin + i]) / (double)x->n;
        spent += x->cost * (double)x->m;
    }
    for (;;) {
        kernel_t *most = NULL;
        for (kernel_t *x = s->kernel; x < s->kernel + s->n_kernels; x++)
            if (x->m < x->n && spent + x->cost <= s->o.share * all * (1 + 1e-9) &&
                (most == NULL || x->predicted / (double)x->m > most->predicted / (double)most->m))
                most = x;
        if (most == NULL)
            return;
        most->m++;
        spent += most->cost;
    }
}

static void choose(predict_t *s)
{
    s->n = 0;
    s->asked = false;
    for (uint64_t i = 0; i < s->pop->n; i++)
        s->cycles[i] = NAN;
    for (size_t k = 0; k < s->n_kernels; k++)
        draw(s, &s->kernel[k], k);
    for (uint64_t i = 0; i < s->pop->n; i++) {
        if (isnan(s->cycles[i]))
            continue;
        s->row_of[s->n] = (uint32_t)i;
        s->ids[s->n++] = s->pop->id != NULL ? s->pop->id[i] : i + 1;
    }
}

static void predict_destroy(void *state)
{
    predict_t *s = state;
    if (s == NULL)
        return;
    free(s->rows);
    free(s->kernel);
    free(s->ids);
    free(s->row_of);
    free(s->cycles);
    free(s);
}

static void *predict_create(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                            rb_err_t *err)
{
    if (pop->predicted == NULL) {
        (void)rb_fail(err, RB_USAGE, "predict needs a trace and a GPU, to predict its launches");
        return NULL;
    }
    predict_t *s = rb_calloc(1, sizeof(*s));
    *s = (predict_t){.o = *(const predict_options_t *)choice->options, .pop = pop, .seed = seed};
    s->ids = rb_calloc(pop->n, sizeof(*s->ids));
    s->row_of = rb_calloc(pop->n, sizeof(*s->row_of));
    s->cycles = rb_calloc(pop->n, sizeof(*s->cycles));
    make_kernels(s);
    allot(s);
    choose(s);
    return s;
}

static void predict_restart(void *state, uint64_t seed)
{
    predict_t *s = state;
    s->seed = seed;
    choose(s);
}

static rb_code_t predict_round(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err)
{
    predict_t *s = state;
    (void)err;
    *ids = s->ids;
    *n = s->asked ? 0 : s->n;
    s->asked = true;
    return RB_OK;
}

static void predict_result(void *state, uint64_t i, double cycles, double variance)
{
    predict_t *s = state;
    s->cycles[s->row_of[i]] = cycles;
    (void)variance; /* the caller adds what samplers inside launches are off */
}

/* --- the estimate ----------------------------------------------------------------------------- */

/* What the launches of a kernel say about its predictions. The launch latency is known, so ratios are those of
 * the work behind it. */
typedef struct {
    double simulated;   /* cycles */
    double ratio;       /* mean of simulated to predicted work */
    double squares;     /* of the ratios' relative distances from it */
    double rest, rest2; /* predicted work of the others: sum, sum of squares */
    double others;      /* cycles that they are estimated to take */
    double scale;       /* of the weights, so that they give these cycles */
} corrected_t;

static double predicted_work(const predict_t *s, uint64_t row)
{
    return fmax(s->pop->predicted[row] - s->pop->launch_latency, 1);
}

static corrected_t correct(const predict_t *s, const kernel_t *k)
{
    corrected_t c = {0};
    double weighted = 0;
    for (uint64_t i = k->begin; i < k->begin + k->n; i++) {
        const double x = predicted_work(s, s->rows[i]), y = s->cycles[s->rows[i]];
        if (isnan(y)) {
            c.rest += x;
            c.rest2 += x * x;
        } else {
            c.simulated += y;
            c.ratio += (y - s->pop->launch_latency) / x / (double)k->m;
            weighted += y / (x * (double)k->m);
        }
    }
    for (uint64_t i = k->begin; i < k->begin + k->n; i++) {
        const double y =
            (s->cycles[s->rows[i]] - s->pop->launch_latency) / predicted_work(s, s->rows[i]);
        if (!isnan(y) && c.ratio > 0)
            c.squares += (y / c.ratio - 1) * (y / c.ratio - 1);
    }
    c.others = (double)(k->n - k->m) * s->pop->launch_latency + c.rest * c.ratio;
    c.scale = weighted > 0 ? c.others / weighted : 0;
    return c;
}

/* The spread of ratios is that of all kernels together, because a few launches of one do not show it. Some kernels are
 * predicted worse than others: where that is larger, it is their own, with that of all as one launch more. */
static estimate_t estimate_of(const predict_t *s)
{
    estimate_t e = {.confidence = s->o.confidence, .low = NAN, .high = NAN, .method = "none"};
    double squares = 0, variance = 0, rest = 0;
    for (size_t k = 0; k < s->n_kernels; k++) {
        const corrected_t c = correct(s, &s->kernel[k]);
        squares += c.squares;
        e.df += (double)s->kernel[k].m - 1;
        e.value += c.simulated + c.others;
        rest += c.rest;
    }
    if (rest > 0 && e.df <= 0)
        return e;
    const double all = e.df > 0 ? squares / e.df : 0;
    for (size_t k = 0; k < s->n_kernels; k++) {
        const corrected_t c = correct(s, &s->kernel[k]);
        const double m = (double)s->kernel[k].m, spread = fmax(all, (c.squares + all) / m);
        variance += c.ratio * c.ratio * (c.rest * c.rest / m + c.rest2) * spread;
    }
    const double half = rest > 0 ? interval_factor(s->o.confidence, e.df) * sqrt(variance) : 0;
    e.method = rest > 0 ? "calibrated prediction t" : "exact";
    e.low = fmax(e.value - half, 0);
    e.high = e.value + half;
    return e;
}

static rb_code_t predict_finish(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err)
{
    predict_t *s = state;
    const launch_choice_t choice = {.method = &launch_predict, .options = &s->o};
    (void)err;
    *plan = (plan_t){.method = launch_choice_text(&choice),
                     .seed = s->seed,
                     .n_launches = s->pop->n,
                     .random =
                         false, /* in proportion to predictions: means are not those of a kernel */
                     .profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = s->o.confidence};
    plan_build_t build = {.plan = plan, .pop = s->pop, .seed = s->seed};
    for (size_t k = 0; k < s->n_kernels; k++) {
        const kernel_t *x = &s->kernel[k];
        const uint32_t name = s->pop->name == NULL ? 0 : s->pop->name[s->rows[x->begin]];
        const uint32_t cluster = build_cluster(&build, name, x->n, NAN, NAN);
        const corrected_t c = correct(s, x);
        for (uint64_t i = x->begin; i < x->begin + x->n; i++) {
            const uint32_t row = s->rows[i];
            if (!isnan(s->cycles[row])) /* the weights give the estimate of the cycles */
                build_sample(&build, cluster, row,
                             1 + c.scale / (predicted_work(s, row) * (double)x->m), 1);
        }
    }
    plan_sort_samples(plan);
    free(build.name_in_plan);
    *cycles = estimate_of(s);
    return RB_OK;
}

static const char *predict_note(void *state)
{
    const predict_t *s = state;
    return s->n == s->pop->n ? NULL
                             : "predicted, and corrected by the launches that were simulated: "
                               "launches of a kernel "
                               "are taken to differ from their predictions as these do";
}

static void predict_report(const void *state, const char *name)
{
    const predict_t *s = state;
    double squares = 0, df = 0;
    for (size_t k = 0; k < s->n_kernels; k++) {
        squares += correct(s, &s->kernel[k]).squares;
        df += (double)s->kernel[k].m - 1;
    }
    rb_info("%s: predictions are off by %.1f %% (one standard deviation) in %llu launches of %zu "
            "kernels, beside the mean of each kernel",
            name, df > 0 ? 100 * sqrt(squares / df) : 0.0, (unsigned long long)s->n, s->n_kernels);
}

static const launch_online_ops_t online_ops = {
    .create = predict_create,
    .destroy = predict_destroy,
    .restart = predict_restart,
    .round = predict_round,
    .result = predict_result,
    .finish = predict_finish,
    .note = predict_note,
    .report = predict_report,
};

unsigned launch_predict_level(const launch_choice_t *choice)
{
    return ((const predict_options_t *)choice->options)->level;
}

const launch_method_t launch_predict = {
    .name = "predict",
    .help = "predicts all launches, and corrects the predictions by a few that are simulated",
    .options = &launch_predict_group,
    .needs = LAUNCH_NEEDS_PREDICTION,
    .online = &online_ops,
};
