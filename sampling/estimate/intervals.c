#include "sampling/estimate/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/cold_launches.h"
#include "sampling/estimate/index_ratio.h"
#include "sampling/estimate/profile_ratio.h"
#include "sampling/estimate/sample_shows.h"
#include "sampling/estimate/state_error.h"
#include "sampling/estimate/unmet_error.h"
#include "sim/core/alloc.h"
#include "sim/sm/memory/prefetcher.h"

/* Bytes of the samples' values of as many statistics as are processed in one walk. */
enum { WALK_BYTES = 64 << 20 };

static const char unseen[] =
    "no simulated launch shows any, so what the other launches have is unknown";
static const char stands_for_none[] =
    "no simulated launch that stands for others shows any, so what these have is unknown";
static const char all_alike[] =
    "it is the same in all simulated launches, though the caches that others find may differ";
static const char only_times[] =
    "some clusters have one simulated launch, and the profile knows only the spread of their times "
    "(a smaller epsilon takes more of them)";
static const char all_full[] =
    "it is 1 in all simulated launches, so what it is in the others is unknown";
static const char few_show[] =
    "almost all of it is in one or two of the simulated launches that stand for others";
static const char not_inside[] =
    "a launch that was estimated states no error of it; its evidence says why";
static const char not_prefetched[] =
    "the L1s prefetch, which is not walked, so the simulated launches found other lines in the L2";
static const char not_walked[] =
    "the launches that were left out were not walked, so the simulated ones found other caches";

const char intervals_in_rounds[] = "all launches, in rounds";

/* A counter goes along with what the index knows a little more or less than in proportion. */
#define DOUBT 1.25

/* The sum whose spread is that of a statistic. */
typedef struct {
    linear_term_t term[STAT_VALUES];
    size_t n;
    bool unseen;      /* it contains what no sample shows */
    double doubt;     /* index_ratio_doubt() */
    double by_cycles; /* derivative by the total cycles */
    /* Of a chunk of statistics, while the launches are read: */
    double *value, *size; /* per sample; borrowed */
    estimate_within_t within;
    double seen;   /* sum of size */
    shown_t shown; /* of size */
    const stat_form_t *form;
    double scale;   /* of its numerator */
    shown_t misses; /* of what a rate of hits, or hits, lack */
    bool quotient;
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

/* A launch, how often the error inside it counts, and its values. */
typedef struct {
    const seen_launch_t *seen;
    double inside;
    double values[STAT_VALUES];
} valued_launch_t;

static valued_launch_t launch_alone(const seen_launch_t *seen)
{
    valued_launch_t l = {.seen = seen, .inside = 1};
    launch_values_add(l.values, seen->result, 1);
    return l;
}

static valued_launch_t launch_of_plan(const intervals_t *s, const seen_launch_t *seen)
{
    valued_launch_t l = launch_alone(seen);
    if (s->of_plan.plan != NULL)
        l.inside = estimate_within_weight(s->of_plan.plan, seen->sample);
    return l;
}

static void add_inside(estimate_within_t *w, const valued_launch_t *l, const linear_term_t *term,
                       size_t n)
{
    const seen_launch_t *seen = l->seen;
    if (seen->result->sampling.estimated)
        estimate_within_add(w, l->inside, variance_inside(seen->error, term, n),
                            (double)seen->error->n - 1);
}

typedef struct {
    intervals_t *s;
    ratio_samples_t samples;
    cold_launches_t cold;
} survey_t;

/* How many launches a sample stands for. */
static double weight_of(const intervals_t *s, const seen_launch_t *seen)
{
    return s->of_plan.plan != NULL ? s->of_plan.plan->samples[seen->sample].weight : 1;
}

static void survey_launch(void *to, const seen_launch_t *seen)
{
    survey_t *survey = to;
    intervals_t *s = survey->s;
    const launch_result_t *r = seen->result;
    const linear_term_t cycles = {VALUE_CYCLES, 1};
    const bool estimated = r->sampling.estimated;
    const valued_launch_t l = launch_of_plan(s, seen);
    if (!estimated)
        launch_values_add(s->simulated, r, 1);
    if (!estimated && r->info.id > s->last_id) {
        launch_values_add(s->in_order, r, 1);
        s->last_id = r->info.id;
        cold_launches_add(&survey->cold, r, weight_of(s, seen));
    }
    s->unstated += estimated && seen->error->n < 2;
    add_inside(&s->cycles, &l, &cycles, 1);
    if (survey->samples.counters[0] != NULL)
        ratio_samples_put(&survey->samples, seen->sample, l.values);
}

static void choose_ratios(intervals_t *s, const ratio_samples_t *samples)
{
    const sampled_program_t *p = &s->of_plan;
    const ratio_input_t in = {.sum = p->sum,
                              .simulated = s->simulated,
                              .plan = p->plan,
                              .samples = samples,
                              .known = p->known,
                              .keep_cycles = p->said.method != NULL};
    index_ratio_choose(s->ratio, &in, s->spec);
    s->cycles_residual = index_ratio_cycles(s->ratio, p->plan, samples, &s->cycles_size);
    if (s->cycles_residual == NULL)
        return;
    const double square = pow(s->ratio->group[RATIO_TIME].factor, 2);
    s->cycles.variance *= square;
    s->cycles.per_df *= square * square;
}

static void correct_by_profile(intervals_t *s)
{
    const sampled_program_t *p = &s->of_plan;
    const double factor = profile_ratio(p->plan, p->cycles, &s->by_profile);
    if (isfinite(s->by_profile))
        index_ratio_state_cycles(s->ratio, factor * s->ratio->plain[VALUE_CYCLES]);
}

/* What walks tell of the launches that were left out. */
static void find_cold(intervals_t *s, cold_launches_t *cold)
{
    static const linear_form_t fills = {{{VALUE_AT(l2.fills), 1}}, 1};
    static const linear_form_t write_misses = {
        {{VALUE_AT(l2.write_sectors), 1}, {VALUE_AT(l2.write_hits), -1}}, 2};
    double left[STAT_VALUES];
    intervals_totals(s, left);
    for (size_t v = 0; v < STAT_VALUES; v++)
        left[v] -= s->in_order[v];
    s->walked.fetched = cold_launches_more(cold, cold->fetched, form_value(&fills, left));
    s->walked.placed = cold_launches_more(cold, cold->placed, form_value(&write_misses, left));
    if (s->of_plan.plan->random) /* else the cycles are not the mean of samples */
        s->walked.cycles = s->walked.fetched * cold_launches_price(cold);
}

rb_code_t intervals_begin(intervals_t *s, const launch_feed_t *feed,
                          const sampled_program_t *sampled, stat_list_t stats,
                          const gpu_spec_t *spec, rb_err_t *err)
{
    const double nothing[STAT_VALUES] = {0};
    survey_t survey = {.s = s};
    const bool known = sampled->plan != NULL && sampled->known != NULL;
    *s = (intervals_t){.feed = *feed, .spec = spec, .of_plan = *sampled, .stats = stats};
    s->ratio = rb_calloc(1, sizeof(*s->ratio));
    if (known)
        ratio_samples_begin(&survey.samples, sampled->plan->n_samples);
    const rb_code_t rc = feed->each(feed->ctx, survey_launch, &survey, err);
    if (known)
        choose_ratios(s, &survey.samples);
    else
        index_ratio_plain(s->ratio, sampled->plan != NULL ? sampled->sum : nothing);
    s->by_profile = NAN;
    if (sampled->said.method != NULL)
        index_ratio_state_cycles(s->ratio, sampled->said.value);
    else if (sampled->plan != NULL)
        correct_by_profile(s);
    if (rc == RB_OK && sampled->plan != NULL)
        find_cold(s, &survey.cold);
    cold_launches_free(&survey.cold);
    ratio_samples_free(&survey.samples);
    return rc;
}

void intervals_totals(const intervals_t *s, double values[STAT_VALUES])
{
    memcpy(values, s->ratio->plain, STAT_VALUES * sizeof(*values));
    index_ratio_scale(s->ratio, values);
}

bool intervals_in_order(const intervals_t *s)
{
    return s->in_order[VALUE_CYCLES] == s->simulated[VALUE_CYCLES];
}

bool intervals_lack_prefetched(const intervals_t *s)
{
    return s->spec->sm.l1.prefetcher != PREFETCHER_NONE && s->of_plan.plan != NULL &&
           s->in_order[VALUE_WARP_INSTS] < (1 - 1e-9) * s->ratio->plain[VALUE_WARP_INSTS];
}

/* Derivative of a form by the total cycles, which are also the time without warps. */
static double by_cycles(const linear_form_t *f, const double program[STAT_VALUES])
{
    double slots = 0, sum = 0;
    for (size_t v = 0; v < STATE_COUNT; v++)
        slots += program[VALUE_AT(sm.state_no_warp) + v] / program[VALUE_CYCLES];
    for (size_t i = 0; i < f->n; i++) {
        if (f->term[i].value == VALUE_CYCLES)
            sum += f->term[i].coefficient;
        else if (f->term[i].value == VALUE_AT(sm.state_no_warp))
            sum += slots * f->term[i].coefficient;
    }
    return sum;
}

/* Sets the terms of r. The parts are those of the quotient. */
static void set_residual(residual_t *r, const index_ratio_t *ratio, const stat_form_t *f,
                         double numerator, double denominator)
{
    double out[STAT_VALUES] = {0}, program[STAT_VALUES];
    const double scale = 1 / denominator;
    memcpy(program, ratio->plain, sizeof(program));
    index_ratio_scale(ratio, program);
    r->unseen = !index_ratio_residual(ratio, &f->num, scale, out);
    r->quotient = f->den.n > 0;
    r->form = f;
    r->scale = scale;
    r->doubt = DOUBT * fabs(index_ratio_doubt(ratio, &f->num, scale) +
                            index_ratio_doubt(ratio, &f->den, -numerator * scale * scale));
    if (!index_ratio_residual(ratio, &f->den, -numerator * scale * scale, out))
        r->unseen = true;
    for (size_t v = 0; v < STAT_VALUES; v++)
        if (out[v] != 0)
            r->term[r->n++] = (linear_term_t){(uint16_t)v, out[v]};
    /* with_cycles() has all of it. */
    if (r->n != 1 || r->term[0].value != VALUE_CYCLES)
        r->by_cycles = scale * by_cycles(&f->num, program) -
                       numerator * scale * scale * by_cycles(&f->den, program);
}

/* Whether a sample stands for launches that were not simulated. */
static bool stands_for_others(const intervals_t *s, uint64_t sample)
{
    const plan_t *plan = s->of_plan.plan;
    if (plan == NULL)
        return true;
    const plan_cluster_t *c = &plan->clusters[plan->samples[sample].cluster];
    return c->size > c->draws;
}

static void put_sample(const intervals_t *s, residual_t *r, const valued_launch_t *l)
{
    double value = 0, size = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double x = r->term[i].coefficient * l->values[r->term[i].value];
        value += x;
        size += fabs(x);
    }
    r->value[l->seen->sample] = value;
    r->size[l->seen->sample] = size;
    r->seen += size;
    if (stands_for_others(s, l->seen->sample)) {
        const double weight = weight_of(s, l->seen);
        sample_shows(&r->shown, weight * size);
        sample_shows(&r->misses, weight * r->scale * sample_misses(r->form, l->values));
    }
}

/* The statistics [from, to), while the launches are read. */
typedef struct {
    const intervals_t *s;
    residual_t *list;
    size_t from, to;
} reading_t;

static void read_launch(void *to, const seen_launch_t *seen)
{
    const reading_t *r = to;
    const valued_launch_t l = launch_of_plan(r->s, seen);
    for (size_t i = r->from; i < r->to; i++) {
        residual_t *one = &r->list[i];
        if (one->n == 0)
            continue;
        put_sample(r->s, one, &l);
        add_inside(&one->within, &l, one->term, one->n);
    }
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

/* Half-width because launches of a cluster differ, as the index knows, and its samples do not. */
static double untold_error(const intervals_t *s, const residual_t *r)
{
    const plan_t *plan = s->of_plan.plan;
    double squares = 0;
    for (uint64_t i = 0; plan != NULL && i < plan->n_samples;) {
        const uint32_t cluster = plan->samples[i].cluster;
        double size = 0;
        for (; i < plan->n_samples && plan->samples[i].cluster == cluster; i++)
            size += plan->samples[i].weight * r->size[i];
        squares += pow(plan->clusters[cluster].untold * size, 2);
    }
    /* The two terms of a quotient's residual cancel out. */
    return sqrt(squares) * (r->quotient ? 0.5 : 1);
}

static stat_interval_t between(const intervals_t *s, const residual_t *r, double value, double most)
{
    const estimate_input_t in = {.value = r->value, .size = r->size, .within = r->within};
    estimate_t e = s->of_plan.plan != NULL ? estimate_two_stage(s->of_plan.plan, &in, s->confidence)
                                           : estimate_sum(0, &r->within, s->confidence);
    if (strcmp(e.method, "exact") != 0 && r->shown.sum == 0)
        return stat_interval_none(r->seen == 0 ? unseen : stands_for_none);
    if (r->within.unknown)
        return stat_interval_none(not_inside);
    if (e.profile)
        return stat_interval_none(only_times);
    if (s->of_plan.plan != NULL && strcmp(e.method, "exact") != 0 && sample_few_show(&r->shown))
        return stat_interval_none(few_show);
    /* Launches that differ from these would have been needed to show how much they differ. */
    if (strcmp(e.method, "exact") != 0 && e.low == e.high && value == 1 && most == 1)
        return stat_interval_none(all_full);
    return (stat_interval_t){value + (e.low - e.value), value + (e.high - e.value), e.method, NULL};
}

/* Widens the interval of a statistic by what samples do not show. */
static void widen(const intervals_t *s, const residual_t *r, double value, stat_interval_t *i)
{
    double program[STAT_VALUES];
    const bool exact = strcmp(i->method, "exact") == 0;
    if (s->of_plan.plan == NULL || (exact && intervals_in_order(s)))
        return;
    intervals_totals(s, program);
    const double added = s->of_plan.said.unmet / program[VALUE_CYCLES];
    const double prefetch = intervals_lack_prefetched(s)
                                ? state_error_prefetch(r->term, r->n, program, s->in_order)
                                : 0;
    const double state = hypot(state_error(r->term, r->n, program, s->in_order), prefetch);
    const double misses = sample_few_show(&r->misses) ? FEW_ERROR * r->misses.sum : 0;
    const double more = hypot(hypot(state, misses), r->by_cycles * s->cycles_more);
    const double half = exact ? more : hypot(hypot(more, r->doubt), untold_error(s, r));
    if (exact && half > 0)
        i->method = intervals_in_rounds;
    const unmet_error_t unmet = unmet_error(r->term, r->n, program, added);
    i->low = value - hypot(hypot(value - i->low, half), unmet.below);
    i->high = value + hypot(hypot(i->high - value, half), unmet.above);
    if (exact)
        return;
    const unmet_error_t walked = unmet_walked(r->term, r->n, program, &s->walked);
    i->low -= walked.below;
    i->high += walked.above;
}

static stat_interval_t interval_of(const intervals_t *s, size_t i, const residual_t *r,
                                   double value, double total, const estimate_t *cycles)
{
    const stat_form_t *f = &s->stats.form[i];
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
    if (intervals_lack_prefetched(s) && state_error_is_cold(r->term, r->n))
        return stat_interval_none(not_prefetched);
    if (s->of_plan.plan != NULL && (strcmp(of.method, "exact") != 0 || !intervals_in_order(s))) {
        const char *unknown = state_error_unknown(r->term, r->n, s->of_plan.said.unmet > 0);
        if (unknown != NULL)
            return stat_interval_none(unknown);
    }
    widen(s, r, value, &of);
    if (of.low == of.high && strcmp(of.method, "exact") != 0 && state_error_is_cold(r->term, r->n))
        return stat_interval_none(all_alike);
    /* What caches hold or miss may be less in a run of all launches than in those that were simulated. */
    const bool differs = s->of_plan.plan != NULL && strcmp(of.method, "exact") != 0 &&
                         state_error_is_cold(r->term, r->n);
    const double least = f->den.n > 0 || differs ? 0 : form_value(&f->num, s->in_order);
    return stat_interval_possible(of, value, least,
                                  fmin(f->most, index_ratio_most(s->ratio, &f->num)));
}

/* Sets the intervals of statistics that need no launch; true: i is one of them. */
static bool is_simple(intervals_t *s, size_t i, const residual_t *r, double value, const char *why)
{
    if (!intervals_has(s, i) || !isfinite(value))
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

/* What the interval of the cycles has beside the spread of the samples, and launches that none of them met. */
static void find_cycles_more(intervals_t *s, const residual_t *r, const estimate_t *cycles)
{
    const estimate_input_t in = {.value = r->value, .size = r->size, .within = r->within};
    const estimate_t e = estimate_two_stage(s->of_plan.plan, &in, s->confidence);
    const double above = cycles->high - s->walked.cycles - cycles->value;
    const double below = cycles->value - cycles->low;
    const double half = fmax(below, sqrt(fmax(above * above - cycles->unmet * cycles->unmet, 0)));
    const double spread = isfinite(e.low) ? e.value - e.low : 0;
    s->cycles_more = sqrt(fmax(half * half - spread * spread, 0));
}

/* Reads the launches for as many statistics from `from` on as fit into memory; *to: the first one that
 * does not. */
static rb_code_t set_some(intervals_t *s, residual_t *list, size_t from, size_t *to,
                          const stat_part_t *part, double total, const estimate_t *cycles,
                          rb_err_t *err)
{
    const uint64_t samples = s->of_plan.plan != NULL ? s->of_plan.plan->n_samples : 1;
    const size_t fit = WALK_BYTES / (2 * sizeof(double)) / samples + 1, n = s->stats.n;
    *to = from + fit < n ? from + fit : n;
    double *values = rb_calloc(2 * (*to - from) * samples, sizeof(*values));
    for (size_t i = from; i < *to; i++) {
        list[i].value = values + 2 * (i - from) * samples;
        list[i].size = list[i].value + samples;
    }
    reading_t reading = {s, list, from, *to};
    const rb_code_t rc = s->feed.each(s->feed.ctx, read_launch, &reading, err);
    if (rc == RB_OK && from == 0 && s->of_plan.plan != NULL)
        find_cycles_more(s, &list[0], cycles);
    for (size_t i = from; rc == RB_OK && i < *to; i++)
        if (list[i].n > 0)
            s->of[i] = interval_of(s, i, &list[i], part[i].value, total, cycles);
    free(values);
    return rc;
}

rb_code_t intervals_set(intervals_t *s, const stat_part_t *part, double total,
                        const estimate_t *cycles, const char *why, rb_err_t *err)
{
    const size_t n = s->stats.n;
    residual_t *list = rb_calloc(n, sizeof(*list));
    rb_code_t rc = RB_OK;
    s->of = rb_calloc(n, sizeof(*s->of));
    s->confidence = isfinite(cycles->confidence) ? cycles->confidence : 0.95;
    for (size_t i = 0; i < n; i++) {
        set_residual(&list[i], s->ratio, &s->stats.form[i], part[i].numerator, part[i].denominator);
        if (is_simple(s, i, &list[i], part[i].value, why))
            list[i].n = 0;
    }
    for (size_t from = 0, to; rc == RB_OK && why == NULL && from < n; from = to)
        rc = set_some(s, list, from, &to, part, total, cycles, err);
    if (rc == RB_OK)
        stat_interval_parts(&s->stats, s->of);
    free(list);
    return rc;
}

void intervals_free(intervals_t *s)
{
    free(s->stats.form);
    free(s->ratio);
    free(s->of);
    free(s->cycles_residual);
    *s = (intervals_t){0};
}

bool intervals_has(const intervals_t *s, size_t stat)
{
    return s->stats.form[stat].num.n > 0;
}

/* The terms of a form times scale, appended to term. */
static size_t append_terms(linear_term_t *term, size_t n, const linear_form_t *f, double scale)
{
    for (size_t i = 0; i < f->n; i++)
        term[n++] = (linear_term_t){f->term[i].value, scale * f->term[i].coefficient};
    return n;
}

static stat_interval_t of_launch(const intervals_t *s, const stat_form_t *f,
                                 const valued_launch_t *l, double value, double denominator)
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
static stat_interval_t of_cycles(const intervals_t *s, const valued_launch_t *l)
{
    static const stat_form_t form = {.num = {{{VALUE_CYCLES, 1}}, 1}, .most = INFINITY};
    const double cycles = l->values[VALUE_CYCLES];
    stat_interval_t i = of_launch(s, &form, l, cycles, 1);
    i.low = fmax(i.low, fmin(cycles, (double)l->seen->result->sampling.simulated_cycles));
    return i;
}

stat_interval_t intervals_launch_cycles(const intervals_t *s, const seen_launch_t *launch)
{
    const valued_launch_t l = launch_alone(launch);
    return of_cycles(s, &l);
}

void intervals_launch(const intervals_t *s, const seen_launch_t *launch,
                      const stat_part_t *quotient, stat_interval_t *out)
{
    const valued_launch_t l = launch_alone(launch);
    const stat_form_t *form = s->stats.form;
    const size_t first = s->stats.sums;
    out[0] = of_cycles(s, &l);
    for (size_t i = 1; i < first; i++)
        out[i] = of_launch(s, &form[i], &l, form_value(&form[i].num, l.values), 1);
    for (size_t i = first; i < s->stats.n; i++)
        out[i] =
            of_launch(s, &form[i], &l, quotient[i - first].value, quotient[i - first].denominator);
    stat_interval_parts(&s->stats, out);
}
