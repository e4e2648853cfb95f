#include <math.h>
#include <stdlib.h>

#include "sampling/inside/inside_table.h"
#include "sampling/inside/region_measure.h"
#include "sampling/inside/smarts_state.h"
#include "sim/core/alloc.h"

/* Waves at the end of a launch whose blocks hold their slots. */
enum { HELD_WAVES = 3 };

/* Share of the launch that a checking unit measures, if that is longer than a unit. */
#define CHECK_SHARE 0.01

/* Part of the launch after the region's measurement in which units check it: if they disagree, the
 * rest has room for more of them. */
#define CHECK_REACH 0.4

static region_state_t *region_of(const smarts_state_t *s)
{
    return s->region.state;
}

rb_code_t smarts_check_open(smarts_state_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    RB_TRY(smarts_look_variation(&s->look, l, &s->variation, err));
    if (!s->options.even || l->source->ops->block_facts == NULL ||
        s->variation.most > s->options.variation)
        return RB_OK;
    RB_TRY(s->region.ops->launch_open(&s->region, l, err));
    const region_table_t *table = &region_of(s)->table;
    if (table->n == 1 && table->list[0].even)
        s->phase = PHASE_REGION;
    return RB_OK;
}

/* Keeps the ends of the last two waves, with their counters. */
static void note_wave(smarts_state_t *s, const interval_records_t *r)
{
    smarts_mark_t *wave = s->check.wave;
    if (r->next_block < wave[1].next + s->look.slots)
        return;
    wave[0] = wave[1];
    wave[1] = smarts_mark(r);
    sampler_counters(r, &wave[1].counters);
}

/* The region's measurement becomes the first unit: the counters of the last waves, at its rate. */
static void add_region(smarts_state_t *s, const interval_records_t *r)
{
    smarts_add_unit(s, &s->check.wave[0], r);
    smarts_unit_t *u = &s->units[0];
    u->cycles = u->insts / region_measured_rate(region_of(s));
    s->check.fills = smarts_fills(u, 1);
    rb_grow(&s->strata, &s->cap_strata, 1, sizeof(*s->strata));
    s->strata[0] = (smarts_stratum_t){.end = r->next_block};
}

/* The region's rate is known: units check it. */
static bool begin_check(smarts_state_t *s, const interval_records_t *r, const fast_forward_t *last,
                        fast_forward_t *out)
{
    const double waves = (double)r->warp_insts / s->look.wave;
    s->check.on = true;
    s->check.last = *last;
    add_region(s, r);
    smarts_plan_settle(&s->plan, ((double)r->cycle - s->begun) / waves, s->refresh);
    s->plan.unit = fmax(s->plan.unit, CHECK_SHARE * (double)s->look.blocks / (double)s->look.slots);
    const double rest = (double)(s->look.blocks - r->next_block);
    smarts_plan_anew(&s->plan, s->n, s->options.checks, r->next_block,
                     r->next_block + (uint64_t)(CHECK_REACH * rest));
    *out = (fast_forward_t){0};
    return smarts_go_on(s, r, out);
}

bool smarts_check_region(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    note_wave(s, r);
    if (!s->region.ops->interval_end(&s->region, r, out))
        return false;
    if (out->until < s->look.blocks) {
        s->check.filled = (block_range_t){r->next_block, out->until};
        smarts_add_gap(s, r, out->until);
        return true;
    }
    const fast_forward_t last = *out;
    return begin_check(s, r, &last, out);
}

/* Cycles per warp instruction. */
static double mean_rate(const smarts_state_t *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += smarts_check_part(s, i) * s->units[i].cycles / s->units[i].insts;
    return sum;
}

/* Leaves out the rest of the launch, as the region would have. */
static bool leave_rest(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const uint64_t left = (s->look.blocks - r->next_block) / s->look.slots;
    const double rate = mean_rate(s);
    s->phase = PHASE_HELD;
    smarts_add_gap(s, r, s->look.blocks);
    *out = s->check.last;
    out->evidence[0] = '\0';
    region_of(s)->held = (double)s->look.slots * rate;
    out->pass = left > HELD_WAVES ? (left - HELD_WAVES) * s->look.slots : 0;
    out->pass_cycles = rate * smarts_look_insts(&s->look, r->next_block, r->next_block + out->pass);
    return true;
}

/* The units disagree: the rest of the launch is walked over in units. */
static bool give_up(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    s->check.on = false;
    smarts_plan_anew(&s->plan, s->n, s->options.least, s->strata[s->n - 1].end,
                     smarts_plan_tail(&s->plan));
    return smarts_go_on(s, r, out);
}

bool smarts_check_unit(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const smarts_question_t q = smarts_ask(s);
    smarts_answer_t a;
    smarts_answer(&a, &q);
    const bool within = a.half <= s->options.bound * a.left;
    smarts_answer_free(&a);
    if (!within)
        return give_up(s, r, out);
    const bool more = s->n <= s->options.checks && r->next_block < s->plan.tail;
    return more ? smarts_go_on(s, r, out) : leave_rest(s, r, out);
}

double smarts_check_added(const smarts_state_t *s, cycle_t cycles, uint64_t warp_insts)
{
    double added = s->region.ops->launch_added(&s->region, cycles, warp_insts);
    for (size_t g = 0; g < s->n_gaps; g++) {
        const block_range_t *skipped = &s->gaps[g].skipped;
        if (skipped->end > s->check.filled.end && skipped->end < s->look.blocks)
            added += mean_rate(s) * s->gaps[g].insts - s->gaps[g].cycles;
    }
    return added;
}
