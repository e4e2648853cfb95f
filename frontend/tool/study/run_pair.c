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

/* How often a launch was drawn. */
static uint32_t draws_of(const plan_t *plan, uint64_t launch)
{
    for (uint64_t i = 0; i < plan->n_samples; i++)
        if (plan->samples[i].launch == launch)
            return plan->samples[i].draws;
    return 0;
}

/* Whether a run has all samples of a plan, and another, which simulated a part, only samples of it. */
static bool is_part_of(const run_arm_t *part, const run_arm_t *base)
{
    if (!part->plan.part || !base->sampled || base->plan.part)
        return false;
    return has_samples(base, &part->plan) && has_samples(base, &base->plan);
}

/* Whether two runs simulated parts of the same run's choice. */
static bool same_base(const plan_t *a, const plan_t *b)
{
    const plan_t *x = a->base, *y = b->base;
    bool same = x != NULL && y != NULL && x->n_samples == y->n_samples && x->seed == y->seed;
    for (uint64_t i = 0; same && i < x->n_samples; i++) {
        const plan_sample_t *s = &x->samples[i], *t = &y->samples[i];
        same = s->launch == t->launch && s->cluster == t->cluster && s->kernel == t->kernel &&
               s->cycles > 0 && !(s->cycles < t->cycles) && !(s->cycles > t->cycles);
    }
    return same;
}

/* Of the samples of the plan that both runs took a part of, keeps the draws that both have. */
static void keep_common(run_pair_t *p)
{
    const uint64_t n = p->plan->n_samples;
    part_groups_t groups;
    uint32_t *b = rb_calloc(n + 1, sizeof(*b));
    for (uint64_t i = 0; i < n; i++)
        b[i] = draws_of(&p->b->arm.plan, p->plan->samples[i].launch);
    part_groups_make(&groups, p->plan, p->cycles, p->kernel);
    uint32_t *both = rb_calloc(n + 1, sizeof(*both));
    part_common(&groups, p->drawn, b, both);
    part_groups_free(&groups);
    free(p->drawn);
    p->drawn = both;
    free(b);
}

/* How often each sample of the base was drawn, by the run that simulated a part or by both. */
static void take_drawn(run_pair_t *p)
{
    const plan_t *base = p->plan;
    p->drawn = rb_calloc(base->n_samples + 1, sizeof(*p->drawn));
    p->kernel = rb_calloc(base->n_samples + 1, sizeof(*p->kernel));
    p->cycles = rb_calloc(base->n_samples + 1, sizeof(*p->cycles));
    const run_arm_t *all = base == &p->a->arm.plan ? &p->a->arm : &p->b->arm;
    for (uint64_t i = 0; i < base->n_samples; i++) {
        const plan_sample_t *s = &base->samples[i];
        const arm_launch_t *l = p->among ? NULL : run_arm_find(all, s->launch);
        p->drawn[i] = draws_of(p->part, s->launch);
        p->cycles[i] = l != NULL ? l->values[VALUE_CYCLES] : s->cycles;
        p->kernel[i] = l != NULL ? l->name : s->kernel;
    }
    if (p->among)
        keep_common(p);
}

/* The values of the samples that both have. False: a launch is another one in the other run. */
static bool take_values(run_pair_t *p)
{
    const run_arm_t *arm[2] = {&p->a->arm, &p->b->arm};
    const uint64_t n = p->plan->n_samples;
    bool inside = false;
    p->both = rb_calloc(n + 1, sizeof(*p->both));
    if (p->part != NULL)
        take_drawn(p);
    for (int k = 0; k < 2; k++) {
        p->values[k] = rb_calloc(n * STAT_VALUES + 1, sizeof(double));
        p->inside[k] = rb_calloc(n + 1, sizeof(double));
    }
    for (uint64_t i = 0; i < n; i++) {
        const arm_launch_t *l[2];
        for (int k = 0; k < 2; k++)
            l[k] = run_arm_find(arm[k], p->plan->samples[i].launch);
        p->both[i] = l[0] != NULL && l[1] != NULL;
        for (int k = 0; k < 2; k++)
            if (l[k] != NULL)
                memcpy(&p->values[k][i * STAT_VALUES], l[k]->values, sizeof(l[k]->values));
        if (!p->both[i])
            continue;
        if (l[0]->kernel != l[1]->kernel)
            return false;
        p->launches++;
        for (int k = 0; k < 2; k++) {
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
    run_arm_t *a = &p->a->arm, *b = &p->b->arm;
    if (is_part_of(b, a) || is_part_of(a, b)) {
        p->plan = a->plan.part ? &b->plan : &a->plan;
        p->part = a->plan.part ? &a->plan : &b->plan;
    } else if (a->plan.part && b->plan.part && same_base(&a->plan, &b->plan)) {
        p->plan = a->plan.base;
        p->part = &a->plan;
        p->among = true;
    } else if (a->plan.part || b->plan.part) {
        snprintf(p->why, sizeof(p->why),
                 "one simulated a part of the launches that another run chose, and shows only its "
                 "change from that run and from others that follow it");
    } else if (a->sampled && has_samples(b, &a->plan)) {
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
                           .drawn = p->drawn,
                           .cycles = p->cycles,
                           .kernel = p->kernel,
                           .all_a = p->part == &p->b->arm.plan,
                           .all_b = p->part == &p->a->arm.plan && !p->among,
                           .inside_a = p->inside[0],
                           .inside_b = p->inside[1],
                           .whole_a = !p->a->arm.sampled,
                           .whole_b = !p->b->arm.sampled,
                           .cold_a = p->a->arm.cold,
                           .cold_b = p->b->arm.cold,
                           .confidence = CONFIDENCE};
    p->pairs = paired_create(&pairs);
    p->paired = true;
}

/* A launch of a program; why it cannot be added. */
static const char *add_launch(run_pair_t *p, const arm_launch_t *a)
{
    const arm_launch_t *b = run_arm_find(&p->b->arm, a->id);
    if (b == NULL || a->kernel != b->kernel)
        return "the runs are of different programs";
    const launch_units_t *x = unit_file_find(&p->a->arm.units, a->id),
                         *y = unit_file_find(&p->b->arm.units, a->id);
    if (x != NULL && y != NULL && unit_pairs_add(p->units, x, y) == NULL)
        return NULL;
    unit_pairs_add_apart(p->units, a->values, b->values, a->inside, b->inside);
    return NULL;
}

/* The launches of a program, of some of which both measured units. */
static const char *add_launches(run_pair_t *p)
{
    const char *why = NULL;
    if (p->a->arm.n != p->b->arm.n)
        return "the runs are of different launches";
    if (p->a->arm.overlaps || p->b->arm.overlaps)
        return "launches may overlap, so that their times do not add up";
    for (size_t i = 0; i < p->a->arm.n && why == NULL; i++)
        why = add_launch(p, &p->a->arm.launches[i]);
    if (why == NULL && unit_pairs_launches(p->units) == 0)
        why = "the runs chose different parts of the launches";
    return why;
}

/* Of runs that measured the same units of their launches. */
static void pair_units(run_pair_t *p)
{
    const unit_file_t *a = &p->a->arm.units, *b = &p->b->arm.units;
    const char *why = "parts of launches were left out, and each run chose which";
    if (a->n > 0 && b->n > 0) {
        p->units = unit_pairs_create(CONFIDENCE);
        why = a->launches == 1 && b->launches == 1
                  ? unit_pairs_add(p->units, &a->list[0], &b->list[0])
                  : add_launches(p);
    } else if (a->n > 0 || b->n > 0) {
        why = "one of the two runs simulated all of the launch, or chose parts in another way";
    }
    p->paired = why == NULL;
    if (p->paired) {
        p->launches = unit_pairs_launches(p->units);
        return;
    }
    unit_pairs_free(p->units);
    p->units = NULL;
    snprintf(p->why, sizeof(p->why), "%s", why);
}

static void make_pair(run_pair_t *p)
{
    if (!p->a->arm.sampled && !p->b->arm.sampled) {
        if (p->a->stats.estimated || p->b->stats.estimated)
            pair_units(p);
        return;
    }
    choose_plan(p);
    if (p->plan == NULL)
        return;
    if (p->a->arm.overlaps || p->b->arm.overlaps)
        snprintf(p->why, sizeof(p->why), "launches may overlap, so that their times do not add up");
    else if (!p->plan->random)
        snprintf(p->why, sizeof(p->why), "the launches were not chosen at random");
    else if (!take_values(p))
        snprintf(p->why, sizeof(p->why), "the runs are of different programs");
    else
        begin_pairs(p);
}

static rb_code_t open_arm(run_side_t *s, rb_err_t *err)
{
    if (s->opened)
        return RB_OK;
    const rb_code_t rc = run_arm_open(&s->arm, s->folder, err);
    s->opened = rc == RB_OK;
    if (rc != RB_OK)
        run_arm_free(&s->arm);
    return rc;
}

/* Reads what is needed for pairs: nothing where neither is an estimate. */
static rb_code_t read_pair(run_pair_t *p, rb_err_t *err)
{
    run_side_t *a = p->a, *b = p->b;
    if (!a->stats.estimated && !b->stats.estimated)
        return RB_OK;
    RB_TRY(open_arm(a, err));
    RB_TRY(open_arm(b, err));
    if (!a->arm.sampled && !b->arm.sampled) {
        if (a->arm.units.n == 0 || b->arm.units.n == 0 ||
            (a->arm.units.launches == 1 && b->arm.units.launches == 1))
            return RB_OK;
        RB_TRY(run_arm_read(&a->arm, a->folder, NULL, err));
        return run_arm_read(&b->arm, b->folder, NULL, err);
    }
    RB_TRY(run_arm_read(&a->arm, a->folder, a->arm.sampled ? &a->arm.plan : &b->arm.plan, err));
    return run_arm_read(&b->arm, b->folder, b->arm.sampled ? &b->arm.plan : &a->arm.plan, err);
}

rb_code_t run_side_open(run_side_t *s, const char *folder, rb_err_t *err)
{
    *s = (run_side_t){.folder = rb_strdup(folder)};
    return stat_table_read(&s->stats, folder, err);
}

void run_side_free(run_side_t *s)
{
    stat_table_free(&s->stats);
    run_arm_free(&s->arm);
    free(s->folder);
    *s = (run_side_t){0};
}

rb_code_t run_pair_make(run_pair_t *p, run_side_t *a, run_side_t *b, rb_err_t *err)
{
    rb_err_t why = {0};
    p->a = a;
    p->b = b;
    const rb_code_t rc = read_pair(p, &why);
    if (rc == RB_IO)
        return rb_fail(err, rc, "%s", why.text);
    if (rc == RB_OK)
        make_pair(p);
    else
        snprintf(p->why, sizeof(p->why), "%.250s", why.text);
    return RB_OK;
}

rb_code_t run_pair_open(run_pair_t *p, const char *a, const char *b, rb_err_t *err)
{
    *p = (run_pair_t){0};
    RB_TRY(run_side_open(&p->own[0], a, err));
    RB_TRY(run_side_open(&p->own[1], b, err));
    return run_pair_make(p, &p->own[0], &p->own[1], err);
}

void run_pair_free(run_pair_t *p)
{
    run_side_free(&p->own[0]);
    run_side_free(&p->own[1]);
    for (int k = 0; k < 2; k++) {
        free(p->values[k]);
        free(p->inside[k]);
    }
    free(p->both);
    free(p->drawn);
    free(p->cycles);
    free(p->kernel);
    paired_free(p->pairs);
    unit_pairs_free(p->units);
    *p = (run_pair_t){0};
}

/* A value of a run without estimates has no error, nor has one that only counts what was done. */
static uncertain_t uncertain(const run_side_t *of, const stat_row_t *row)
{
    const size_t stat = stat_find(row->path);
    const bool exact = !of->stats.estimated || (of->arm.forms.n > 0 && stat < stat_count() &&
                                                of->arm.forms.form[stat].num.n == 0);
    return (uncertain_t){row->value, exact ? row->value : row->low, exact ? row->value : row->high};
}

change_t run_pair_change_as(const run_pair_t *p, const char *path, change_kind_t kind)
{
    const stat_row_t *a = stat_table_find(&p->a->stats, path, 0),
                     *b = stat_table_find(&p->b->stats, path, 0);
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
    const uncertain_t of_a = uncertain(p->a, a), of_b = uncertain(p->b, b);
    const change_t apart = change_independent(&of_a, &of_b, kind);
    if (!p->paired || stat == stat_count() || p->a->arm.forms.form[stat].num.n == 0)
        return apart;
    const stat_form_t *form_a = &p->a->arm.forms.form[stat], *form_b = &p->b->arm.forms.form[stat];
    const change_t c = p->units != NULL ? unit_pairs_change(p->units, form_a, form_b, kind)
                                        : paired_change(p->pairs, form_a, form_b, kind);
    if (p->units != NULL && c.reason != NULL)
        return apart;
    /* What both runs know better by themselves, as from the trace's index. */
    if (isfinite(apart.low) && !(c.high - c.low < apart.high - apart.low))
        return apart;
    return c;
}

change_t run_pair_change(const run_pair_t *p, const char *path)
{
    const stat_row_t *row = stat_table_find(&p->a->stats, path, 0);
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

void run_pair_warn(FILE *out, size_t estimates)
{
    if (estimates > 0)
        fprintf(out,
                "\nWARNING: the error of %zu estimate%s is not known: no interval is given, and "
                "cycles and changes may be tens of percent off, or show no change where there is "
                "one; 'rubato evaluate' measures it\n",
                estimates, estimates == 1 ? "" : "s");
}
