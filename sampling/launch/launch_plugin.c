#include "sampling/launch/launch_plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_online.h"
#include "sampling/plan/plan_build.h"
#include "sampling/plan/plan_check.h"
#include "sampling/plan/plan_reading.h"
#include "sampling/plugin/plugin.h"
#include "sim/core/alloc.h"

_Static_assert((int)RUBATO_COUNTERS == (int)POP_COUNTERS &&
                   (int)RUBATO_BLOCK_COV == (int)POP_BLOCK_COV &&
                   (int)RUBATO_LOCAL_LD_INSTS == (int)POP_LOCAL_LD_INSTS,
               "rubato_sampler.h and population.h have the same counters");
_Static_assert(RUBATO_NEEDS_TIME == LAUNCH_NEEDS_TIME &&
                   RUBATO_NEEDS_WARP_INSTS == LAUNCH_NEEDS_WARP_INSTS &&
                   RUBATO_NEEDS_COUNTERS == LAUNCH_NEEDS_COUNTERS &&
                   RUBATO_NEEDS_BBV == LAUNCH_NEEDS_BBV && RUBATO_NEEDS_GRID == LAUNCH_NEEDS_GRID,
               "rubato_sampler.h and launch_sampler.h have the same needs");

/* A method of a plugin. The method is the first member, so a pointer to it is a pointer to both. */
typedef struct {
    launch_method_t method;
    plugin_t *plugin;
} launch_plugin_t;

/* A sampler in use. */
typedef struct {
    const launch_plugin_t *of;
    const population_t *pop;
    char *text; /* owned: the sampler with its options */
    rubato_value_t *values;
    rubato_launches_t launches;
    rubato_task_t task;
    void *state;

    /* Only with round(): */
    double *cycles;      /* of each row; NAN: not simulated yet */
    unsigned char *next; /* per row: whether it is in this round */
    uint32_t *rows;      /* the same as a list */
    uint64_t *ids;
    uint64_t n_round, n_known;
    unsigned rounds;
    bool met;
    rb_err_t trouble; /* error of restart(), which cannot return one */
} session_t;

static const rubato_launch_sampler_t *hooks(const session_t *s)
{
    return s->of->plugin->sampler->launch;
}

static rb_code_t failed(const session_t *s, const char *hook, const char *why, rb_err_t *err)
{
    return plugin_failed(s->of->plugin, hook, why, err);
}

static void show_launches(rubato_launches_t *l, const population_t *pop)
{
    *l = (rubato_launches_t){.n = pop->n,
                             .id = pop->id,
                             .kernel = pop->name,
                             .kernels = pop->names,
                             .n_kernels = pop->name == NULL ? 0 : pop->n_names,
                             .time = pop->time,
                             .time_is_cycles = pop->time_is_cycles,
                             .grid = pop->grid,
                             .block = pop->block,
                             .bbv_of = pop->bbv_of,
                             .n_bbvs = pop->n_bbvs,
                             .bbv_begin = pop->bbv_begin,
                             .bbv_block = pop->bbv_block,
                             .bbv_count = pop->bbv_count,
                             .mix_of = pop->mix_of,
                             .n_mixes = pop->n_mixes,
                             .mix_begin = pop->mix_begin,
                             .mix_bbv = pop->mix_bbv,
                             .mix_warps = pop->mix_warps};
    memcpy(l->counter, pop->counter, sizeof(l->counter));
}

static rb_code_t create_state(session_t *s, rb_err_t *err)
{
    char why[RUBATO_WHY_MAX] = "";
    if (hooks(s)->create != NULL && hooks(s)->create(&s->task, &s->state, why) != 0)
        return failed(s, "create", why, err);
    return RB_OK;
}

static void destroy_state(session_t *s)
{
    if (hooks(s)->destroy != NULL && s->state != NULL)
        hooks(s)->destroy(s->state);
    s->state = NULL;
}

static void end_session(session_t *s)
{
    destroy_state(s);
    free(s->values);
    free(s->text);
    free(s->cycles);
    free(s->next);
    free(s->rows);
    free(s->ids);
    *s = (session_t){0};
}

static rb_code_t begin_session(session_t *s, const launch_method_t *method, const void *options,
                               const population_t *pop, uint64_t seed, rb_err_t *err)
{
    const launch_choice_t choice = {method, (void *)options};
    *s = (session_t){.of = (const launch_plugin_t *)method, .pop = pop};
    s->text = launch_choice_text(&choice);
    s->values = plugin_values(s->of->plugin, options);
    show_launches(&s->launches, pop);
    s->task = (rubato_task_t){&s->launches, s->values, seed};
    rb_code_t rc = create_state(s, err);
    if (rc != RB_OK)
        end_session(s);
    return rc;
}

/* A group of launches. */
typedef struct {
    uint64_t size, draws;
    uint32_t cluster;
    uint32_t name;
    bool mixed; /* has launches of several kernels */
} group_t;

static unsigned long long id_of(const population_t *pop, uint64_t row)
{
    return pop->id == NULL ? row + 1 : pop->id[row];
}

static rb_code_t bad_row(const session_t *s, uint64_t row, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE, "%s: weigh(): launch %llu: %s", s->of->plugin->name,
                   id_of(s->pop, row), what);
}

/* Counts launches and draws of the groups, and checks every row. */
static rb_code_t count_groups(const session_t *s, const rubato_choice_t *c, group_t *groups,
                              rb_err_t *err)
{
    uint64_t draws = 0;
    for (uint64_t row = 0; row < s->pop->n; row++) {
        const double w = c->weight[row];
        if (c->group[row] >= s->pop->n)
            return bad_row(s, row, "its group number is not below the number of launches", err);
        if (w != 0 && !plan_weight_valid(w))
            return bad_row(s, row, "its weight is not greater than 0 and at most 1e12", err);
        if (s->cycles != NULL && (w != 0) != !isnan(s->cycles[row]))
            return bad_row(s, row,
                           w != 0 ? "it has a weight but was not simulated"
                                  : "it was simulated but has no weight",
                           err);
        group_t *g = &groups[c->group[row]];
        const uint32_t name = s->pop->name == NULL ? 0 : s->pop->name[row];
        g->mixed = g->mixed || (g->size > 0 && name != g->name);
        g->name = name;
        g->size++;
        g->draws += w != 0;
        draws += w != 0;
    }
    if (draws == 0)
        return rb_fail(err, RB_USAGE,
                       "%s: weigh(): no launch has a weight, so none would be simulated",
                       s->of->plugin->name);
    return RB_OK;
}

/* Checks the weights of random draws, on which the confidence interval relies. */
static rb_code_t check_random(const session_t *s, const rubato_choice_t *c, const group_t *groups,
                              rb_err_t *err)
{
    for (uint64_t row = 0; row < s->pop->n; row++) {
        const group_t *g = &groups[c->group[row]];
        const double want = (double)g->size / (double)g->draws;
        if (c->weight[row] != 0 && fabs(c->weight[row] / want - 1) > 1e-9)
            return bad_row(s, row,
                           "it was drawn at random, so its weight must be the size of its group "
                           "divided by the "
                           "draws of the group",
                           err);
    }
    return RB_OK;
}

static uint32_t add_group(plan_build_t *b, const group_t *g, uint64_t number)
{
    char name[40];
    if (!g->mixed)
        return build_cluster(b, g->name, g->size, NAN, NAN);
    snprintf(name, sizeof(name), "group %llu", (unsigned long long)number);
    return build_cluster_named(b, name, g->size);
}

static void fill_plan(const rubato_choice_t *c, group_t *groups, plan_build_t *b)
{
    b->plan->random = c->random != 0;
    for (uint64_t i = 0; i < b->pop->n; i++) {
        if (groups[i].size > 0)
            groups[i].cluster = add_group(b, &groups[i], i);
    }
    for (uint64_t row = 0; row < b->pop->n; row++) {
        const uint32_t cluster = groups[c->group[row]].cluster;
        b->cluster_of[row] = cluster;
        if (c->weight[row] != 0)
            build_sample(b, cluster, (uint32_t)row, c->weight[row], 1);
    }
    build_spreads(b);
}

/* Lets the sampler set the weights. */
static rb_code_t weigh(session_t *s, plan_build_t *b, rb_err_t *err)
{
    const uint64_t n = s->pop->n;
    char why[RUBATO_WHY_MAX] = "";
    rubato_choice_t c = {.group = rb_calloc(n, sizeof(*c.group)),
                         .weight = rb_calloc(n, sizeof(*c.weight))};
    group_t *groups = rb_calloc(n, sizeof(*groups));
    rb_code_t rc = RB_OK;
    if (hooks(s)->weigh(&s->task, s->state, s->cycles, &c, why) != 0)
        rc = failed(s, "weigh", why, err);
    if (rc == RB_OK)
        rc = count_groups(s, &c, groups, err);
    if (rc == RB_OK && c.random)
        rc = check_random(s, &c, groups, err);
    if (rc == RB_OK)
        fill_plan(&c, groups, b);
    free(c.group);
    free(c.weight);
    free(groups);
    return rc;
}

static rb_code_t plan_by_plugin(const void *options, plan_build_t *b, rb_err_t *err)
{
    session_t s;
    RB_TRY(begin_session(&s, b->method, options, b->pop, b->seed, err));
    rb_code_t rc = weigh(&s, b, err);
    end_session(&s);
    return rc;
}

/* Rounds of samplers that choose during the run. */

static void no_results(session_t *s)
{
    for (uint64_t i = 0; i < s->pop->n; i++)
        s->cycles[i] = NAN;
    s->n_round = s->n_known = 0;
    s->rounds = 0;
}

static void *create_rounds(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                           rb_err_t *err)
{
    if (population_check(pop, err) != RB_OK)
        return NULL;
    session_t *s = rb_calloc(1, sizeof(*s));
    if (begin_session(s, choice->method, choice->options, pop, seed, err) != RB_OK) {
        free(s);
        return NULL;
    }
    s->cycles = rb_calloc(pop->n, sizeof(*s->cycles));
    s->next = rb_calloc(pop->n, 1);
    s->rows = rb_calloc(pop->n, sizeof(*s->rows));
    s->ids = rb_calloc(pop->n, sizeof(*s->ids));
    no_results(s);
    return s;
}

static void destroy_rounds(void *state)
{
    end_session(state);
    free(state);
}

static void restart_rounds(void *state, uint64_t seed)
{
    session_t *s = state;
    destroy_state(s);
    s->task.seed = seed;
    s->trouble = (rb_err_t){0};
    no_results(s);
    if (create_state(s, &s->trouble) != RB_OK)
        s->state = NULL; /* the next round reports it */
}

static rb_code_t ask_round(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err)
{
    session_t *s = state;
    char why[RUBATO_WHY_MAX] = "";
    if (s->trouble.code != RB_OK)
        return rb_fail(err, s->trouble.code, "%s", s->trouble.text);
    RB_INVARIANT(s->n_known == s->n_round, "a round of %s lacks results", s->of->plugin->name);
    memset(s->next, 0, s->pop->n);
    if (hooks(s)->round(&s->task, s->state, s->cycles, s->next, why) != 0)
        return failed(s, "round", why, err);
    s->n_round = s->n_known = 0;
    for (uint64_t row = 0; row < s->pop->n; row++) {
        if (s->next[row] == 0)
            continue;
        if (!isnan(s->cycles[row]))
            return rb_fail(err, RB_USAGE, "%s: round(): launch %llu was already simulated",
                           s->of->plugin->name, id_of(s->pop, row));
        s->rows[s->n_round] = (uint32_t)row;
        s->ids[s->n_round++] = id_of(s->pop, row);
    }
    s->rounds += s->n_round > 0;
    *ids = s->ids;
    *n = s->n_round;
    return RB_OK;
}

static void take_result(void *state, uint64_t i, double cycles, double variance)
{
    (void)variance;
    session_t *s = state;
    RB_INVARIANT(i < s->n_round, "%s was given a result that it did not request",
                 s->of->plugin->name);
    s->cycles[s->rows[i]] = cycles;
    s->n_known++;
}

/* The cycles of the plan's samples, in their order. */
static double *sample_cycles(const session_t *s, const plan_t *plan)
{
    double *values = rb_calloc(plan->n_samples, sizeof(*values));
    for (uint64_t i = 0; i < plan->n_samples; i++)
        values[i] = s->cycles[population_row(s->pop, plan->samples[i].launch)];
    return values;
}

/* Gets the sampler's confidence interval, if it has one. */
static rb_code_t ask_interval(session_t *s, estimate_t *e, rb_err_t *err)
{
    char why[RUBATO_WHY_MAX] = "";
    rubato_interval_t i = {0};
    if (hooks(s)->interval == NULL)
        return RB_OK;
    if (hooks(s)->interval(&s->task, s->state, s->cycles, &i, why) != 0)
        return failed(s, "interval", why, err);
    const double slack = 1e-9 * e->value;
    if (!isfinite(i.low) || !isfinite(i.high) || !(i.low <= e->value + slack) ||
        !(i.high >= e->value - slack) || !(i.confidence > 0 && i.confidence < 1))
        return rb_fail(err, RB_USAGE,
                       "%s: interval(): %g to %g at %g is not a confidence interval that contains "
                       "the estimate %g",
                       s->of->plugin->name, i.low, i.high, i.confidence, e->value);
    e->low = i.low;
    e->high = i.high;
    e->confidence = i.confidence;
    e->method = s->of->plugin->name;
    return RB_OK;
}

static rb_code_t finish_rounds(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err)
{
    session_t *s = state;
    *plan = (plan_t){.method = rb_strdup(s->text),
                     .seed = s->task.seed,
                     .n_launches = s->pop->n,
                     .profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = NAN};
    population_t untimed = *s->pop;
    untimed.time = NULL;
    plan_build_t b = {.plan = plan, .pop = &untimed, .seed = s->task.seed};
    b.cluster_of = rb_calloc(s->pop->n, sizeof(*b.cluster_of));
    rb_code_t rc = weigh(s, &b, err);
    free(b.cluster_of);
    free(b.name_in_plan);
    if (rc == RB_OK) {
        plan_sort_samples(plan);
        double *values = sample_cycles(s, plan);
        *cycles = estimate_total(plan, values, 0.95);
        free(values);
        rc = ask_interval(s, cycles, err);
    }
    if (rc != RB_OK)
        plan_free(plan);
    return rc;
}

static void report_rounds(const void *state, const char *name)
{
    (void)state;
    (void)name;
}

static const launch_online_ops_t rounds = {
    .create = create_rounds,
    .destroy = destroy_rounds,
    .restart = restart_rounds,
    .round = ask_round,
    .result = take_result,
    .finish = finish_rounds,
    .report = report_rounds,
};

static void close_method(const launch_method_t *method)
{
    launch_plugin_t *of = (launch_plugin_t *)method;
    plugin_close(of->plugin);
    free(of);
}

rb_code_t launch_plugin_open(const launch_method_t **method, const char *item, rb_err_t *err)
{
    plugin_t *plugin;
    RB_TRY(plugin_open(&plugin, item, err));
    const rubato_sampler_t *s = plugin->sampler;
    if (s->launch == NULL) {
        rb_fail(err, RB_USAGE,
                "--sample %s: this sampler works inside launches and does not choose launches",
                plugin->item);
        plugin_close(plugin);
        return RB_USAGE;
    }
    launch_plugin_t *of = rb_calloc(1, sizeof(*of));
    of->plugin = plugin;
    of->method = (launch_method_t){
        .name = plugin->name,
        .help = s->help,
        .options = &plugin->options,
        .needs = s->launch->needs,
        .online = s->launch->round != NULL ? &rounds : NULL,
        .plan = s->launch->round != NULL ? NULL : plan_by_plugin,
        .item = plugin->item,
        .digest = plugin->digest,
        .close = close_method,
    };
    *method = &of->method;
    return RB_OK;
}
