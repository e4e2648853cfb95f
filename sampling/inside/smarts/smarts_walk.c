#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/smarts/smarts_state.h"
#include "sim/core/alloc.h"

/* Gaps shorter than this share of a wave are simulated. */
#define SHORTEST_GAP 0.25

/* How much the end of the simulated part may differ from that of the launch: share of the bound. */
#define DRAIN_PART 0.25

/*
 * A plan that would simulate more than this part of the limit is looked at again before anything is skipped: the first
 * waves find empty caches, and later ones may be so much faster that units, which last a time, are more of them. The
 * ramp is at most this many times as long as a launch settles.
 */
#define CLEAR_PART   0.75
#define LONGEST_RAMP 4
#define SAME_PACE    0.9

/* The rest is simulated if units and tail would be a larger share of it than the limit. */
#define REST_MARGIN 0.1

void smarts_simulate_rest(smarts_state_t *s, const char *why)
{
    s->phase = PHASE_TAIL;
    if (s->why[0] == '\0')
        snprintf(s->why, sizeof(s->why), "%s", why);
}

void smarts_check_room(smarts_state_t *s)
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
    smarts_simulate_rest(s, why);
}

bool smarts_survey(smarts_state_t *s, uint64_t until)
{
    if (s->failed == RB_OK && s->base == NULL) /* the change from what it follows needs no survey */
        s->failed = smarts_look_survey(&s->look, s->launch, until, &s->err);
    return s->failed == RB_OK;
}

smarts_mark_t smarts_mark(const interval_records_t *r)
{
    return (smarts_mark_t){.cycle = (double)r->cycle,
                           .insts = (double)r->warp_insts,
                           .next = r->next_block,
                           .front = (double)r->next_block - (double)r->resident / 2};
}

/* The launch has settled: what was simulated since the blocks were skipped does not count. */
static void close_gap(smarts_state_t *s)
{
    smarts_gap_t *g = &s->gaps[s->n_gaps - 1];
    s->settling = false;
    g->first = s->left.front;
    g->end = s->unit.front;
    g->insts += s->unit.insts - s->left.insts;
    g->cycles = s->unit.cycle - s->left.cycle;
    stats_sub((uint64_t *)&g->counters, (const uint64_t *)&s->unit.counters,
              (const uint64_t *)&s->left.counters, GPU_COUNTERS);
}

static void begin_unit(smarts_state_t *s, const interval_records_t *r)
{
    s->phase = PHASE_UNIT;
    s->unit = smarts_mark(r);
    sampler_counters(r, &s->unit.counters);
    s->places[s->n].begin = s->unit.front;
    if (s->settling)
        close_gap(s);
    else
        s->places[s->n].resume = r->next_block;
}

/* Whether the launch has run for `waves` waves and `cycles` since a mark. */
static bool has_run(const smarts_state_t *s, const smarts_mark_t *since,
                    const interval_records_t *r, double waves, double cycles)
{
    const uint64_t slots = s->look.slots, to = since->next + slots;
    const double wave =
        smarts_look_insts(&s->look, since->next, to < s->look.blocks ? to : s->look.blocks);
    return (double)r->warp_insts - since->insts >= waves * fmin(wave, s->look.wave) &&
           (double)r->next_block - (double)since->next >= waves * (double)slots &&
           (double)r->cycle - since->cycle >= cycles;
}

void smarts_add_unit(smarts_state_t *s, const smarts_mark_t *from, const interval_records_t *r)
{
    const smarts_mark_t end = smarts_mark(r);
    gpu_counters_t now;
    sampler_counters(r, &now);
    rb_grow(&s->units, &s->cap_units, s->n + 1, sizeof(*s->units));
    smarts_unit_t *u = &s->units[s->n++];
    *u = (smarts_unit_t){.cycles = end.cycle - from->cycle, .insts = end.insts - from->insts};
    stats_sub((uint64_t *)&u->counters, (const uint64_t *)&now, (const uint64_t *)&from->counters,
              GPU_COUNTERS);
    s->places[s->n - 1].end = end.front;
    if (s->look.shadow != NULL)
        u->surveyed = shadow_between(s->look.shadow, (uint64_t)fmax(from->front, 0),
                                     (uint64_t)ceil(fmax(end.front, 0)));
}

/* Instructions that were left out of a stratum; the first and the last one reach to the ends. */
static double left_of(const smarts_state_t *s, size_t i)
{
    double insts = 0;
    for (size_t k = 0; k < s->n_gaps; k++) {
        const smarts_gap_t *g = &s->gaps[k];
        const double first = i > 0 ? fmax(g->first, (double)s->strata[i].first) : g->first;
        const double end = i + 1 < s->n ? fmin(g->end, (double)s->strata[i].end) : g->end;
        if (first < end)
            insts += g->insts * (end - first) / (g->end - g->first);
    }
    return insts;
}

/* Gives each unit its weight: what was left out of its stratum. */
static void weigh(smarts_state_t *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->units[i].weight = left_of(s, i);
}

smarts_question_t smarts_ask(smarts_state_t *s)
{
    smarts_question_t q = {.units = s->units,
                           .n = s->n,
                           .confidence = s->options.confidence,
                           .explain = s->options.explain,
                           .bias = s->options.bias,
                           .l2 = s->l2_read,
                           .dram = s->dram_read};
    if (s->look.shadow != NULL && s->look.shadow->known == s->look.blocks)
        q.all = s->look.shadow->all;
    weigh(s);
    for (size_t g = 0; g < s->n_gaps && s->look.shadow != NULL; g++) {
        const shadow_counts_t c = shadow_between(
            s->look.shadow, (uint64_t)fmax(s->gaps[g].first, 0), (uint64_t)s->gaps[g].end);
        stats_add((uint64_t *)&q.left, (const uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
    }
    return q;
}

/*
 * Simulates the rest if skipping parts of it would not pay. What a unit takes is known now, and what has been simulated
 * and surveyed so far is spent either way.
 */
static void check_rest(smarts_state_t *s, const interval_records_t *r)
{
    const uint64_t first =
        s->strata[s->n - 1].end > r->next_block ? s->strata[s->n - 1].end : r->next_block;
    if (s->n < 2 || first >= s->plan.tail) /* one unit has no error */
        return;
    const double each = ((double)r->warp_insts - s->ramp) / (double)s->n;
    const double rest = smarts_look_insts(&s->look, r->next_block, s->look.blocks),
                 tail = smarts_look_insts(&s->look, s->plan.tail, s->look.blocks);
    if (each * smarts_plan_left(&s->plan, s->n, first) + tail >
        (s->options.limit + REST_MARGIN) * rest)
        smarts_simulate_rest(s, "units would take too much of what is left");
}

/* Plans further units from those measured so far. */
void smarts_revise(smarts_state_t *s, const interval_records_t *r)
{
    const smarts_question_t q = smarts_ask(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    const double done = (double)r->cycle - s->begun + a.left;
    const double passed = smarts_look_insts(&s->look, 0, r->next_block);
    smarts_plan_revise(&s->plan, &a, s->n,
                       done * smarts_look_insts(&s->look, 0, s->look.blocks) / passed);
    smarts_answer_free(&a);
    check_rest(s, r);
}

/* Whether the launch would end as the complete one does, if blocks up to the tail are skipped. */
static bool ends_alike(const smarts_state_t *s, uint64_t first)
{
    block_range_t *gaps = rb_calloc(s->n_gaps + 1, sizeof(*gaps));
    for (size_t g = 0; g < s->n_gaps; g++)
        gaps[g] = s->gaps[g].skipped;
    gaps[s->n_gaps] = (block_range_t){first, s->plan.tail};
    const slot_model_t model = slot_model_run(&s->look.insts, s->look.slots, gaps, s->n_gaps + 1);
    free(gaps);
    const double drain = model.drain * (double)s->look.slots / s->look.wave;
    const double waves = (double)s->look.blocks / (double)s->look.slots;
    return fabs(drain - s->look.drain) <= DRAIN_PART * s->options.bound * waves;
}

void smarts_add_gap(smarts_state_t *s, const interval_records_t *r, uint64_t end)
{
    rb_grow(&s->gaps, &s->cap_gaps, s->n_gaps + 1, sizeof(*s->gaps));
    s->gaps[s->n_gaps++] = (smarts_gap_t){.skipped = {r->next_block, end},
                                          .first = (double)r->next_block,
                                          .end = (double)end,
                                          .insts = smarts_look_insts(&s->look, r->next_block, end)};
    s->left = smarts_mark(r);
    sampler_counters(r, &s->left.counters);
}

/* Whole waves are skipped, so that blocks meet the same neighbours on the chip as in the whole launch: those
 * of a wave may read the same data at the same time. */
static uint64_t whole_waves(const smarts_state_t *s, uint64_t first, uint64_t end)
{
    return end > first ? end - (end - first) % s->look.slots : end;
}

/* The block from which on those that are skipped up to `until` are applied to the caches. */
static uint64_t walk_from(const smarts_state_t *s, uint64_t first, uint64_t until)
{
    if (s->base == NULL)
        return smarts_look_back(&s->look, first, until, s->options.warm * s->l2_sectors);
    const uint64_t most = until - first, walked = s->places[s->n].walked;
    return until - (walked < most ? walked : most);
}

bool smarts_skip(smarts_state_t *s, const interval_records_t *r, uint64_t until,
                 fast_forward_t *out)
{
    until = whole_waves(s, r->next_block, until);
    if ((double)until < (double)r->next_block + SHORTEST_GAP * (double)s->look.slots)
        return false;
    if (!smarts_survey(s, until))
        return false;
    const uint64_t from = walk_from(s, r->next_block, until);
    smarts_add_gap(s, r, until);
    *out = (fast_forward_t){.until = until,
                            .model = FORWARD_REGION_IPC,
                            .residents = RESIDENTS_DRAIN,
                            .warp_insts = smarts_look_insts(&s->look, 0, s->look.blocks)};
    out->warm = out->until > from ? out->until - from : 0;
    s->places[s->n].resume = until;
    /* A follower skips more. It walks all of that if this run walks all that it skips. */
    s->places[s->n].walked = from > r->next_block ? out->warm : s->look.blocks;
    return true;
}

/* Goes to the tail. */
static bool finish(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    if (s->phase != PHASE_TAIL && s->plan.tail > r->next_block && !ends_alike(s, r->next_block))
        smarts_simulate_rest(
            s, "blocks that are much longer than others would end the simulated part late");
    if (s->phase == PHASE_TAIL || !smarts_survey(s, s->look.blocks))
        return false;
    s->phase = PHASE_TAIL;
    /* The tail is no unit, so a follower does not know how much was walked before it. */
    s->places[s->n] = (smarts_place_t){.walked = s->look.blocks};
    return smarts_skip(s, r, s->plan.tail, out);
}

bool smarts_go_on(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const uint64_t first = s->n == 0 ? r->next_block : s->strata[s->n - 1].end;
    if (s->phase == PHASE_TAIL)
        return false;
    rb_grow(&s->strata, &s->cap_strata, s->n + 1, sizeof(*s->strata));
    rb_grow(&s->places, &s->cap_places, s->n + 1, sizeof(*s->places));
    if (first >= s->plan.tail || r->next_block >= s->plan.tail)
        return finish(s, r, out);
    if (s->base == NULL) {
        s->strata[s->n] = smarts_plan_next(&s->plan, s->n, first);
        s->places[s->n] = (smarts_place_t){.of = s->n, .last = s->n};
    } else if (!smarts_follow_next(s, smarts_mark(r).front, first)) {
        return finish(s, r, out);
    }
    s->phase = PHASE_SETTLE;
    s->jitter = s->options.jitter * rng_unit(&s->plan.rng);
    s->resumed.next = UINT64_MAX;
    s->settling = smarts_skip(s, r, s->strata[s->n].start, out);
    if (s->settling)
        return true;
    if (s->base == NULL)
        begin_unit(s, r);
    return false;
}

/* Whether the plan may turn out to simulate more than the limit, because waves become faster. before: cycles of a wave
 * at the last look at it, 0: at the first. */
static bool is_doubtful(const smarts_state_t *s, double before, double cycles)
{
    return smarts_plan_share(&s->plan) > CLEAR_PART * s->options.limit &&
           cycles < LONGEST_RAMP * s->refresh && (before <= 0 || s->wave < SAME_PACE * before);
}

/*
 * Where scattered stores miss, the DRAM writes what they displace. After a gap these are lines that the walk
 * left, of which fewer share a row of the DRAM than of those that time left. So the launch settles until it has taken as
 * many lines as the L2 has. Judged by as many blocks as the ramp had, but after it: its own lines are in the L2. false:
 * nothing is skipped.
 */
static bool turn_over(smarts_state_t *s, uint64_t ramp)
{
    const uint64_t end = 2 * ramp < s->look.blocks ? 2 * ramp : s->look.blocks;
    if (!smarts_survey(s, end))
        return false;
    if (s->look.shadow == NULL || end <= ramp)
        return true;
    const shadow_counts_t next = shadow_between(s->look.shadow, ramp, end);
    const double taken = smarts_lines(&next) * (double)s->look.slots / (double)(end - ramp);
    if (!smarts_scatters(&next) || taken <= 0)
        return true;
    smarts_plan_turn_over(&s->plan, s->l2_sectors / SECTORS_PER_LINE / taken);
    smarts_check_room(s);
    return s->phase != PHASE_TAIL;
}

bool smarts_end_ramp(smarts_state_t *s, const interval_records_t *r)
{
    const double cycles = (double)r->cycle - s->begun;
    if (s->half.insts == 0 && r->next_block >= s->plan.ramp / 2 && cycles >= s->refresh / 2)
        s->half = smarts_mark(r);
    if (r->next_block < s->plan.ramp || cycles < s->refresh ||
        cycles < 2 * (s->half.cycle - s->begun))
        return false;
    const double before = s->wave, insts = (double)r->warp_insts - s->half.insts;
    if (insts > 0)
        s->wave = ((double)r->cycle - s->half.cycle) * s->look.wave / insts;
    smarts_plan_settle(&s->plan, s->wave, s->refresh, s->launch->spec->sampling.interval);
    smarts_check_room(s);
    if (s->phase == PHASE_TAIL)
        return false;
    if (is_doubtful(s, before, cycles)) {
        s->half = smarts_mark(r);
        return false;
    }
    s->ramp = (double)r->warp_insts;
    return turn_over(s, r->next_block);
}

/* Whether the next unit begins; whether it ends. One that is followed does so at the same blocks. */
static bool has_settled(const smarts_state_t *s, const interval_records_t *r)
{
    if (s->base != NULL)
        return smarts_mark(r).front >= s->places[s->n].begin;
    return has_run(s, &s->resumed, r, s->plan.settle + s->jitter, s->refresh);
}

static bool is_measured(const smarts_state_t *s, const interval_records_t *r)
{
    if (s->base != NULL)
        return smarts_mark(r).front >= s->places[s->n].end;
    return has_run(s, &s->unit, r, s->plan.unit, s->refresh);
}

bool smarts_unit_ends(smarts_state_t *s, const interval_records_t *r)
{
    if (s->phase == PHASE_SETTLE && s->resumed.next == UINT64_MAX) {
        s->resumed = smarts_mark(r);
    } else if (s->phase == PHASE_SETTLE && has_settled(s, r))
        begin_unit(s, r);
    if (s->phase != PHASE_UNIT || !is_measured(s, r))
        return false;
    if (!smarts_survey(s, r->next_block))
        return false;
    smarts_add_unit(s, &s->unit, r);
    return true;
}
