#include "frontend/tool/run/run_intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/state_error.h"
#include "frontend/tool/run/unmet_error.h"
#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"

/* Bytes of the samples' values of as many statistics as are processed in one walk. */
enum { WALK_BYTES = 64 << 20 };

static const char unseen[] =
    "no simulated launch shows any, so what the other launches have is unknown";
static const char only_times[] =
    "some clusters have one simulated launch, and the profile knows only the spread of their times";
static const char all_full[] =
    "it is 1 in all simulated launches, so what it is in the others is unknown";
static const char not_inside[] =
    "a launch that was estimated states no error of it; its evidence says why";
static const char not_walked[] =
    "the launches that were left out were not walked, so the simulated ones found other caches";

/* In place of "exact" if everything was simulated, but not in the program's order. */
static const char in_rounds[] = "all launches, in rounds";

/* The sum whose spread is that of a statistic. */
typedef struct {
    linear_term_t term[STAT_VALUES];
    size_t n;
    bool unseen; /* it contains what no sample shows */
    /* Of a chunk of statistics, while the launches are read: */
    double *value, *size; /* per sample; borrowed */
    estimate_within_t within;
    double seen; /* sum of size */
} residual_t;

/* The value of a launch's replicates that varies as `value` does. */
static uint16_t replicated(uint16_t value)
{
    switch (value) {
    case VALUE_BLOCKS:
        return VALUE_AT(sm.blocks);
    case VALUE_WARP_INSTS:
        return VALUE_AT(sm.warp_insts);
    case VALUE_THREAD_INSTS:
        return VALUE_AT(sm.thread_insts);
    default:
        return value;
    }
}

/* Variance of a sum of the launch's values from the error inside it. */
static double variance_inside(const launch_error_t *e, const linear_term_t *term, size_t n)
{
    linear_term_t mapped[STAT_VALUES];
    for (size_t i = 0; i < n; i++)
        mapped[i] = (linear_term_t){replicated(term[i].value), term[i].coefficient};
    return launch_error_variance(e, mapped, n);
}

/* A launch of the journal. */
typedef struct {
    const run_record_t *record;
    uint64_t sample; /* of the plan; 0: there is none */
    double inside;   /* how often the error inside it counts */
    double values[STAT_VALUES];
} seen_launch_t;

/* False: it is not of the plan. */
static bool see_launch(const run_intervals_t *s, const run_record_t *r, seen_launch_t *l)
{
    *l = (seen_launch_t){.record = r, .inside = 1};
    launch_values_add(l->values, &r->launch, 1);
    if (s->sampling == NULL)
        return true;
    const chosen_t *c = run_sampling_find(s->sampling, r->launch.info.id);
    if (c == NULL)
        return false;
    l->sample = c->sample;
    l->inside = estimate_within_weight(&s->sampling->plan, c->sample);
    return true;
}

static void add_inside(estimate_within_t *w, const seen_launch_t *l, const linear_term_t *term,
                       size_t n)
{
    const run_record_t *r = l->record;
    if (r->launch.sampling.estimated)
        estimate_within_add(w, l->inside, variance_inside(&r->error, term, n),
                            (double)r->error.n - 1);
}

/* Whether every simulated launch came after those before it in the program. */
static bool is_in_order(const run_intervals_t *s)
{
    return s->in_order[VALUE_CYCLES] == s->simulated[VALUE_CYCLES];
}

static void survey_launch(run_intervals_t *s, ratio_samples_t *samples, const run_record_t *r)
{
    const linear_term_t cycles = {VALUE_CYCLES, 1};
    const bool estimated = r->launch.sampling.estimated;
    seen_launch_t l;
    if (!see_launch(s, r, &l))
        return;
    if (!estimated)
        launch_values_add(s->simulated, &r->launch, 1);
    if (!estimated && r->launch.info.id > s->last_id) {
        launch_values_add(s->in_order, &r->launch, 1);
        s->last_id = r->launch.info.id;
    }
    s->unstated += estimated && r->error.n < 2;
    add_inside(&s->cycles, &l, &cycles, 1);
    if (samples->counters[0] != NULL)
        ratio_samples_put(samples, l.sample, l.values);
}

static void choose_ratios(run_intervals_t *s, const ratio_samples_t *samples)
{
    const run_sampling_t *sampling = s->sampling;
    const ratio_input_t in = {.sum = sampling->sum,
                              .simulated = s->simulated,
                              .plan = &sampling->plan,
                              .samples = samples,
                              .known = &sampling->counts,
                              .keep_cycles = sampling->estimate.method != NULL};
    run_ratio_choose(&s->ratio, &in, s->spec);
    s->cycles_residual = run_ratio_cycles(&s->ratio, &sampling->plan, samples, &s->cycles_size);
    if (s->cycles_residual == NULL)
        return;
    const double square = pow(s->ratio.group[RATIO_TIME].factor, 2);
    s->cycles.variance *= square;
    s->cycles.per_df *= square * square;
}

rb_code_t run_intervals_begin(run_intervals_t *s, journal_t *journal,
                              const run_sampling_t *sampling, const gpu_spec_t *spec, rb_err_t *err)
{
    const double nothing[STAT_VALUES] = {0};
    ratio_samples_t samples = {0};
    const bool known = sampling != NULL && sampling->has_counts;
    *s = (run_intervals_t){
        .journal = journal, .spec = spec, .sampling = sampling, .forms = stat_forms(spec)};
    if (known)
        ratio_samples_begin(&samples, sampling->plan.n_samples);
    record_walk_t walk = record_walk(journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk))
        survey_launch(s, &samples, &walk.record);
    if (known)
        choose_ratios(s, &samples);
    else
        run_ratio_plain(&s->ratio, sampling != NULL ? sampling->sum : nothing);
    ratio_samples_free(&samples);
    return walk.code;
}

void run_intervals_totals(const run_intervals_t *s, double values[STAT_VALUES])
{
    memcpy(values, s->ratio.plain, STAT_VALUES * sizeof(*values));
    run_ratio_scale(&s->ratio, values);
}

/* Widens the interval of the cycles by what sampled launches do not show of the chip's state. */
static void widen_cycles(const run_intervals_t *s, estimate_t *e)
{
    const bool exact = strcmp(e->method, "exact") == 0;
    const double half = state_error_cycles(e->value, s->in_order[VALUE_CYCLES]);
    if (!isfinite(e->low) || (exact && is_in_order(s)))
        return;
    if (exact)
        e->method = in_rounds;
    e->low = e->value - hypot(e->value - e->low, half);
    e->high = e->value + hypot(e->high - e->value, half);
    e->low = fmax(e->low, fmin(s->in_order[VALUE_CYCLES], e->value));
}

estimate_t run_intervals_cycles(const run_intervals_t *s, double total)
{
    const run_sampling_t *sampling = s->sampling;
    if (sampling == NULL)
        return estimate_sum(total, &s->cycles, 0.95);
    estimate_t e = sampling->estimate;
    if (e.method != NULL) {
        estimate_widen(&e, &s->cycles);
        widen_cycles(s, &e);
        return e;
    }
    const double confidence =
        isfinite(sampling->plan.confidence) ? sampling->plan.confidence : 0.95;
    const estimate_input_t in = {.value = s->cycles_residual != NULL ? s->cycles_residual
                                                                     : sampling->cycles,
                                 .size = s->cycles_size,
                                 .within = s->cycles};
    e = estimate_two_stage(&sampling->plan, &in, confidence);
    e.low += total - e.value;
    e.high += total - e.value;
    e.value = total;
    estimate_raise(&e, &sampling->plan);
    widen_cycles(s, &e);
    return e;
}

/* Sets the terms of r. The parts are those of the quotient. */
static void set_residual(residual_t *r, const run_ratio_t *ratio, const stat_form_t *f,
                         double numerator, double denominator)
{
    double out[STAT_VALUES] = {0};
    const double scale = 1 / denominator;
    r->unseen = !run_ratio_residual(ratio, &f->num, scale, out);
    if (!run_ratio_residual(ratio, &f->den, -numerator * scale * scale, out))
        r->unseen = true;
    for (size_t v = 0; v < STAT_VALUES; v++)
        if (out[v] != 0)
            r->term[r->n++] = (linear_term_t){(uint16_t)v, out[v]};
}

/* The quotient's parts of statistic i; for a sum, its value and 1. */
static void parts_of(const stat_view_t *view, size_t i, double *numerator, double *denominator)
{
    const size_t first = stat_count() - METRIC_COUNT;
    const run_totals_t *t = view->totals;
    *numerator = 0;
    *denominator = 1;
    if (i < first)
        return;
    metric_input_t m =
        metric_input(view->spec, t->cycles, t->launch_cycles, &t->sm, &t->l2, &t->dram);
    metric_parts((metric_id_t)(i - first), &m, numerator, denominator);
}

static void put_sample(residual_t *r, const seen_launch_t *l)
{
    double value = 0, size = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double x = r->term[i].coefficient * l->values[r->term[i].value];
        value += x;
        size += fabs(x);
    }
    r->value[l->sample] = value;
    r->size[l->sample] = size;
    r->seen += size;
}

/* Reads the launches for the statistics [from, to). */
static rb_code_t read_launches(const run_intervals_t *s, residual_t *list, size_t from, size_t to,
                               rb_err_t *err)
{
    seen_launch_t l;
    record_walk_t walk = record_walk(s->journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk)) {
        if (!see_launch(s, &walk.record, &l))
            continue;
        for (size_t i = from; i < to; i++) {
            if (list[i].n == 0)
                continue;
            put_sample(&list[i], &l);
            add_inside(&list[i].within, &l, list[i].term, list[i].n);
        }
    }
    return walk.code;
}

/* A statistic that is proportional to the cycles, or inversely. */
static stat_interval_t with_cycles(const residual_t *r, double value, const estimate_t *cycles,
                                   double total)
{
    stat_interval_t i = {.method = cycles->method};
    const bool inverse = r->term[0].coefficient < 0;
    i.low = value * (inverse ? total / cycles->high : cycles->low / total);
    i.high = value * (inverse ? total / cycles->low : cycles->high / total);
    return i;
}

static stat_interval_t between(const run_intervals_t *s, const residual_t *r, double value,
                               double most)
{
    const estimate_input_t in = {.value = r->value, .size = r->size, .within = r->within};
    estimate_t e = s->sampling != NULL ? estimate_two_stage(&s->sampling->plan, &in, s->confidence)
                                       : estimate_sum(0, &r->within, s->confidence);
    if (strcmp(e.method, "exact") != 0 && r->seen == 0)
        return stat_interval_none(unseen);
    if (r->within.unknown)
        return stat_interval_none(not_inside);
    if (e.profile)
        return stat_interval_none(only_times);
    /* Launches that differ from these would have been needed to show how much they differ. */
    if (strcmp(e.method, "exact") != 0 && e.low == e.high && value == 1 && most == 1)
        return stat_interval_none(all_full);
    return (stat_interval_t){value + (e.low - e.value), value + (e.high - e.value), e.method, NULL};
}

/* Widens the interval of a statistic by what samples do not show. */
static void widen(const run_intervals_t *s, const residual_t *r, double value, stat_interval_t *i)
{
    double program[STAT_VALUES];
    const bool exact = strcmp(i->method, "exact") == 0;
    if (s->sampling == NULL || (exact && is_in_order(s)))
        return;
    run_intervals_totals(s, program);
    const double added = s->sampling->estimate.unmet / program[VALUE_CYCLES];
    const double half = state_error(r->term, r->n, program, s->in_order);
    if (exact && half > 0)
        i->method = in_rounds;
    const unmet_error_t unmet = unmet_error(r->term, r->n, program, added);
    i->low = value - hypot(hypot(value - i->low, half), unmet.below);
    i->high = value + hypot(hypot(i->high - value, half), unmet.above);
}

static stat_interval_t interval_of(const run_intervals_t *s, size_t i, const residual_t *r,
                                   const stat_view_t *view, const estimate_t *cycles)
{
    const double value = stat_value_f64(view, i), total = (double)view->totals->cycles;
    const stat_form_t *f = &s->forms[i];
    stat_interval_t of;
    if (i == 0)
        of = (stat_interval_t){cycles->low, cycles->high, cycles->method, NULL};
    else if (r->n == 1 && r->term[0].value == VALUE_CYCLES)
        of = with_cycles(r, value, cycles, total);
    else
        of = between(s, r, value, f->most);
    if (of.reason != NULL || i == 0)
        return of;
    if (s->cold && state_error_is_cold(r->term, r->n))
        return stat_interval_none(not_walked);
    widen(s, r, value, &of);
    const double least = f->den.n > 0 ? 0 : form_value(&f->num, s->in_order);
    return stat_interval_possible(of, value, least,
                                  fmin(f->most, run_ratio_most(&s->ratio, &f->num)));
}

/* Sets the intervals of statistics that need no launch; true: i is one of them. */
static bool is_simple(run_intervals_t *s, size_t i, const residual_t *r, const stat_view_t *view,
                      const char *why)
{
    const double value = stat_value_f64(view, i);
    if (!run_intervals_has(s, i) || !isfinite(value))
        s->of[i] = stat_interval_none(NULL);
    else if (r->unseen)
        s->of[i] = stat_interval_none(why != NULL ? why : unseen);
    else if (r->n == 0)
        s->of[i] = (stat_interval_t){value, value, "exact", NULL};
    else if (why != NULL)
        s->of[i] = stat_interval_none(why);
    else
        return false;
    return true;
}

/* Reads the launches for as many statistics from `from` on as fit into memory; *to: the first one that
 * does not. */
static rb_code_t set_some(run_intervals_t *s, residual_t *list, size_t from, size_t *to,
                          const stat_view_t *view, const estimate_t *cycles, rb_err_t *err)
{
    const uint64_t samples = s->sampling != NULL ? s->sampling->plan.n_samples : 1;
    const size_t fit = WALK_BYTES / (2 * sizeof(double)) / samples + 1, n = stat_count();
    *to = from + fit < n ? from + fit : n;
    double *values = rb_calloc(2 * (*to - from) * samples, sizeof(*values));
    for (size_t i = from; i < *to; i++) {
        list[i].value = values + 2 * (i - from) * samples;
        list[i].size = list[i].value + samples;
    }
    const rb_code_t rc = read_launches(s, list, from, *to, err);
    for (size_t i = from; rc == RB_OK && i < *to; i++)
        if (list[i].n > 0)
            s->of[i] = interval_of(s, i, &list[i], view, cycles);
    free(values);
    return rc;
}

rb_code_t run_intervals_set(run_intervals_t *s, const stat_view_t *view, const estimate_t *cycles,
                            const char *why, rb_err_t *err)
{
    const size_t n = stat_count();
    residual_t *list = rb_calloc(n, sizeof(*list));
    rb_code_t rc = RB_OK;
    s->of = rb_calloc(n, sizeof(*s->of));
    s->confidence = isfinite(cycles->confidence) ? cycles->confidence : 0.95;
    for (size_t i = 0; i < n; i++) {
        double numerator, denominator;
        parts_of(view, i, &numerator, &denominator);
        set_residual(&list[i], &s->ratio, &s->forms[i], numerator, denominator);
        if (is_simple(s, i, &list[i], view, why))
            list[i].n = 0;
    }
    for (size_t from = 0, to; rc == RB_OK && why == NULL && from < n; from = to)
        rc = set_some(s, list, from, &to, view, cycles, err);
    if (rc == RB_OK)
        stat_interval_parts(s->forms, s->of);
    free(list);
    return rc;
}

void run_intervals_free(run_intervals_t *s)
{
    free(s->forms);
    free(s->of);
    free(s->cycles_residual);
    *s = (run_intervals_t){0};
}

bool run_intervals_has(const run_intervals_t *s, size_t stat)
{
    return s->forms[stat].num.n > 0;
}

size_t run_intervals_metric(metric_id_t id)
{
    return stat_count() - METRIC_COUNT + (size_t)id;
}

/* The terms of a form times scale, appended to term. */
static size_t append_terms(linear_term_t *term, size_t n, const linear_form_t *f, double scale)
{
    for (size_t i = 0; i < f->n; i++)
        term[n++] = (linear_term_t){f->term[i].value, scale * f->term[i].coefficient};
    return n;
}

static stat_interval_t of_launch(const run_intervals_t *s, const stat_form_t *f,
                                 const seen_launch_t *l, double value, double denominator)
{
    linear_term_t term[2 * FORM_TERMS_MAX];
    estimate_within_t w = {0};
    if (!isfinite(value) || f->num.n == 0)
        return stat_interval_none(NULL);
    const size_t n = append_terms(term, 0, &f->num, 1 / denominator);
    add_inside(&w, l, term, append_terms(term, n, &f->den, -value / denominator));
    const estimate_t e = estimate_sum(value, &w, s->confidence);
    if (w.unknown)
        return stat_interval_none(not_inside);
    return stat_interval_possible((stat_interval_t){e.low, e.high, e.method, NULL}, value, 0,
                                  f->most);
}

/* No launch is shorter than what was simulated of it. */
static stat_interval_t of_cycles(const run_intervals_t *s, const seen_launch_t *l)
{
    static const stat_form_t form = {.num = {{{VALUE_CYCLES, 1}}, 1}, .most = INFINITY};
    const double cycles = l->values[VALUE_CYCLES];
    stat_interval_t i = of_launch(s, &form, l, cycles, 1);
    i.low = fmax(i.low, fmin(cycles, (double)l->record->launch.sampling.simulated_cycles));
    return i;
}

static seen_launch_t launch_alone(const run_record_t *launch)
{
    seen_launch_t l = {.record = launch, .inside = 1};
    launch_values_add(l.values, &launch->launch, 1);
    return l;
}

stat_interval_t run_intervals_launch_cycles(const run_intervals_t *s, const run_record_t *launch)
{
    const seen_launch_t l = launch_alone(launch);
    return of_cycles(s, &l);
}

void run_intervals_launch(const run_intervals_t *s, const run_record_t *launch,
                          const metric_input_t *m, stat_interval_t *out)
{
    const seen_launch_t l = launch_alone(launch);
    const size_t n = stat_count();
    out[0] = of_cycles(s, &l);
    for (size_t i = 1; i < n - METRIC_COUNT; i++)
        out[i] = of_launch(s, &s->forms[i], &l, form_value(&s->forms[i].num, l.values), 1);
    for (unsigned id = 0; id < METRIC_COUNT; id++) {
        const size_t i = run_intervals_metric((metric_id_t)id);
        double numerator, denominator;
        metric_parts((metric_id_t)id, m, &numerator, &denominator);
        out[i] = of_launch(s, &s->forms[i], &l, metric_value((metric_id_t)id, m), denominator);
    }
    stat_interval_parts(s->forms, out);
}
