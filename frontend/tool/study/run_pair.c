#include "frontend/tool/study/run_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/stat_values.h"
#include "sim/core/alloc.h"

#define CONFIDENCE 0.95

/* Whether all samples of a plan are among the launches of a run. */
static bool has_samples(const run_arm_t *arm, const plan_t *plan)
{
    for (uint64_t i = 0; i < plan->n_samples; i++)
        if (run_arm_find(arm, plan->samples[i].launch) == NULL)
            return false;
    return true;
}

/* Whether two plans divide the program alike. */
static bool same_strata(const plan_t *a, const plan_t *b)
{
    if (a->n_clusters != b->n_clusters || a->n_launches != b->n_launches)
        return false;
    for (uint32_t i = 0; i < a->n_clusters; i++) {
        const plan_cluster_t *x = &a->clusters[i], *y = &b->clusters[i];
        if (x->size != y->size || strcmp(a->names[x->name], b->names[y->name]) != 0)
            return false;
    }
    return true;
}

/* The values of the samples that both have. False: a launch is another one in the other run. */
static bool take_values(run_pair_t *p)
{
    const run_arm_t *arm[2] = {&p->a, &p->b};
    const uint64_t n = p->plan->n_samples;
    bool inside = false;
    p->both = rb_calloc(n + 1, sizeof(*p->both));
    for (int k = 0; k < 2; k++) {
        p->values[k] = rb_calloc(n * STAT_VALUES + 1, sizeof(double));
        p->inside[k] = rb_calloc(n + 1, sizeof(double));
    }
    for (uint64_t i = 0; i < n; i++) {
        const arm_launch_t *l[2];
        for (int k = 0; k < 2; k++)
            l[k] = run_arm_find(arm[k], p->plan->samples[i].launch);
        p->both[i] = l[0] != NULL && l[1] != NULL;
        if (!p->both[i])
            continue;
        if (l[0]->kernel != l[1]->kernel)
            return false;
        p->launches++;
        for (int k = 0; k < 2; k++) {
            memcpy(&p->values[k][i * STAT_VALUES], l[k]->values, sizeof(l[k]->values));
            p->inside[k][i] = l[k]->inside;
            inside = inside || l[k]->inside != 0;
        }
    }
    for (int k = 0; k < 2 && !inside; k++) {
        free(p->inside[k]);
        p->inside[k] = NULL;
    }
    return true;
}

/* Chooses the plan: the one whose samples the other run has, too. */
static void choose_plan(run_pair_t *p)
{
    run_arm_t *a = &p->a, *b = &p->b;
    if (a->sampled && has_samples(b, &a->plan)) {
        p->plan = &a->plan;
    } else if (b->sampled && has_samples(a, &b->plan)) {
        p->plan = &b->plan;
    } else if (!a->sampled || !b->sampled) {
        snprintf(p->why, sizeof(p->why), "launches of the plan are missing in the other run");
    } else if (!same_strata(&a->plan, &b->plan)) {
        snprintf(p->why, sizeof(p->why),
                 "the two runs chose different launches, from different strata");
    } else {
        p->plan = &a->plan;
    }
}

static void begin_pairs(run_pair_t *p)
{
    const pairs_t pairs = {.plan = p->plan,
                           .a = p->values[0],
                           .b = p->values[1],
                           .both = p->both,
                           .inside_a = p->inside[0],
                           .inside_b = p->inside[1],
                           .whole_a = !p->a.sampled,
                           .whole_b = !p->b.sampled,
                           .cold_a = p->a.cold,
                           .cold_b = p->b.cold,
                           .confidence = CONFIDENCE};
    p->pairs = paired_create(&pairs);
    p->paired = true;
}

static void make_pair(run_pair_t *p)
{
    if (!p->a.sampled && !p->b.sampled) {
        if (p->a.stats.estimated || p->b.stats.estimated)
            snprintf(p->why, sizeof(p->why),
                     "parts of launches were left out, and each run chose which");
        return;
    }
    choose_plan(p);
    if (p->plan == NULL)
        return;
    if (p->a.overlaps || p->b.overlaps)
        snprintf(p->why, sizeof(p->why), "launches may overlap, so that their times do not add up");
    else if (!p->plan->random)
        snprintf(p->why, sizeof(p->why), "the launches were not chosen at random");
    else if (!take_values(p))
        snprintf(p->why, sizeof(p->why), "the runs are of different programs");
    else
        begin_pairs(p);
}

static rb_code_t read_launches(run_pair_t *p, const char *a, const char *b, rb_err_t *err)
{
    const plan_t *of_a = p->a.sampled ? &p->a.plan : &p->b.plan;
    const plan_t *of_b = p->b.sampled ? &p->b.plan : &p->a.plan;
    if (!p->a.sampled && !p->b.sampled)
        return RB_OK;
    RB_TRY(run_arm_read(&p->a, a, of_a, err));
    return run_arm_read(&p->b, b, of_b, err);
}

/* Reads what is needed for pairs. */
static rb_code_t read_pair(run_pair_t *p, const char *a, const char *b, rb_err_t *err)
{
    RB_TRY(run_arm_open(&p->a, a, err));
    RB_TRY(run_arm_open(&p->b, b, err));
    return read_launches(p, a, b, err);
}

rb_code_t run_pair_open(run_pair_t *p, const char *a, const char *b, rb_err_t *err)
{
    rb_err_t why = {0};
    *p = (run_pair_t){0};
    RB_TRY(stat_table_read(&p->a.stats, a, err));
    RB_TRY(stat_table_read(&p->b.stats, b, err));
    const rb_code_t rc = read_pair(p, a, b, &why);
    if (rc == RB_IO)
        return rb_fail(err, rc, "%s", why.text);
    if (rc == RB_OK)
        make_pair(p);
    else
        snprintf(p->why, sizeof(p->why), "%.250s", why.text);
    return RB_OK;
}

void run_pair_free(run_pair_t *p)
{
    run_arm_free(&p->a);
    run_arm_free(&p->b);
    for (int k = 0; k < 2; k++) {
        free(p->values[k]);
        free(p->inside[k]);
    }
    free(p->both);
    paired_free(p->pairs);
    *p = (run_pair_t){0};
}

/* A value of a run without estimates has no error, nor has one that only counts what was done. */
static uncertain_t uncertain(const run_arm_t *arm, const stat_row_t *row)
{
    const size_t stat = stat_find(row->path);
    const bool exact = !arm->stats.estimated || (arm->forms.n > 0 && stat < stat_count() &&
                                                 arm->forms.form[stat].num.n == 0);
    return (uncertain_t){row->value, exact ? row->value : row->low, exact ? row->value : row->high};
}

change_t run_pair_change_as(const run_pair_t *p, const char *path, change_kind_t kind)
{
    const stat_row_t *a = stat_table_find(&p->a.stats, path, 0),
                     *b = stat_table_find(&p->b.stats, path, 0);
    const size_t stat = stat_find(path);
    if (a == NULL || b == NULL)
        return (change_t){.kind = kind,
                          .a = (double)NAN,
                          .b = (double)NAN,
                          .change = (double)NAN,
                          .low = (double)NAN,
                          .high = (double)NAN,
                          .method = "none",
                          .reason = "one of the two does not have it"};
    const uncertain_t of_a = uncertain(&p->a, a), of_b = uncertain(&p->b, b);
    const change_t apart = change_independent(&of_a, &of_b, kind);
    if (!p->paired || stat == stat_count() || p->a.forms.form[stat].num.n == 0)
        return apart;
    const change_t c =
        paired_change(p->pairs, &p->a.forms.form[stat], &p->b.forms.form[stat], kind);
    /* What both runs know better by themselves, as from the trace's index. */
    if (isfinite(apart.low) && !(c.high - c.low < apart.high - apart.low))
        return apart;
    return c;
}

change_t run_pair_change(const run_pair_t *p, const char *path)
{
    const stat_row_t *row = stat_table_find(&p->a.stats, path, 0);
    const bool share = row != NULL && strcmp(row->unit, "1") == 0;
    return run_pair_change_as(p, path, share ? CHANGE_POINTS : CHANGE_RELATIVE);
}

const char *run_pair_text(char text[RUN_PAIR_TEXT], const change_t *c)
{
    const char *unit = c->kind == CHANGE_POINTS ? "pp" : "%";
    const double half = 100 * fmax(c->high - c->change, c->change - c->low);
    const int digits = !(half > 0) || half >= 1 ? 1 : half >= 0.1 ? 2 : 3;
    if (!isfinite(c->change))
        return strcpy(text, "-");
    if (!isfinite(half))
        snprintf(text, RUN_PAIR_TEXT, "%+.1f %s ?", 100 * c->change, unit);
    else if (strcmp(c->method, "exact") == 0)
        snprintf(text, RUN_PAIR_TEXT, "%+.1f %s", 100 * c->change, unit);
    else if (change_is_none(c))
        snprintf(text, RUN_PAIR_TEXT, "none +-%.*f %s", digits, half, unit);
    else
        snprintf(text, RUN_PAIR_TEXT, "%+.*f +-%.*f %s", digits, 100 * c->change, digits, half,
                 unit);
    return text;
}
