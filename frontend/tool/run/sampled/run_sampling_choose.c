
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_sampling_parts.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/sample_syntax.h"
#include "sampling/plan/plan_json.h"
#include "sampling/predict/predict.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"
#include "sim/gpu/sampled/known_counts.h"

/* Parses a list, which must have exactly one launch sampler. */
static rb_code_t parse_choice(launch_choice_t *choice, const char *text, rb_err_t *err)
{
    sample_list_t list;
    RB_TRY(sample_list_parse(&list, text, err));
    rb_code_t rc =
        list.n == 1
            ? launch_choice_parse(choice, list.items[0], err)
            : rb_fail(err, RB_USAGE, "%s: several samplers choose launches; only one can", text);
    sample_list_free(&list);
    return rc;
}

/* Checks whether the launches provide the columns that a method needs. */
static rb_code_t check_columns(const sampling_options_t *o, const launch_choice_t *choice,
                               const launch_list_t *from, rb_err_t *err)
{
    const char *missing = launch_missing(choice->method, &from->pop);
    if (missing == NULL)
        return RB_OK;
    if (o->profile != NULL)
        return rb_fail(err, RB_USAGE, "%s: %s needs data that this profile does not have: %s",
                       o->profile, choice->method->name, missing);
    return rb_fail(err, RB_USAGE,
                   "%s needs data that this trace does not have: %s; use --profile FILE "
                   "with a profile of the program that has it",
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

/* Reads the launches of a profile; the index of a native trace may provide missing columns. */
static rb_code_t open_profile(launch_list_t *profile, const sampling_options_t *o,
                              const launch_choice_t *choice, launch_list_t *trace, rb_err_t *err)
{
    if (o->profile == NULL)
        return RB_OK;
    RB_TRY(launch_list_open(profile, o->profile, NULL, err));
    if (choice->method->online == NULL)
        launch_list_take_index(profile, trace);
    return RB_OK;
}

/* Predicts the launches of the trace, all of which it has. tell: say where the equations do not hold. */
static rb_code_t predict_all(launch_list_t *trace, trace_source_t *source, const gpu_spec_t *spec,
                             unsigned level, bool tell, rb_err_t *err)
{
    predictor_t *p = predictor_create(&spec, 1, level);
    rb_code_t rc = RB_OK;
    double all = 0, doubted = 0;
    free(trace->predicted);
    trace->predicted = rb_calloc(trace->pop.n, sizeof(*trace->predicted));
    for (uint64_t i = 0; i < trace->pop.n && rc == RB_OK; i++) {
        predicted_t out = {0};
        rc = predictor_launch(p, source, i + 1, &out, err);
        trace->predicted[i] = out.cycles;
        all += out.cycles;
        doubted += out.doubts != 0 ? out.cycles : 0;
    }
    predictor_destroy(p);
    if (doubted > 0 && tell)
        rb_info(
            "predict: the equations do not hold for launches with %.0f %% of the predicted cycles; "
            "'rubato predict' says which and why",
            100 * doubted / all);
    return rc;
}

/* Level 1 walks each launch, but those that the index cannot tell from others only twice. It is used where these
 * have at most this share of the instructions. */
#define WALKED_SHARE 0.05

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether level 1 costs little: launches with equal predictions of level 0 are taken as equal. */
static bool is_cheap(const launch_list_t *trace)
{
    const population_t *pop = &trace->pop;
    const double *insts = pop->counter[POP_WARP_INSTS];
    double(*row)[2] = rb_calloc(pop->n, sizeof(*row)), walked = 0, all = 0;
    for (uint64_t i = 0; i < pop->n; i++) {
        row[i][0] = trace->predicted[i];
        row[i][1] = insts != NULL ? insts[i] : 1;
    }
    qsort(row, pop->n, sizeof(*row), by_value);
    for (uint64_t i = 0; i < pop->n; i++) {
        all += row[i][1];
        walked += i < 2 || row[i][0] > row[i - 2][0] ? row[i][1] : 0;
    }
    free(row);
    return walked <= WALKED_SHARE * all;
}

/* Predicts for a sampler to which it is an auxiliary variable. */
static rb_code_t predict_cheaply(launch_list_t *trace, trace_source_t *source,
                                 const gpu_spec_t *spec, rb_err_t *err)
{
    RB_TRY(predict_all(trace, source, spec, 0, false, err));
    return is_cheap(trace) ? predict_all(trace, source, spec, 1, false, err) : RB_OK;
}

/* Chooses with a sampler; may take ownership of trace. */
static rb_code_t choose(run_sampling_t *s, const sampling_options_t *o, launch_list_t *trace,
                        trace_source_t *source, rb_err_t *err)
{
    launch_choice_t choice;
    launch_list_t profile = {0};
    plan_t plan = {0};
    RB_TRY(parse_choice(&choice, o->sample, err));
    rb_code_t rc = open_profile(&profile, o, &choice, trace, err);
    if (rc == RB_OK && choice.method->online != NULL && o->spec != NULL)
        rc = launch_reach(&trace->pop, o->spec, source, &trace->extra, err);
    trace->pop.extra = trace->extra;
    if (o->spec != NULL)
        trace->pop.chip_warps = profile.pop.chip_warps =
            (uint64_t)o->spec->sm.sm.count * o->spec->sm.sm.max_warps;
    if (rc == RB_OK && choice.method->needs & LAUNCH_NEEDS_PREDICTION && o->spec != NULL)
        rc = predict_all(trace, source, o->spec, launch_predict_level(&choice), true, err);
    else if (rc == RB_OK && choice.method->needs & LAUNCH_USES_PREDICTION && o->spec != NULL &&
             source->ops->launch_counts != NULL)
        rc = predict_cheaply(trace, source, o->spec, err);
    trace->pop.predicted = trace->predicted;
    trace->pop.launch_latency = o->spec != NULL ? o->spec->gpu.launch_latency : 0;
    if (rc == RB_OK && choice.method->online != NULL) {
        rc = run_sampling_begin_online(s, o->seed, &choice, trace, err);
    } else if (rc == RB_OK) {
        rc = make_plan(&plan, o, &choice, o->profile != NULL ? &profile : trace, err);
        if (rc == RB_OK)
            rc = run_sampling_begin(s, &plan, trace, err);
        if (rc == RB_OK) {
            free(s->sampler);
            s->sampler = rb_strdup(choice.method->name);
        }
    }
    launch_list_free(&profile);
    launch_choice_free(&choice);
    return rc;
}

/* The plan in a native trace file as text; NULL: none. */
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

/* Whether a trace has weights: for how many launches of its program each launch stands. */
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

/* A plan with these weights, for launches chosen in an unknown way. */
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
        plan->samples[i] = (plan_sample_t){.launch = launch_list_id(trace, i),
                                           .weight = weight,
                                           .cluster = (uint32_t)i,
                                           .draws = 1};
        total += weight;
    }
    plan->n_launches = whole(total);
}

/* The place of that plan, for messages. */
static const char *own_name(const trace_source_t *source)
{
    return plan_in_trace(source) != NULL ? rbt_source_file(source)->path : "the trace's weights";
}

/* Reads the plan that a trace contains. */
static rb_code_t own_plan(plan_t *plan, const trace_source_t *source, const launch_list_t *trace,
                          rb_err_t *err)
{
    if (plan_in_trace(source) != NULL)
        return read_plan_in_trace(plan, source, err);
    plan_of_weights(plan, source, trace);
    return RB_OK;
}

/* Begins with a plan; origin is its name in messages. */
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

/* Sums the index over the whole program, if the trace has all launches. */
static rb_code_t count_program(run_sampling_t *s, trace_source_t *source, rb_err_t *err)
{
    const uint64_t n = source->ops->n_launches(source);
    const uint64_t all = run_sampling_is_online(s) ? s->trace.pop.n : s->plan.n_launches;
    if (source->ops->launch_counts == NULL || n != all || has_weights(source))
        return RB_OK;
    for (uint64_t i = 1; i <= n; i++) {
        launch_counts_t of;
        RB_TRY(source->ops->launch_counts(source, i, &of, err));
        known_counts_add(&s->counts, &of);
        const memcpy_op_t *ops;
        for (size_t k = source->ops->copies(source, i, &ops); k > 0; k--)
            s->copied_bytes += ops[k - 1].bytes;
    }
    s->has_counts = true;
    return RB_OK;
}

rb_code_t run_sampling_prepare(run_sampling_t *s, const sampling_options_t *o,
                               trace_source_t *source, rb_err_t *err)
{
    launch_list_t trace;
    plan_t plan = {0};
    bool own = o->plan == NULL && o->sample == NULL && o->base == NULL;
    if (own && (o->selected || (plan_in_trace(source) == NULL && !has_weights(source))))
        return RB_OK;
    rb_code_t rc = o->sample != NULL ? launch_list_of_trace(&trace, source, err)
                                     : launch_list_of_launches(&trace, source, err);
    if (rc == RB_OK && o->base != NULL) {
        rc = run_sampling_from_base(s, o->base, o->change_bound, &trace, err);
    } else if (rc == RB_OK && o->sample != NULL) {
        rc = choose(s, o, &trace, source, err);
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
        rc = check_columns(o, &choice,
                           o->profile != NULL && choice.method->online == NULL ? &profile : &trace,
                           err);
    launch_list_free(&profile);
    launch_list_free(&trace);
    launch_choice_free(&choice);
    return rc;
}
