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
    if (s->settling)
        close_gap(s);
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
                           .bias = s->options.bias};
    if (s->look.shadow != NULL)
        q.all = s->look.shadow->all;
    weigh(s);
    for (size_t g = 0; g < s->n_gaps; g++) {
        const shadow_counts_t c = shadow_between(
            s->look.shadow, (uint64_t)fmax(s->gaps[g].first, 0), (uint64_t)s->gaps[g].end);
        stats_add((uint64_t *)&q.left, (const uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
    }
    return q;
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
    const double simulated =
        (double)r->warp_insts + smarts_look_insts(&s->look, s->plan.tail, s->look.blocks);
    if (s->n > 1 && simulated > s->options.limit * smarts_look_insts(&s->look, 0, s->look.blocks))
        smarts_simulate_rest(s, "units vary so much that more than the allowed share is simulated");
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

bool smarts_skip(smarts_state_t *s, const interval_records_t *r, uint64_t until,
                 fast_forward_t *out)
{
    until = whole_waves(s, r->next_block, until);
    if ((double)until < (double)r->next_block + SHORTEST_GAP * (double)s->look.slots)
        return false;
    const uint64_t from =
        smarts_look_back(&s->look, r->next_block, until, s->options.warm * s->l2_sectors);
    smarts_add_gap(s, r, until);
    *out = (fast_forward_t){.until = until,
                            .model = FORWARD_REGION_IPC,
                            .residents = RESIDENTS_DRAIN,
                            .warp_insts = smarts_look_insts(&s->look, 0, s->look.blocks)};
    out->warm = out->until > from ? out->until - from : 0;
    return true;
}

/* Goes to the tail. */
static bool finish(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    if (s->phase != PHASE_TAIL && s->plan.tail > r->next_block && !ends_alike(s, r->next_block))
        smarts_simulate_rest(
            s, "blocks that are much longer than others would end the simulated part late");
    if (s->phase == PHASE_TAIL)
        return false;
    s->phase = PHASE_TAIL;
    return smarts_skip(s, r, s->plan.tail, out);
}

bool smarts_go_on(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
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
    s->settling = smarts_skip(s, r, s->strata[s->n].start, out);
    if (s->settling)
        return true;
    begin_unit(s, r);
    return false;
}

bool smarts_end_ramp(smarts_state_t *s, const interval_records_t *r)
{
    const double waves = (double)r->warp_insts / s->look.wave;
    if (r->next_block < s->plan.ramp || (double)r->cycle - s->begun < s->refresh)
        return false;
    smarts_plan_settle(&s->plan, ((double)r->cycle - s->begun) / waves, s->refresh);
    smarts_check_room(s);
    return true;
}

bool smarts_unit_ends(smarts_state_t *s, const interval_records_t *r)
{
    const smarts_plan_t *p = &s->plan;
    if (s->phase == PHASE_SETTLE && s->resumed.next == UINT64_MAX) {
        s->resumed = smarts_mark(r);
    } else if (s->phase == PHASE_SETTLE &&
               has_run(s, &s->resumed, r, p->settle + s->jitter, s->refresh))
        begin_unit(s, r);
    if (s->phase != PHASE_UNIT || !has_run(s, &s->unit, r, p->unit, s->refresh))
        return false;
    smarts_add_unit(s, &s->unit, r);
    return true;
}
