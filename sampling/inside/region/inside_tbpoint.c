/*
 * tbpoint_region: TBPoint inside launches (IPDPS 2014). The index gives regions of blocks that are
 * expected to run at one rate (region_table.h). Once all blocks on the chip belong to one region
 * and its rate has settled, the region's remaining blocks are skipped and take the time of their
 * instructions at that rate. Detailed simulation resumes at the first block of the next region.
 *
 * Variant paper: a sampling unit is the lifetime of a block; when it retires, the block dispatched
 * next is followed. When two units differ by less than the
 * tolerance, the region's rate is that of the last one.
 *
 * Variant slope (our own): a unit is the time in which as many blocks retire as the chip holds. Until a
 * launch has filled the L2, its writes do not reach the DRAM, but data that it found there may have to
 * be written back. If it will fill the L2, the blocks up to then are skipped at the rate before, they
 * are read so that the L2 gets what they touch, and the rate is measured again; that rate also applies
 * to blocks skipped when the L2 was nearly full. Only whole waves are skipped. The rate is the slope of
 * the retirement times of at least
 * `units` waves (unit_slope.h). The first one and a quarter waves give the rate of the blocks that
 * fill the L2; of the blocks after them, the wave that was on the chip is ignored. A launch that
 * does not fill the L2, or is not limited by that, is measured from its second wave on. If the
 * confidence interval of the rate is wider than `doubt`, it is measured longer (`most`). If the
 * DRAM limits the launch, the sectors that it moves give the rate too, and one and a half units are
 * enough if its pace is known that well (dram_pace.h); if no blocks were read while they filled the
 * L2, a few are skipped and read for this. If the region is the launch's last, its blocks hold
 * their slots for the time that gives this rate (Little's law), and so do those on SMs, which end
 * at once. The last blocks do not speed up as they get fewer: what they gain by sharing with fewer,
 * the launch loses by waiting for the slowest of them.
 *
 * Otherwise the blocks on SMs are simulated to their end, and that time counts. They stand for
 * those that would have been there at the region's end.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/inside/fill_skip.h"
#include "sampling/inside/inside_table.h"
#include "sampling/inside/region/region_measure.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"

/* Waves that are ignored after the L2 is full or detail has resumed. */
enum { SETTLE_WAVES = 1 };

/* Share of a wave that is read if no blocks that fill the L2 were skipped. */
#define READ_SHARE 0.25

/* Waves at the end of a launch in which blocks hold their slots; minimum waves left for some blocks
 * to be skipped and read. */
enum { HELD_WAVES = 3, READ_WAVES = 10 };

static void *region_create(const inside_method_t *method, const void *options, uint64_t seed,
                           rb_err_t *err)
{
    region_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    (void)err;
    (void)seed;
    s->options = *(const region_options_t *)options;
    return s;
}

static void region_destroy(void *state)
{
    region_state_t *s = state;
    region_table_free(&s->table);
    free(s);
}

static rb_code_t region_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    region_state_t *s = sampler->state;
    const region_options_t *o = &s->options;
    const region_rule_t rule = region_rule(o);
    region_table_t table;
    const uint64_t blocks = l->info->n_blocks, slots = l->slots < blocks ? l->slots : blocks;
    region_table_free(&s->table);
    *s = (region_state_t){.options = *o,
                          .slots = slots == 0 ? 1 : slots,
                          .l2_sectors = l->spec->mem.l2.size / SECTOR_BYTES,
                          .dram_sectors = fill_dram_sectors(l->spec),
                          .travel =
                              l->spec->sched.dispatch_latency + l->spec->sched.completion_latency};
    s->last.cycle = s->begun = l->spec->gpu.launch_latency;
    s->filled = o->variant == TBPOINT_PAPER || !o->fill;
    rb_code_t rc = region_table_make(&table, l->source, l->position, s->slots, &rule, err);
    s->table = table;
    s->blocks = table.insts.blocks;
    RB_TRY(rc);
    return guard_open(&s->guard, l, o->check, o->alike, err);
}

/* The rate of the skipped blocks that fill the L2; 0: unknown. The mean of two estimates from the
 * first one and a quarter waves: the blocks that retire first and their successors are faster than
 * the rest, and the average so far includes the cold start. */
static double filling_rate(const region_state_t *s, const interval_records_t *r)
{
    if (s->slope.units >= 2)
        return unit_slope_rate(&s->slope);
    const double first = unit_slope_first_rate(&s->slope);
    return sqrt(first * (double)r->warp_insts / ((double)r->cycle - s->begun));
}

/* L2 sectors that a block takes, assuming that blocks on SMs are half done on average. */
static double taken_by_block(const region_state_t *s, const interval_records_t *r)
{
    if (s->in->first > 0)
        return s->rate.taken / ((double)s->rate.units * (double)s->slots);
    return (double)r->l2_taken / ((double)r->next_block - (double)r->resident / 2);
}

/* L2 sectors that a block looks up. */
static double touched_by_block(const region_state_t *s, const interval_records_t *r)
{
    return (double)r->l2_touched /
           ((double)r->next_block - (double)s->left_out - (double)r->resident / 2);
}

/* Whether the launch may still be using what others left in the L2: its blocks have not yet touched
 * as many sectors as the L2 has, but will. */
static bool may_live_on_others(const region_state_t *s, const interval_records_t *r)
{
    return (double)r->l2_touched < L2_TAKEN_FULL * (double)s->l2_sectors &&
           touched_by_block(s, r) * (double)s->blocks >= (double)s->l2_sectors;
}

/* Whether the DRAM would not limit the launch at this rate, even if the L2 is full. */
static bool is_light(const region_state_t *s, const interval_records_t *r, double rate)
{
    const double block = (double)block_insts_before(&s->table.insts, s->blocks) / (double)s->blocks;
    const double moved = r->l2_taken == 0 ? 0 : (double)r->l2_moved / (double)r->l2_taken;
    double sectors = moved * taken_by_block(s, r);
    if (may_live_on_others(s, r))
        sectors = fmax(sectors, touched_by_block(s, r));
    return sectors * rate / block <= s->options.light * s->dram_sectors;
}

/* Number of blocks from the next on until the launch has taken `sizes` times the L2's size.
 * UINT64_MAX: it will not. Only valid once a unit was measured. */
static uint64_t blocks_to_take(const region_state_t *s, const interval_records_t *r, double sizes)
{
    const double of_block = taken_by_block(s, r);
    const double left = sizes * (double)s->l2_sectors - (double)r->l2_taken;
    if (left <= 0)
        return 0;
    return of_block * (double)(s->blocks - r->next_block) < left ? UINT64_MAX
                                                                 : (uint64_t)ceil(left / of_block);
}

/* Starts to skip the blocks up to `until`, at a rate. */
static void leave_out(region_state_t *s, const interval_records_t *r, uint64_t until, double rate,
                      fast_forward_t *out)
{
    s->rate_used = rate;
    s->first = r->next_block;
    s->filling = false;
    s->left_out += until - r->next_block;
    *out = (fast_forward_t){.until = until,
                            .model = FORWARD_REGION_IPC,
                            .residents = RESIDENTS_DRAIN,
                            .warp_insts = (double)block_insts_before(&s->table.insts, s->blocks)};
    const double error = 100 * unit_slope_error(&s->slope);
    char spread[48] = "";
    if (region_dram_tells(s))
        snprintf(spread, sizeof(spread), ", the DRAM is even to %.2g %%",
                 100 * dram_pace_unrest(&s->pace));
    else if (isfinite(error))
        snprintf(spread, sizeof(spread), ", error %.2g %%", error);
    snprintf(out->evidence, sizeof(out->evidence),
             "region %zu of %zu (up to block %" PRIu64 ") at %.4g IPC, %" PRIu64 " unit%s%s",
             (size_t)(s->in - s->table.list) + 1, s->table.n, s->in->end - 1, rate, s->rate.units,
             s->rate.units == 1 ? "" : "s", spread);
    guard_tell(&s->guard, out->evidence);
}

/* Starts to skip blocks that are read. The rate so far does not apply to them: they take the time
 * of the rate that is measured next, and of the sectors that the DRAM must move for them. */
static void leave_out_reading(region_state_t *s, const interval_records_t *r, uint64_t blocks,
                              double rate, fast_forward_t *out)
{
    leave_out(s, r, r->next_block + blocks, rate, out);
    s->filling = true;
    out->warm = blocks;
}

/* The L2 does not affect the rate, which is measured from here on: the cold first wave is over. */
static void fill_does_not_matter(region_state_t *s)
{
    s->filled = true;
    unit_slope_forget(&s->slope);
}

/* Skips and reads a few blocks to find out how many sectors the DRAM must move for a block. */
static bool leave_out_to_read(region_state_t *s, const interval_records_t *r, double rate,
                              fast_forward_t *out)
{
    if (!s->options.dram || s->in->end - r->next_block < READ_WAVES * s->slots)
        return false;
    leave_out_reading(s, r, (uint64_t)ceil(READ_SHARE * (double)s->slots), rate, out);
    return true;
}

/* Whether the blocks up to `until` are like those whose rate was measured. */
static bool is_alike(region_state_t *s, const interval_records_t *r, uint64_t until)
{
    return guard_allows_after(&s->guard, r, (double)s->rate.units + 1, until);
}

/* While the L2 is not full: skips the blocks that fill it, or waits. */
static bool decide_filling(region_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const uint64_t left = s->in->end - r->next_block;
    const double rate = filling_rate(s, r);
    if (rate <= 0 || (s->rate.units == 0 && s->in->first > 0))
        return false;
    if (is_light(s, r, rate)) {
        fill_does_not_matter(s);
        return false;
    }
    const uint64_t to_turn = blocks_to_take(s, r, L2_TAKEN_TURN);
    uint64_t to_fill = blocks_to_take(s, r, L2_TAKEN_FULL);
    if (to_turn == UINT64_MAX) {
        s->waited = may_live_on_others(s, r);
        if (!s->waited)
            fill_does_not_matter(s);
        return false;
    }
    if (to_fill == UINT64_MAX)
        to_fill = to_turn;
    if (to_fill == 0) {
        s->filled = true;
        region_measure_anew(s, SETTLE_WAVES * s->slots);
        return leave_out_to_read(s, r, rate, out);
    }
    if (s->waited) /* the rate so far mixes two kinds */
        return false;
    const uint64_t blocks = (to_fill < left ? to_fill : left) / s->slots * s->slots;
    if (to_fill <= FILL_WAIT_WAVES * s->slots || blocks == 0 ||
        !is_alike(s, r, r->next_block + blocks))
        return false;
    leave_out_reading(s, r, blocks, rate, out);
    out->warm = fill_blocks_read(blocks, taken_by_block(s, r), (double)s->l2_sectors);
    s->filled = to_fill < left;
    return true;
}

/* The launch ends with this region: its remaining blocks, and those on SMs, hold their slots. If
 * many waves are left, only the last ones do; the others would only repeat what the scheduler
 * does. */
static void hold_out(region_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    const double rate = region_measured_rate(s);
    leave_out(s, r, s->blocks, rate, out);
    s->held = (double)s->slots / rate;
    out->model = FORWARD_HOLD_SLOT;
    out->residents = RESIDENTS_CUT;
    const uint64_t left = (s->blocks - r->next_block) / s->slots;
    out->pass = left > HELD_WAVES ? (left - HELD_WAVES) * s->slots : 0;
    out->pass_cycles = (double)(block_insts_before(&s->table.insts, r->next_block + out->pass) -
                                block_insts_before(&s->table.insts, r->next_block)) /
                       rate;
}

static bool decide_slope(region_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    if (!s->filled && decide_filling(s, r, out))
        return true;
    const uint64_t blocks = (s->in->end - r->next_block) / s->slots * s->slots;
    if (!s->filled || blocks == 0 || !region_has_settled(s, r))
        return false;
    if (!is_alike(s, r, r->next_block + blocks)) {
        region_measure_anew(s, s->slots);
        return false;
    }
    if (s->options.hold && s->in->end == s->blocks)
        hold_out(s, r, out);
    else
        leave_out(s, r, r->next_block + blocks, region_measured_rate(s), out);
    return true;
}

static bool decide_paper(region_state_t *s, const interval_records_t *r, fast_forward_t *out)
{
    if (!region_units_agree(s) || !is_alike(s, r, s->in->end))
        return false;
    leave_out(s, r, s->in->end, s->rate.last, out);
    return true;
}

/* The region of all blocks on the chip and of the next one, if its blocks may be skipped; else
 * NULL. */
static const region_t *region_entered(const region_state_t *s, const interval_records_t *r)
{
    if (r->next_block >= s->blocks || r->oldest >= r->next_block)
        return NULL;
    const region_t *region = region_table_find(&s->table, r->next_block);
    return region->even && region->first <= r->oldest ? region : NULL;
}

/* All blocks on the chip now belong to another region, or to several. */
static void enter(region_state_t *s, const region_t *region)
{
    s->in = region;
    s->retired = 0;
    s->left_out = 0;
    s->per_inst = 0;
    region_measure_anew(s, 0);
}

static bool region_interval(const sampler_t *sampler, const interval_records_t *r,
                            fast_forward_t *out)
{
    region_state_t *s = sampler->state;
    const bool paper = s->options.variant == TBPOINT_PAPER;
    rate_edge_t now = {
        .cycle = (double)r->cycle, .insts = (double)r->warp_insts, .taken = (double)r->l2_taken};
    const region_t *region = region_entered(s, r);
    bool go = false;
    if (region != s->in) {
        enter(s, region);
    } else if (s->passed_over) {
        region_measure_anew(s, SETTLE_WAVES * s->slots);
    } else if (region != NULL && paper) {
        region_follow_block(s, r, &now);
        go = decide_paper(s, r, out);
    } else if (region != NULL) {
        region_count_waves(s, r, &now);
        if (s->rate.open)
            dram_pace_add(&s->pace, now.cycle, (double)r->dram_moved);
        go = decide_slope(s, r, out);
    }
    s->passed_over = go;
    s->last = now;
    return go;
}

static double region_end(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    region_state_t *s = sampler->state;
    const double insts = (double)(block_insts_before(&s->table.insts, s->first + skipped) -
                                  block_insts_before(&s->table.insts, s->first));
    if (s->filling) {
        s->per_inst = insts > 0 ? moves->later / insts : 0;
        fill_left_add(&s->fill, moves, insts, s->dram_sectors);
        return 0;
    }
    const double filled = fill_left_cycles(&s->fill, s->rate_used, s->options.light);
    s->fill = (fill_left_t){0};
    return filled + insts / s->rate_used;
}

static block_action_t region_block(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    const region_state_t *s = sampler->state;
    if (s->held <= 0)
        return BLOCK_SIMULATE;
    const double insts = (double)(block_insts_before(&s->table.insts, block + 1) -
                                  block_insts_before(&s->table.insts, block));
    *cycles = (cycle_t)llround(fmin(fmax(s->held * insts - s->travel, 1), 1e15));
    return BLOCK_HOLD_SLOT;
}

/* A launch may end before the rate for skipped blocks has settled. */
static double region_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts)
{
    const region_state_t *s = sampler->state;
    (void)cycles;
    (void)warp_insts;
    const double rate = region_measured_rate(s);
    return s->fill.work <= 0
               ? 0
               : fill_left_cycles(&s->fill, rate > 0 ? rate : s->rate_used, s->options.light);
}

static void region_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const region_state_t *s = sampler->state;
    size_t even = 0;
    for (size_t i = 0; i < s->table.n; i++)
        even += s->table.list[i].even;
    int n = snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                     "no rate settled while blocks of its region were left: %zu regions, %zu of "
                     "them even, in %.3g waves",
                     s->table.n, even, (double)s->blocks / (double)s->slots);
    if (s->rate.units >= 2 && n > 0 && n < SAMPLER_EVIDENCE_MAX)
        snprintf(evidence + n, SAMPLER_EVIDENCE_MAX - (size_t)n,
                 "; the last units had %.4g and %.4g instructions per cycle", s->rate.before,
                 s->rate.last);
    if (s->guard.refused)
        guard_tell(&s->guard, evidence);
}

static const sampler_ops_t region_ops = {
    .name = "tbpoint_region",
    .retired = 1u << RETIRED_BLOCK,
    .launch_open = region_open,
    .interval_end = region_interval,
    .block_dispatch = region_block,
    .fast_forward_end = region_end,
    .launch_added = region_added,
    .launch_verdict = region_verdict,
};

const inside_method_t inside_tbpoint_region = {
    .help =
        "TBPoint's regions of blocks: when a region's rate has settled, the rest of the region is "
        "skipped",
    .options = &region_group,
    .ops = &region_ops,
    .fixed = true,
    .index = true,
    .create = region_create,
    .destroy = region_destroy,
};
