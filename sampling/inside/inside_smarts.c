/*
 * smarts: units of whole waves, spread over a launch, with a stated error (after SMARTS, Wunderlich
 * et al., ISCA 2003; our own form for GPUs).
 *
 * First the launch is surveyed without time (smarts_look.h). If its parts are alike, tbpoint_region
 * measures its rate. Otherwise units are measured all over the launch (smarts_plan.h). What lies
 * between them is skipped: its last blocks are read and leave in the L2 what they touch, and blocks
 * on SMs go on beside those after the gap. A unit is measured once the launch has settled again. The
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

#include "sampling/inside/fill_skip.h"
#include "sampling/inside/inside_table.h"
#include "sampling/inside/region_measure.h"
#include "sampling/inside/slot_model.h"
#include "sampling/inside/smarts_plan.h"
#include "sim/core/alloc.h"
#include "sim/core/msg.h"

/* Refresh intervals of the DRAM for which a launch settles. */
#define SETTLE_REFRESHES 1.5

/* Gaps shorter than this share of a wave are simulated. */
#define SHORTEST_GAP 0.25

/* How much the end of the simulated part may differ from that of the launch: share of the bound. */
#define DRAIN_PART 0.25

typedef enum {
    PHASE_RAMP,
    PHASE_SETTLE, /* before a unit */
    PHASE_UNIT,
    PHASE_TAIL, /* nothing more is skipped */
    PHASE_REGION,
} phase_t;

/* Where a stretch or a unit began. */
typedef struct {
    double cycle, insts;
    uint64_t next; /* block */
    double front;  /* number of blocks that are done, if those on SMs are half done */
    gpu_counters_t counters;
} mark_t;

typedef struct {
    smarts_options_t options;
    uint64_t seed;
    sampler_t region; /* tbpoint_region, for even launches */

    smarts_look_t look;
    smarts_variation_t variation;
    smarts_plan_t plan;
    phase_t phase;
    double begun;   /* cycle of the first dispatch */
    double refresh; /* cycles for which a launch settles at least */
    double l2_sectors, dram_sectors;
    mark_t resumed, unit;
    double jitter;            /* waves of further settling */
    smarts_unit_t *units;     /* owned */
    smarts_stratum_t *strata; /* owned; of the units, and the one that is being measured */
    block_range_t *gaps;      /* owned */
    launch_estimate_t *list;  /* owned: replicates */
    size_t n, n_gaps, cap_units, cap_strata, cap_gaps;
    char why[SAMPLER_EVIDENCE_MAX]; /* the launch, or its rest, is simulated completely */
} smarts_state_t;

static void *smarts_create(const inside_method_t *method, const void *options, uint64_t seed,
                           rb_err_t *err)
{
    region_options_t region;
    smarts_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    s->options = *(const smarts_options_t *)options;
    s->seed = seed;
    param_group_defaults(&region_group, &region);
    s->region.ops = inside_tbpoint_region.ops;
    s->region.state = inside_tbpoint_region.create(&inside_tbpoint_region, &region, seed, err);
    return s;
}

static void forget(smarts_state_t *s)
{
    smarts_look_free(&s->look);
    free(s->units);
    free(s->strata);
    free(s->gaps);
    free(s->list);
    *s = (smarts_state_t){.options = s->options, .seed = s->seed, .region = s->region};
}

static void smarts_destroy(void *state)
{
    smarts_state_t *s = state;
    forget(s);
    inside_tbpoint_region.destroy(s->region.state);
    free(s);
}

static double refresh_cycles(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    return d->perfect ? 0 : SETTLE_REFRESHES * d->tREFI * (spec->gpu.clock_mhz / d->clock_mhz);
}

/* Whether tbpoint_region is used: all parts of the launch are alike. */
static rb_code_t open_region(smarts_state_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    const region_state_t *region = s->region.state;
    RB_TRY(smarts_look_variation(&s->look, l, &s->variation, err));
    if (!s->options.even || l->source->ops->block_facts == NULL ||
        s->variation.most > s->options.variation)
        return RB_OK;
    RB_TRY(s->region.ops->launch_open(&s->region, l, err));
    if (region->table.n == 1 && region->table.list[0].even)
        s->phase = PHASE_REGION;
    return RB_OK;
}

/* Nothing more is skipped. */
static void simulate_rest(smarts_state_t *s, const char *why)
{
    s->phase = PHASE_TAIL;
    if (s->why[0] == '\0')
        snprintf(s->why, sizeof(s->why), "%s", why);
}

/* Refuses a launch that units cannot represent. */
static void check_room(smarts_state_t *s)
{
    char why[SAMPLER_EVIDENCE_MAX];
    const double share = smarts_plan_share(&s->plan),
                 waves = (double)s->look.blocks / (double)s->look.slots;
    if (share <= s->options.limit)
        return;
    snprintf(
        why, sizeof(why),
        "%.3g waves are too few: %zu units, the ramp (%.3g waves) and the blocks that may outlive "
        "the last dispatch (%.3g waves) would be %.0f %% of the launch",
        waves, s->plan.units, (double)s->plan.ramp / (double)s->look.slots,
        (double)(s->look.blocks - s->plan.tail) / (double)s->look.slots, 100 * share);
    simulate_rest(s, why);
}

static rb_code_t smarts_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    smarts_state_t *s = sampler->state;
    forget(s);
    s->begun = l->spec->gpu.launch_latency;
    s->refresh = refresh_cycles(l->spec);
    s->l2_sectors = (double)l->spec->mem.l2.size / SECTOR_BYTES;
    s->dram_sectors = fill_dram_sectors(l->spec);
    RB_TRY(smarts_look(&s->look, l, err));
    if (s->look.wave <= 0) {
        simulate_rest(s, "the launch has no instructions");
        return RB_OK;
    }
    RB_TRY(open_region(s, l, err));
    s->plan = smarts_plan_make(&s->options, &s->look, rng_make(s->seed, l->info->id));
    if (s->phase != PHASE_REGION)
        check_room(s);
    return RB_OK;
}

static mark_t mark(const interval_records_t *r)
{
    return (mark_t){.cycle = (double)r->cycle,
                    .insts = (double)r->warp_insts,
                    .next = r->next_block,
                    .front = (double)r->next_block - (double)r->resident / 2};
}

static void begin_unit(smarts_state_t *s, const interval_records_t *r)
{
    s->phase = PHASE_UNIT;
    s->unit = mark(r);
    sampler_counters(r, &s->unit.counters);
}

/* Whether the launch has run for `waves` waves and `cycles` since a mark. */
static bool has_run(const smarts_state_t *s, const mark_t *since, const interval_records_t *r,
                    double waves, double cycles)
{
    const uint64_t slots = s->look.slots, to = since->next + (uint64_t)ceil((double)slots);
    const double wave =
        smarts_look_insts(&s->look, since->next, to < s->look.blocks ? to : s->look.blocks);
    return (double)r->warp_insts - since->insts >= waves * fmin(wave, s->look.wave) &&
           (double)(r->next_block - since->next) >= waves * (double)slots &&
           (double)r->cycle - since->cycle >= cycles;
}

static void end_unit(smarts_state_t *s, const interval_records_t *r)
{
    const mark_t end = mark(r);
    gpu_counters_t now;
    sampler_counters(r, &now);
    rb_grow(&s->units, &s->cap_units, s->n + 1, sizeof(*s->units));
    smarts_unit_t *u = &s->units[s->n++];
    *u = (smarts_unit_t){.cycles = end.cycle - s->unit.cycle, .insts = end.insts - s->unit.insts};
    stats_sub((uint64_t *)&u->counters, (const uint64_t *)&now, (const uint64_t *)&s->unit.counters,
              GPU_COUNTERS);
    u->surveyed = shadow_between(&s->look.shadow, (uint64_t)fmax(s->unit.front, 0),
                                 (uint64_t)ceil(fmax(end.front, 0)));
}

/* Gives each unit the instructions that were left out of its stratum as its weight. */
static void weigh(smarts_state_t *s)
{
    for (size_t i = 0; i < s->n; i++) {
        s->units[i].weight = 0;
        for (size_t g = 0; g < s->n_gaps; g++) {
            uint64_t first = s->gaps[g].first, end = s->gaps[g].end;
            if (first < s->strata[i].first && i > 0)
                first = s->strata[i].first;
            if (end > s->strata[i].end && i + 1 < s->n)
                end = s->strata[i].end;
            if (first < end)
                s->units[i].weight += smarts_look_insts(&s->look, first, end);
        }
    }
}

static smarts_question_t question(smarts_state_t *s)
{
    smarts_question_t q = {.units = s->units,
                           .n = s->n,
                           .dram_sectors = s->dram_sectors,
                           .confidence = s->options.confidence,
                           .explain = s->options.explain,
                           .bias = s->options.bias,
                           .disagree = s->options.disagree};
    weigh(s);
    for (size_t g = 0; g < s->n_gaps; g++) {
        const shadow_counts_t c = shadow_between(&s->look.shadow, s->gaps[g].first, s->gaps[g].end);
        stats_add((uint64_t *)&q.left, (const uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
    }
    return q;
}

/* Plans further units from those measured so far. */
static void revise(smarts_state_t *s, const interval_records_t *r)
{
    const smarts_question_t q = question(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    const double done = (double)r->cycle - s->begun + a.left;
    const double passed = smarts_look_insts(&s->look, 0, r->next_block);
    smarts_plan_revise(&s->plan, &a, s->n,
                       done * smarts_look_insts(&s->look, 0, s->look.blocks) / passed);
    smarts_answer_free(&a);
    const double simulated =
        (double)r->warp_insts + smarts_look_insts(&s->look, s->plan.tail, s->look.blocks);
    if (simulated > s->options.limit * smarts_look_insts(&s->look, 0, s->look.blocks))
        simulate_rest(s, "units vary so much that more than the allowed share is simulated");
}

/* Whether the launch would end as the complete one does, if blocks up to the tail are skipped. */
static bool ends_alike(const smarts_state_t *s, uint64_t first)
{
    block_range_t *gaps = rb_calloc(s->n_gaps + 1, sizeof(*gaps));
    if (s->n_gaps > 0)
        memcpy(gaps, s->gaps, s->n_gaps * sizeof(*gaps));
    gaps[s->n_gaps] = (block_range_t){first, s->plan.tail};
    const slot_model_t model = slot_model_run(&s->look.insts, s->look.slots, gaps, s->n_gaps + 1);
    free(gaps);
    const double drain = model.drain * (double)s->look.slots / s->look.wave;
    const double waves = (double)s->look.blocks / (double)s->look.slots;
    return fabs(drain - s->look.drain) <= DRAIN_PART * s->options.bound * waves;
}

/* Skips the blocks up to `until`. false: they are too few. */
static bool skip(smarts_state_t *s, const interval_records_t *r, uint64_t until,
                 fast_forward_t *out)
{
    if ((double)until < (double)r->next_block + SHORTEST_GAP * (double)s->look.slots)
        return false;
    const uint64_t from =
        smarts_look_back(&s->look, r->next_block, until, s->options.warm * s->l2_sectors);
    rb_grow(&s->gaps, &s->cap_gaps, s->n_gaps + 1, sizeof(*s->gaps));
    s->gaps[s->n_gaps++] = (block_range_t){r->next_block, until};
    *out = (fast_forward_t){.until = until,
                            .model = FORWARD_REGION_IPC,
                            .residents = RESIDENTS_DRAIN,
                            .warp_insts = smarts_look_insts(&s->look, 0, s->look.blocks),
                            .warm = until - from};
    return true;
}

/* Goes to the tail. */
static bool finish(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    if (s->phase != PHASE_TAIL && s->plan.tail > r->next_block && !ends_alike(s, r->next_block))
        simulate_rest(s,
                      "blocks that are much longer than others would end the simulated part late");
    if (s->phase == PHASE_TAIL)
        return false;
    s->phase = PHASE_TAIL;
    return skip(s, r, s->plan.tail, out);
}

/* Goes to the next unit, or to the tail. */
static bool go_on(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const uint64_t first = s->n == 0 ? r->next_block : s->strata[s->n - 1].end;
    if (s->phase == PHASE_TAIL)
        return false;
    if (first >= s->plan.tail || r->next_block >= s->plan.tail)
        return finish(s, r, out);
    rb_grow(&s->strata, &s->cap_strata, s->n + 1, sizeof(*s->strata));
    s->strata[s->n] = smarts_plan_next(&s->plan, s->n, first);
    s->phase = PHASE_SETTLE;
    s->jitter = s->options.jitter * rng_unit(&s->plan.rng);
    s->resumed.next = UINT64_MAX;
    if (skip(s, r, s->strata[s->n].start, out))
        return true;
    begin_unit(s, r);
    return false;
}

static bool end_ramp(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const double waves = (double)r->warp_insts / s->look.wave;
    if (r->next_block < s->plan.ramp || (double)r->cycle - s->begun < s->refresh)
        return false;
    smarts_plan_settle(&s->plan, ((double)r->cycle - s->begun) / waves, s->refresh);
    check_room(s);
    return go_on(s, r, out);
}

static bool smarts_interval(const sampler_t *sampler, const interval_records_t *r,
                            fast_forward_t *out)
{
    smarts_state_t *s = sampler->state;
    if (s->phase == PHASE_REGION)
        return s->region.ops->interval_end(&s->region, r, out);
    if (s->phase == PHASE_RAMP)
        return end_ramp(s, r, out);
    if (s->phase == PHASE_SETTLE && s->resumed.next == UINT64_MAX)
        s->resumed = mark(r);
    else if (s->phase == PHASE_SETTLE &&
             has_run(s, &s->resumed, r, s->plan.settle + s->jitter, s->refresh))
        begin_unit(s, r);
    if (s->phase != PHASE_UNIT || !has_run(s, &s->unit, r, s->options.unit, 0))
        return false;
    end_unit(s, r);
    revise(s, r);
    return go_on(s, r, out);
}

static block_action_t smarts_block(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    const smarts_state_t *s = sampler->state;
    return s->phase == PHASE_REGION ? s->region.ops->block_dispatch(&s->region, block, cycles)
                                    : BLOCK_SIMULATE;
}

static double smarts_end(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    const smarts_state_t *s = sampler->state;
    return s->phase == PHASE_REGION ? s->region.ops->fast_forward_end(&s->region, skipped, moves)
                                    : 0;
}

static double smarts_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts)
{
    smarts_state_t *s = sampler->state;
    if (s->phase == PHASE_REGION)
        return s->region.ops->launch_added(&s->region, cycles, warp_insts);
    const smarts_question_t q = question(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    const double left = a.left;
    smarts_answer_free(&a);
    return left;
}

static const char *const regressor_names[] = {[SMARTS_BY_NOTHING] = "nothing",
                                              [SMARTS_BY_DRAM] = "DRAM sectors",
                                              [SMARTS_BY_LOOKUPS] = "L2 sectors"};

/* What the estimate rests on. */
static void explain(const smarts_state_t *s, const smarts_answer_t *a, double cycles, double share,
                    char evidence[SAMPLER_EVIDENCE_MAX])
{
    char by[64] = "", fills[64] = "", half[64] = "too few units for an error";
    if (a->by != SMARTS_BY_NOTHING)
        snprintf(by, sizeof(by), ", by %s", regressor_names[a->by]);
    if (fabs(a->disagree) > s->options.disagree)
        snprintf(fills, sizeof(fills), ", L2 fills %+.0f %% of the survey's", 100 * a->disagree);
    if (isfinite(a->half))
        snprintf(half, sizeof(half), "+-%.2g %%%s", 100 * a->half / cycles,
                 a->half > s->options.bound * cycles ? " (not within the bound)" : "");
    snprintf(evidence, SAMPLER_EVIDENCE_MAX, "%zu units%s, %.2g %% simulated: %s%s%s%.80s", s->n,
             by, 100 * share, half, fills, s->why[0] == '\0' ? "" : "; rest simulated: ", s->why);
}

static void smarts_estimate(const sampler_t *sampler, const launch_estimate_t *simulated,
                            launch_estimate_t *whole, sampler_replicates_t *replicates,
                            char evidence[SAMPLER_EVIDENCE_MAX])
{
    smarts_state_t *s = sampler->state;
    if (s->phase == PHASE_REGION || s->n == 0)
        return;
    const smarts_question_t q = question(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    *whole = *simulated;
    s->list = rb_calloc(s->n, sizeof(*s->list));
    smarts_complete(&a, &q, whole, s->list);
    if (isfinite(a.half))
        *replicates = (sampler_replicates_t){s->n, s->list};
    const double all = smarts_look_insts(&s->look, 0, s->look.blocks);
    explain(s, &a, whole->cycles,
            simulated->counter[offsetof(gpu_counters_t, sm.warp_insts) / sizeof(uint64_t)] / all,
            evidence);
    smarts_answer_free(&a);
}

static void smarts_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const smarts_state_t *s = sampler->state;
    if (s->phase == PHASE_REGION)
        s->region.ops->launch_verdict(&s->region, evidence);
    else
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "%s", s->why);
}

static const sampler_ops_t smarts_ops = {
    .name = "smarts",
    .retired = 1u << RETIRED_BLOCK,
    .launch_open = smarts_open,
    .interval_end = smarts_interval,
    .block_dispatch = smarts_block,
    .fast_forward_end = smarts_end,
    .launch_added = smarts_added,
    .launch_estimate = smarts_estimate,
    .launch_verdict = smarts_verdict,
};

const inside_method_t inside_smarts = {
    .help = "units of whole waves all over the launch, with a stated error",
    .options = &smarts_group,
    .ops = &smarts_ops,
    .create = smarts_create,
    .destroy = smarts_destroy,
};
