/* The launches of a plan, checked against the trace. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/kernel_name.h"
#include "frontend/tool/run/sampled/run_sampling_parts.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

bool run_sampling_is_online(const run_sampling_t *s)
{
    return s->online.ops != NULL;
}

static int by_id(const void *a, const void *b)
{
    const chosen_t *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Lists the launches of the plan by id. */
static void collect(run_sampling_t *s)
{
    const plan_t *p = &s->plan;
    free(s->chosen);
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
                       "the plan simulates launch %llu, but the trace has no launches",
                       (unsigned long long)c->id);
    if (row == trace->pop.n || launch_list_id(trace, row) != c->id)
        return rb_fail(err, RB_TRACE,
                       "the plan simulates launch %llu, which the trace does not have (it has %llu "
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
        rb_warn("the plan is for %llu launches, the trace has %llu; totals are those of the plan",
                (unsigned long long)s->plan.n_launches, (unsigned long long)trace->pop.n);
    return RB_OK;
}

void run_sampling_await(run_sampling_t *s)
{
    collect(s);
    if (s->sampler == NULL) {
        s->sampler = rb_strdup(s->plan.method);
        s->sampler[sample_name_length(s->sampler)] = '\0';
    }
    s->cycles = rb_calloc(s->plan.n_samples, sizeof(*s->cycles));
    for (uint64_t i = 0; i < s->plan.n_samples; i++)
        s->cycles[i] = NAN;
}

rb_code_t run_sampling_begin(run_sampling_t *s, plan_t *plan, const launch_list_t *trace,
                             rb_err_t *err)
{
    *s = (run_sampling_t){.on = true, .plan = *plan};
    *plan = (plan_t){0};
    run_sampling_await(s);
    rb_code_t rc = check(s, trace, err);
    if (rc != RB_OK)
        run_sampling_free(s);
    return rc;
}

void run_sampling_free(run_sampling_t *s)
{
    if (s->on)
        plan_free(&s->plan);
    if (run_sampling_is_online(s))
        s->online.ops->destroy(s->online.state);
    launch_choice_free(&s->choice);
    launch_list_free(&s->trace);
    free(s->known);
    run_sampling_free_base(s);
    free(s->sampler);
    free(s->note);
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
