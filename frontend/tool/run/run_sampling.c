#include "frontend/tool/run/run_sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/kernel_name.h"
#include "frontend/tool/run/plan_file.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/plan_json.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"
#include "sim/gpu/known_counts.h"

/* A launch that was simulated. */
struct known_launch {
    uint64_t id;
    double cycles;
};

static int by_id(const void *a, const void *b)
{
    const chosen_t *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void collect(run_sampling_t *s)
{
    const plan_t *p = &s->plan;
    s->n_chosen = p->n_samples;
    s->chosen = rb_calloc(p->n_samples, sizeof(*s->chosen));
    for (uint64_t i = 0; i < p->n_samples; i++)
        s->chosen[i] = (chosen_t){p->samples[i].launch, i};
    qsort(s->chosen, s->n_chosen, sizeof(*s->chosen), by_id);
}

/*
 * Clusters of several kernels ("all launches", "cluster 3") and those of files without names
 * ("launch") are not named after a kernel. A kernel's name has blanks only in its full signature.
 */
static bool names_a_kernel(const char *cluster)
{
    bool words = strchr(cluster, ' ') != NULL && strpbrk(cluster, "(<") == NULL;
    return !words && strcmp(cluster, "launch") != 0;
}

static rb_code_t check_launch(const run_sampling_t *s, const chosen_t *c,
                              const launch_list_t *trace, uint64_t row, rb_err_t *err)
{
    const plan_t *p = &s->plan;
    if (trace->pop.n == 0)
        return rb_fail(err, RB_TRACE,
                       "the plan simulates launch %llu, and the trace holds no launch at all",
                       (unsigned long long)c->id);
    if (row == trace->pop.n || launch_list_id(trace, row) != c->id)
        return rb_fail(err, RB_TRACE,
                       "the plan simulates launch %llu, which the trace does not hold (it has %llu "
                       "launches, the last is %llu; the plan is for %llu)",
                       (unsigned long long)c->id, (unsigned long long)trace->pop.n,
                       (unsigned long long)launch_list_id(trace, trace->pop.n - 1),
                       (unsigned long long)p->n_launches);
    const char *planned = p->names[p->clusters[p->samples[c->sample].cluster].name];
    const char *found = launch_list_name(trace, row);
    if (names_a_kernel(planned) && kernel_names_differ(planned, found))
        return rb_fail(
            err, RB_TRACE,
            "launch %llu is of kernel '%.300s' in the plan and '%.300s' in the trace: the "
            "plan is for another program",
            (unsigned long long)c->id, planned, found);
    return RB_OK;
}

static rb_code_t check(run_sampling_t *s, const launch_list_t *trace, rb_err_t *err)
{
    uint64_t row = 0;
    s->positions = rb_calloc(s->n_chosen, sizeof(*s->positions));
    for (uint64_t i = 0; i < s->n_chosen; i++) {
        while (row < trace->pop.n && launch_list_id(trace, row) < s->chosen[i].id)
            row++;
        RB_TRY(check_launch(s, &s->chosen[i], trace, row, err));
        s->positions[i] = row + 1;
    }
    if (s->plan.n_launches < trace->pop.n)
        rb_warn("the plan is for %llu launches, the trace holds %llu; totals are those of the plan",
                (unsigned long long)s->plan.n_launches, (unsigned long long)trace->pop.n);
    return RB_OK;
}

/* The plan is there, no result is. */
static void await_results(run_sampling_t *s)
{
    free(s->sampler);
    s->sampler = rb_strdup(s->plan.method);
    s->sampler[strcspn(s->sampler, ":")] = '\0';
    s->cycles = rb_calloc(s->plan.n_samples, sizeof(*s->cycles));
    for (uint64_t i = 0; i < s->plan.n_samples; i++)
        s->cycles[i] = NAN;
}

rb_code_t run_sampling_begin(run_sampling_t *s, plan_t *plan, const launch_list_t *trace,
                             rb_err_t *err)
{
    *s = (run_sampling_t){.on = true, .plan = *plan};
    *plan = (plan_t){0};
    collect(s);
    rb_code_t rc = check(s, trace, err);
    if (rc != RB_OK) {
        run_sampling_free(s);
        return rc;
    }
    await_results(s);
    return RB_OK;
}

void run_sampling_free(run_sampling_t *s)
{
    if (s->on)
        plan_free(&s->plan);
    if (s->online != NULL)
        stem_online_free(s->online);
    launch_choice_free(&s->choice);
    launch_list_free(&s->trace);
    free(s->known);
    free(s->sampler);
    free(s->chosen);
    free(s->positions);
    free(s->cycles);
    *s = (run_sampling_t){0};
}

const chosen_t *run_sampling_find(const run_sampling_t *s, uint64_t id)
{
    const chosen_t key = {.id = id};
    if (!s->on)
        return NULL;
    return bsearch(&key, s->chosen, s->n_chosen, sizeof(*s->chosen), by_id);
}

static void add_counters(double *sum, const uint64_t *part, size_t n, double weight)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += weight * (double)part[i];
}

void run_sampling_add(run_sampling_t *s, const launch_result_t *r)
{
    if (s->online != NULL) {
        rb_grow(&s->known, &s->cap_known, s->n_known + 1, sizeof(*s->known));
        s->known[s->n_known++] = (struct known_launch){r->info.id, (double)launch_result_cycles(r)};
        return;
    }
    const chosen_t *c = run_sampling_find(s, r->info.id);
    weighted_totals_t *t = &s->sum;
    if (c == NULL)
        return;
    const double weight = s->plan.samples[c->sample].weight;
    s->cycles[c->sample] = (double)launch_result_cycles(r);
    s->n_done++;
    t->blocks += weight * (double)r->blocks;
    t->warp_insts += weight * (double)r->warp_insts;
    t->thread_insts += weight * (double)r->thread_insts;
    t->launch_cycles += weight * (double)r->launch_cycles;
    t->warp_slot_cycles += weight * (double)r->warp_slot_cycles;
    t->copied_bytes += weight * (double)r->copied_bytes;
    t->cycles += weight * (double)launch_result_cycles(r);
    add_counters(t->sm, (const uint64_t *)&r->sm, SM_STAT_COUNT, weight);
    add_counters(t->l2, (const uint64_t *)&r->l2, L2_STAT_COUNT, weight);
    add_counters(t->dram, (const uint64_t *)&r->dram, DRAM_STAT_COUNT, weight);
}

static uint64_t whole(double v)
{
    return v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

static void round_counters(uint64_t *out, const double *sum, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = whole(sum[i]);
}

bool run_sampling_totals(const run_sampling_t *s, run_totals_t *totals, estimate_t *cycles)
{
    const weighted_totals_t *t = &s->sum;
    if (!s->on || s->online != NULL || s->n_done < s->n_chosen)
        return false;
    *totals = (run_totals_t){.launches = s->plan.n_launches,
                             .blocks = whole(t->blocks),
                             .warp_insts = whole(t->warp_insts),
                             .thread_insts = whole(t->thread_insts),
                             .launch_cycles = whole(t->launch_cycles),
                             .warp_slot_cycles = whole(t->warp_slot_cycles),
                             .copied_bytes = whole(t->copied_bytes),
                             .cycles = whole(t->cycles)};
    round_counters((uint64_t *)&totals->sm, t->sm, SM_STAT_COUNT);
    round_counters((uint64_t *)&totals->l2, t->l2, L2_STAT_COUNT);
    round_counters((uint64_t *)&totals->dram, t->dram, DRAM_STAT_COUNT);
    if (s->estimate.method != NULL) {
        *cycles = s->estimate;
        return true;
    }
    double confidence = isfinite(s->plan.confidence) ? s->plan.confidence : 0.95;
    *cycles = estimate_total(&s->plan, s->cycles, confidence);
    return true;
}

uint64_t run_sampling_fingerprint(const run_sampling_t *s)
{
    uint64_t h = 0;
    if (s->online != NULL) {
        h = journal_checksum(s->plan.seed, s->plan.method, strlen(s->plan.method));
        return h;
    }
    for (uint64_t i = 0; i < s->n_chosen; i++) {
        h = journal_checksum(h, &s->chosen[i].id, sizeof(s->chosen[i].id));
        const plan_sample_t *sample = &s->plan.samples[s->chosen[i].sample];
        h = journal_checksum(h, &sample->weight, sizeof(sample->weight));
    }
    return h;
}

/* The sampler has seen enough: from now on the run is one of a plan. */
static void settle(run_sampling_t *s)
{
    unsigned rounds = stem_online_rounds(s->online);
    if (!stem_online_met(s->online))
        rb_warn("%s: the error bound is not met after %u rounds", s->sampler, rounds);
    const unsigned strata = stem_online_strata(s->online);
    rb_info("%s: %u round%s, %u strat%s", s->sampler, rounds, rounds == 1 ? "" : "s", strata,
            strata == 1 ? "um" : "a");
    s->estimate = stem_online_estimate(s->online);
    plan_free(&s->plan);
    stem_online_plan(s->online, &s->plan);
    stem_online_free(s->online);
    s->online = NULL;
    free(s->chosen);
    collect(s);
    await_results(s);
}

/* Gives the sampler the results of its round that are known. */
static void feed(run_sampling_t *s)
{
    for (; s->at_round < s->n_round && s->n_fed < s->n_known; s->at_round++, s->n_fed++) {
        const struct known_launch *k = &s->known[s->n_fed];
        RB_INVARIANT(k->id == s->round[s->at_round], "launch %llu was simulated, %llu was chosen",
                     (unsigned long long)k->id, (unsigned long long)s->round[s->at_round]);
        stem_online_result(s->online, s->at_round, k->cycles);
    }
}

void run_sampling_round(run_sampling_t *s, const uint64_t **positions, size_t *n)
{
    *n = 0;
    if (s->online == NULL)
        return;
    for (feed(s); s->at_round == s->n_round; feed(s)) {
        s->n_round = stem_online_round(s->online, &s->round);
        s->at_round = 0;
        if (s->n_round == 0) {
            settle(s);
            return;
        }
    }
    *n = s->n_round - s->at_round;
    s->positions = rb_realloc(s->positions, *n, sizeof(*s->positions));
    for (size_t i = 0; i < *n; i++)
        s->positions[i] = launch_list_row(&s->trace, s->round[s->at_round + i]) + 1;
    *positions = s->positions;
}

/* The one launch sampler of a list. */
static rb_code_t parse_choice(launch_choice_t *choice, const char *text, rb_err_t *err)
{
    sample_list_t list;
    RB_TRY(sample_list_parse(&list, text, err));
    rb_code_t rc = list.n == 1 ? launch_choice_parse(choice, list.items[0], err)
                               : rb_fail(err, RB_USAGE,
                                         "%s: each of these chooses launches; only one can", text);
    sample_list_free(&list);
    return rc;
}

/* Whether a method finds what it needs in the launches that it chooses from. */
static rb_code_t check_columns(const sampling_options_t *o, const launch_choice_t *choice,
                               const launch_list_t *from, rb_err_t *err)
{
    const char *missing = launch_missing(choice->method, &from->pop);
    if (missing == NULL)
        return RB_OK;
    if (o->profile != NULL)
        return rb_fail(err, RB_USAGE, "%s: %s needs what this profile does not have: %s",
                       o->profile, choice->method->name, missing);
    return rb_fail(err, RB_USAGE,
                   "%s needs what this trace does not tell: %s; --profile FILE gives a profile of "
                   "the program that has it",
                   choice->method->name, missing);
}

static rb_code_t make_plan(plan_t *plan, const sampling_options_t *o, const launch_choice_t *choice,
                           const launch_list_t *from, rb_err_t *err)
{
    RB_TRY(check_columns(o, choice, from, err));
    RB_TRY(launch_plan(choice, &from->pop, o->seed, plan, err));
    for (size_t i = 0; i < plan->n_warnings; i++)
        rb_warn("%s", plan->warnings[i]);
    return RB_OK;
}

rb_code_t run_sampling_begin_online(run_sampling_t *s, uint64_t seed, launch_choice_t *choice,
                                    launch_list_t *trace, rb_err_t *err)
{
    *s = (run_sampling_t){.on = true, .choice = *choice, .trace = *trace};
    *choice = (launch_choice_t){0};
    *trace = (launch_list_t){0};
    s->plan = (plan_t){.method = launch_choice_text(&s->choice),
                       .seed = seed,
                       .error_bound = NAN,
                       .confidence = NAN};
    s->sampler = rb_strdup(s->choice.method->name);
    s->online = stem_online_create(s->choice.options, &s->trace.pop, seed, err);
    if (s->online != NULL)
        return RB_OK;
    rb_code_t rc = err->code;
    run_sampling_free(s);
    return rc;
}

/*
 * The launches of a profile; what it does not tell, the index of a native trace of the program may.
 */
static rb_code_t open_profile(launch_list_t *profile, const sampling_options_t *o,
                              const launch_choice_t *choice, launch_list_t *trace, rb_err_t *err)
{
    if (o->profile == NULL)
        return RB_OK;
    RB_TRY(launch_list_open(profile, o->profile, NULL, err));
    if (!choice->method->online)
        launch_list_take_index(profile, trace);
    return RB_OK;
}

/* Chooses by a sampler; trace may be taken. */
static rb_code_t choose(run_sampling_t *s, const sampling_options_t *o, launch_list_t *trace,
                        rb_err_t *err)
{
    launch_choice_t choice;
    launch_list_t profile = {0};
    plan_t plan = {0};
    RB_TRY(parse_choice(&choice, o->sample, err));
    rb_code_t rc = open_profile(&profile, o, &choice, trace, err);
    if (rc == RB_OK && choice.method->online) {
        rc = run_sampling_begin_online(s, o->seed, &choice, trace, err);
    } else if (rc == RB_OK) {
        rc = make_plan(&plan, o, &choice, o->profile != NULL ? &profile : trace, err);
        if (rc == RB_OK)
            rc = run_sampling_begin(s, &plan, trace, err);
    }
    launch_list_free(&profile);
    launch_choice_free(&choice);
    return rc;
}

/* The plan in a native trace file, as text; NULL: none. */
static char *plan_in_trace(const trace_source_t *source)
{
    char *text = rbt_is_source(source) ? rbt_source_file(source)->plan : NULL;
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static rb_code_t read_plan_in_trace(plan_t *plan, const trace_source_t *source, rb_err_t *err)
{
    char *text = plan_in_trace(source), name[512];
    FILE *in = fmemopen(text, strlen(text), "r");
    if (in == NULL)
        return rb_fail(err, RB_NOMEM, "no memory for the plan of a trace");
    snprintf(name, sizeof(name), "%.400s: the plan in it", rbt_source_file(source)->path);
    rb_code_t rc = plan_read_json(plan, in, name, err);
    fclose(in);
    return rc;
}

/* Whether a trace says for how many launches of its program its launches stand. */
static bool has_weights(const trace_source_t *source)
{
    if (source->ops->weight == NULL)
        return false;
    for (uint64_t i = 1; i <= source->ops->n_launches(source); i++) {
        if (source->ops->weight(source, i) != 1.0)
            return true;
    }
    return false;
}

/* A plan of these weights: how the launches were chosen is not known. */
static void plan_of_weights(plan_t *plan, const trace_source_t *source, const launch_list_t *trace)
{
    const population_t *pop = &trace->pop;
    double total = 0.0;
    *plan = (plan_t){.method = rb_strdup("weights"),
                     .n_names = pop->n_names,
                     .n_clusters = (uint32_t)pop->n,
                     .n_samples = pop->n,
                     .profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = NAN};
    plan->names = rb_calloc(pop->n_names, sizeof(*plan->names));
    for (uint32_t i = 0; i < pop->n_names; i++)
        plan->names[i] = rb_strdup(pop->names[i]);
    plan->clusters = rb_calloc(pop->n, sizeof(*plan->clusters));
    plan->samples = rb_calloc(pop->n, sizeof(*plan->samples));
    for (uint64_t i = 0; i < pop->n; i++) {
        double weight = source->ops->weight(source, i + 1);
        plan->clusters[i] = (plan_cluster_t){
            .name = pop->name[i], .size = whole(weight), .draws = 1, .mean = NAN, .sd = NAN};
        plan->samples[i] = (plan_sample_t){launch_list_id(trace, i), weight, (uint32_t)i, 1};
        total += weight;
    }
    plan->n_launches = whole(total);
}

/* Where that plan is, for messages. */
static const char *own_name(const trace_source_t *source)
{
    return plan_in_trace(source) != NULL ? rbt_source_file(source)->path : "the trace's weights";
}

/* The plan that a trace has with it. */
static rb_code_t own_plan(plan_t *plan, const trace_source_t *source, const launch_list_t *trace,
                          rb_err_t *err)
{
    if (plan_in_trace(source) != NULL)
        return read_plan_in_trace(plan, source, err);
    plan_of_weights(plan, source, trace);
    return RB_OK;
}

/* Begins with a plan from origin, which messages name. */
static rb_code_t begin_with(run_sampling_t *s, plan_t *plan, const char *origin,
                            const launch_list_t *trace, rb_err_t *err)
{
    rb_err_t why = {0};
    if (run_sampling_begin(s, plan, trace, &why) == RB_OK)
        return RB_OK;
    return rb_fail(err, why.code, "%s: %.600s", origin, why.text);
}

rb_code_t run_sampling_check_plan(plan_t *plan, const char *origin, trace_source_t *source,
                                  rb_err_t *err)
{
    run_sampling_t s = {0};
    launch_list_t trace;
    rb_code_t rc = launch_list_of_trace(&trace, source, err);
    if (rc == RB_OK)
        rc = begin_with(&s, plan, origin, &trace, err);
    else
        plan_free(plan);
    launch_list_free(&trace);
    if (rc == RB_OK) {
        *plan = s.plan;
        s.plan = (plan_t){0};
    }
    run_sampling_free(&s);
    return rc;
}

/* What the index tells of the whole program, if the trace has all of it. */
static rb_code_t count_program(run_sampling_t *s, trace_source_t *source, rb_err_t *err)
{
    const uint64_t n = source->ops->n_launches(source);
    const uint64_t all = s->online != NULL ? s->trace.pop.n : s->plan.n_launches;
    if (source->ops->launch_counts == NULL || n != all || has_weights(source))
        return RB_OK;
    for (uint64_t i = 1; i <= n; i++) {
        launch_counts_t of;
        RB_TRY(source->ops->launch_counts(source, i, &of, err));
        known_counts_add(&s->counts, &of);
    }
    s->has_counts = true;
    return RB_OK;
}

rb_code_t run_sampling_prepare(run_sampling_t *s, const sampling_options_t *o,
                               trace_source_t *source, rb_err_t *err)
{
    launch_list_t trace;
    plan_t plan = {0};
    bool own = o->plan == NULL && o->sample == NULL;
    if (own && (o->selected || (plan_in_trace(source) == NULL && !has_weights(source))))
        return RB_OK;
    rb_code_t rc = launch_list_of_trace(&trace, source, err);
    if (rc == RB_OK && o->sample != NULL) {
        rc = choose(s, o, &trace, err);
    } else if (rc == RB_OK) {
        rc = own ? own_plan(&plan, source, &trace, err) : plan_file_read(&plan, o->plan, err);
        if (rc == RB_OK)
            rc = begin_with(s, &plan, own ? own_name(source) : o->plan, &trace, err);
    }
    if (rc == RB_OK)
        rc = count_program(s, source, err);
    launch_list_free(&trace);
    return rc;
}

rb_code_t run_sampling_check(const sampling_options_t *o, trace_source_t *source, rb_err_t *err)
{
    launch_choice_t choice = {0};
    launch_list_t trace = {0}, profile = {0};
    if (o->sample == NULL) {
        run_sampling_t s = {0};
        rb_code_t rc = run_sampling_prepare(&s, o, source, err);
        run_sampling_free(&s);
        return rc;
    }
    RB_TRY(parse_choice(&choice, o->sample, err));
    rb_code_t rc = launch_list_of_trace(&trace, source, err);
    if (rc == RB_OK)
        rc = open_profile(&profile, o, &choice, &trace, err);
    if (rc == RB_OK)
        rc = check_columns(o, &choice, o->profile != NULL ? &profile : &trace, err);
    launch_list_free(&profile);
    launch_list_free(&trace);
    launch_choice_free(&choice);
    return rc;
}
