/*
 * smarts: units of whole waves, spread over a launch, with a stated error (after SMARTS, Wunderlich
 * et al., ISCA 2003; our own form for GPUs).
 *
 * First the plan is made (smarts_plan.h); if it has no room in the launch, all of it is simulated, and
 * nothing more is spent. After the first waves, which tell how long waves take, this is looked at again.
 * Then units are measured all over the launch, and it is surveyed without time (smarts_look.h) as far as they
 * have come. What lies between them is skipped in whole waves: its last blocks are read and leave in the L2 what they touch, and
 * blocks on SMs go on beside those after the gap. A unit is measured once the launch has settled again. The
 * skipped instructions take the time that the units show (smarts_estimate.h).
 *
 * If units vary so much that the bound needs more of them than the launch has room for, or if the
 * survey says beforehand that units cannot represent the launch, the rest is simulated.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_table.h"
#include "sampling/inside/smarts/smarts_state.h"
#include "sampling/predict/block_model.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"
#include "sim/core/mix64.h"
#include "sim/sm/memory/prefetcher.h"

/* Refresh intervals of the DRAM for which a launch settles. */
#define SETTLE_REFRESHES 1.5

static void *smarts_create(const inside_method_t *method, const void *options, uint64_t seed,
                           rb_err_t *err)
{
    smarts_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    (void)err;
    s->options = *(const smarts_options_t *)options;
    s->seed = seed;
    return s;
}

/* Two runs that follow different choices measure different blocks. */
static uint64_t smarts_digest(const inside_method_t *method, const void *state)
{
    const unit_file_t *f = &((const smarts_state_t *)state)->followed;
    uint64_t hash = 0;
    (void)method;
    for (size_t i = 0; i < f->n; i++)
        hash = mix64(hash ^ f->list[i].choice);
    return hash;
}

static void forget(smarts_state_t *s)
{
    smarts_look_free(&s->look);
    free(s->units);
    free(s->strata);
    free(s->gaps);
    free(s->list);
    free(s->places);
    *s = (smarts_state_t){
        .options = s->options, .seed = s->seed, .followed = s->followed, .measured = s->measured};
}

static void smarts_destroy(void *state)
{
    smarts_state_t *s = state;
    forget(s);
    unit_file_free(&s->followed);
    unit_file_free(&s->measured);
    free(s);
}

static void smarts_follow(void *state, unit_file_t *units)
{
    smarts_state_t *s = state;
    s->followed = *units;
    *units = (unit_file_t){0};
}

static const unit_file_t *smarts_units(const void *state)
{
    return &((const smarts_state_t *)state)->measured;
}

static double refresh_cycles(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    return d->perfect ? 0 : SETTLE_REFRESHES * d->tREFI * (spec->gpu.clock_mhz / d->clock_mhz);
}

/* Whether the plan, with what is known now, has room in the launch. */
static bool has_room(smarts_state_t *s)
{
    if (s->look.wave <= 0) {
        smarts_simulate_rest(s, "the launch has no instructions");
        return false;
    }
    smarts_plan_look(&s->plan);
    smarts_check_room(s);
    return s->phase != PHASE_TAIL;
}

static rb_code_t smarts_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    smarts_state_t *s = sampler->state;
    forget(s);
    s->begun = l->spec->gpu.launch_latency;
    s->refresh = refresh_cycles(l->spec);
    const alone_t alone = alone_on(l->spec, &(predict_traffic_t){0}, 1, false, false);
    s->l2_read = alone.l2;
    s->dram_read = alone.dram;
    s->l2_sectors = (double)l->spec->mem.l2.size / SECTOR_BYTES;
    /* Each step costs more than the one before it, and may show that there is no room. */
    smarts_look_begin(&s->look, l);
    s->plan = smarts_plan_make(&s->options, &s->look, rng_make(s->seed, l->info->id));
    RB_TRY(smarts_follow_begin(s, l->info, err));
    if (s->base != NULL)
        s->plan.units = smarts_follow_units(s);
    else if (s->followed.launches > 0)
        smarts_simulate_rest(s, "the run that is followed simulated it completely, or nearly so");
    if (!has_room(s))
        return RB_OK;
    if (l->spec->sm.l1.prefetcher != PREFETCHER_NONE) {
        smarts_simulate_rest(s, "the L1 prefetches, which the walk over skipped blocks does not");
        return RB_OK;
    }
    RB_TRY(smarts_look_lengths(&s->look, l, err));
    if (!has_room(s))
        return RB_OK;
    s->launch = l;
    /* Without an index only the survey knows the lengths of blocks. With one it can wait until the ramp has shown
     * how long waves take, and so whether there is room. */
    if (l->source->ops->block_facts != NULL)
        return RB_OK;
    RB_TRY(smarts_look_survey(&s->look, l, UINT64_MAX, err));
    (void)has_room(s);
    return RB_OK;
}

static rb_code_t smarts_check(const sampler_t *sampler, rb_err_t *err)
{
    const smarts_state_t *s = sampler->state;
    if (s->failed != RB_OK)
        *err = s->err;
    return s->failed;
}

static bool smarts_interval(const sampler_t *sampler, const interval_records_t *r,
                            fast_forward_t *out)
{
    smarts_state_t *s = sampler->state;
    if (s->failed != RB_OK)
        return false;
    if (s->phase == PHASE_RAMP)
        return smarts_end_ramp(s, r) && smarts_go_on(s, r, out);
    if (!smarts_unit_ends(s, r))
        return false;
    if (s->base == NULL)
        smarts_revise(s, r);
    return smarts_go_on(s, r, out);
}

/* The time of what was skipped is added at the end. */
static double smarts_end(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    (void)sampler;
    (void)skipped;
    (void)moves;
    return 0;
}

static double smarts_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts)
{
    smarts_state_t *s = sampler->state;
    (void)cycles;
    (void)warp_insts;
    const smarts_question_t q = smarts_ask(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    double left = a.left;
    smarts_answer_free(&a);
    for (size_t g = 0; g < s->n_gaps; g++)
        left -= s->gaps[g].cycles;
    return left;
}

static const char *const regressor_names[] = {[SMARTS_BY_NOTHING] = "nothing",
                                              [SMARTS_BY_DRAM] = "DRAM sectors",
                                              [SMARTS_BY_LOOKUPS] = "L2 sectors",
                                              [SMARTS_BY_WAITS] = "predicted waits",
                                              [SMARTS_BY_MOVED] = "moved sectors"};

/* What the estimate rests on. */
static void explain(const smarts_state_t *s, const smarts_question_t *q, const smarts_answer_t *a,
                    double cycles, double share, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const char *states =
        smarts_waits_in_queues(&q->left) ? ", scattered misses: occupancy not known" : "";
    char by[64] = "", half[64] = "too few units for an error", what[80];
    snprintf(what, sizeof(what), "%zu units", s->n);
    if (a->by != SMARTS_BY_NOTHING)
        snprintf(by, sizeof(by), ", by %s", regressor_names[a->by]);
    if (isfinite(a->half))
        snprintf(half, sizeof(half), "+-%.2g %%%s", 100 * a->half / cycles,
                 a->half > s->options.bound * cycles ? " (not within the bound)" : "");
    snprintf(evidence, SAMPLER_EVIDENCE_MAX, "%s%s, %.2g %% simulated: ", what, by, 100 * share);
    const size_t used = strlen(evidence);
    snprintf(evidence + used, SAMPLER_EVIDENCE_MAX - used, "%s%s%s%.70s", half, states,
             s->why[0] == '\0' ? "" : "; rest simulated: ", s->why);
}

/* Takes out what was simulated but does not count. */
static void leave_out(launch_estimate_t *e, const smarts_gap_t *g)
{
    e->cycles -= g->cycles;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        e->counter[i] -= (double)((const uint64_t *)&g->counters)[i];
}

static void smarts_estimate(const sampler_t *sampler, const launch_estimate_t *simulated,
                            launch_estimate_t *whole, sampler_replicates_t *replicates,
                            char evidence[SAMPLER_EVIDENCE_MAX])
{
    smarts_state_t *s = sampler->state;
    if (s->n == 0)
        return;
    const smarts_question_t q = smarts_ask(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    *whole = *simulated;
    for (size_t g = 0; g < s->n_gaps; g++)
        leave_out(whole, &s->gaps[g]);
    smarts_keep_units(s, whole);
    s->list = rb_calloc(s->n, sizeof(*s->list));
    smarts_complete(&a, &q, whole, s->list);
    if (isfinite(a.half))
        *replicates = (sampler_replicates_t){s->n, s->list};
    const double all = smarts_look_insts(&s->look, 0, s->look.blocks);
    explain(s, &q, &a, whole->cycles, simulated->counter[GPU_COUNTER_AT(sm.warp_insts)] / all,
            evidence);
    smarts_answer_free(&a);
}

/* The last gap may still be skipped then: the samplers are asked again after it. */
static bool smarts_done(const sampler_t *sampler)
{
    return ((const smarts_state_t *)sampler->state)->phase == PHASE_TAIL;
}

static void smarts_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const smarts_state_t *s = sampler->state;
    snprintf(evidence, SAMPLER_EVIDENCE_MAX, "%s", s->why);
}

static const sampler_ops_t smarts_ops = {
    .name = "smarts",
    .retired = 1u << RETIRED_BLOCK,
    .launch_open = smarts_open,
    .interval_end = smarts_interval,
    .fast_forward_end = smarts_end,
    .launch_added = smarts_added,
    .launch_estimate = smarts_estimate,
    .done = smarts_done,
    .launch_verdict = smarts_verdict,
    .check = smarts_check,
};

const inside_method_t inside_smarts = {
    .help = "units of whole waves all over the launch, with a stated error",
    .options = &smarts_group,
    .ops = &smarts_ops,
    .create = smarts_create,
    .destroy = smarts_destroy,
    .digest = smarts_digest,
    .follow = smarts_follow,
    .units = smarts_units,
};
