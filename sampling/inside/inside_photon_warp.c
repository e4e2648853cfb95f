/*
 * photon_warp: Photon's warp level (MICRO 2023). Where one type of warp makes up nearly all of a
 * launch and its warps have come to take the same time, the blocks that are left only hold their
 * slots for that time, through the real block scheduler.
 *
 * Variants of the detector (samplers differ in windows and tests, stability.h):
 *   scaled  windows of waves x resident warps and twice as many: a fixed number spans too short a
 *           time on a large chip for the slope to pass. Warps of the first wave, issued together
 *           into cold caches, are not looked at, and the window must span the duration of a warp.
 *           The slope is the unbiased one: durations may spread, as long as there is no trend.
 *           While a launch has yet to fill the L2, what it writes does not reach the DRAM, and its
 *           warps are steadily too fast: of a launch that will fill the L2, the detector sees
 *           blocks dispatched after it has (fill)
 *   paper   the last 1024 warps and the last 2048; nothing is dropped
 *   code    as published: 2048 and their half, slope over the longer, the first 1023 warps dropped,
 *           a halved difference of means, and no look at the types of warps
 *
 * A block that is left holds its slot for the mean time of blocks in the short window (hold =
 * block), or for that of warps (hold = warp, as published: a block ends with its last warp, so that
 * this is too short where warps of a block differ). What retires is of the dominant type if it has
 * its number of instructions.
 *
 * The tail: blocks on SMs at the decision hold their slots for the predicted time too (residents =
 * predict), or are simulated to their end (drain). The last wave, with fewer blocks than slots, is
 * predicted as all others: where blocks compete for bandwidth it is really shorter.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/inside/inside_table.h"
#include "sampling/inside/read_ahead.h"
#include "sampling/inside/stability.h"
#include "sim/core/alloc.h"
#include "sim/core/msg.h"

enum { PHOTON_SCALED, PHOTON_PAPER, PHOTON_CODE };
static const char *const variant_names[] = {"scaled", "paper", "code", NULL};
enum { HOLD_BLOCK, HOLD_WARP };
static const char *const hold_names[] = {"block", "warp", NULL};
static const char *const residents_names[] = {"drain", "predict", NULL};

#define PHOTON_WARP_OPTIONS(P, E, T)                                                               \
    E(variant, variant_names, "scaled", "the detector: windows that scale, or as published")       \
    P(F64, waves, "2", 0.1, 1000, "waves",                                                         \
      "scaled: length of the short window, in resident warps")                                     \
    P(U32, least, "128", 2, 1000000, "warps", "scaled: least length of the short window")          \
    P(F64, delta, "0.03", 1e-6, 1, "", "slope and means may differ from one and each other by")    \
    P(F64, dominant, "0.95", 0, 1, "", "least share of the most frequent type of warp")            \
    P(F64, sample, "0.01", 0, 1, "", "share of the blocks that is read ahead for the types")       \
    P(BOOL, unbiased, "true", 0, 1, "",                                                            \
      "scaled: slope of issue against retirement: spread passes, trends do not")                   \
    P(BOOL, fill, "true", 0, 1, "", "scaled: wait until the launch has filled the L2, if it will") \
    E(hold, hold_names, "block", "blocks hold their slots for the mean time of blocks or warps")   \
    E(residents, residents_names, "predict", "blocks on SMs at the decision: predict or drain")

PARAM_STRUCT(photon_warp_options_t, PHOTON_WARP_OPTIONS);
#define PARAM_SPEC_ photon_warp_options_t
static const param_t photon_rows[] = {PARAM_ROWS(PHOTON_WARP_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t photon_group =
    PARAM_GROUP("photon_warp", "Photon's warp level", photon_warp_options_t, photon_rows);

enum { SAMPLE_LEAST = 16, PAPER_N = 1024, CODE_LONG = 2048, CODE_DROP = 1023 };

typedef struct {
    photon_warp_options_t options;
    uint64_t l2_sectors;
    bool trusting;       /* blocks from trust_from on are looked at */
    uint64_t trust_from; /* first such block */
    bool dominated;      /* the launch has a dominant type (not asked in variant code) */
    read_ahead_t ahead;  /* of the launch */
    uint64_t blocks, slots;
    uint32_t warps_per_block;
    stability_t detector;
    stability_reading_t reading; /* the latest */
    uint64_t *block_time;        /* owned; ring of the latest blocks' durations */
    size_t n_ring;
    uint64_t n_blocks, block_sum; /* noted; sum over the ring */
    bool fired;
    cycle_t hold; /* predicted time of a block, once fired */
} photon_state_t;

static void *photon_create(const void *options, uint64_t seed)
{
    photon_state_t *s = rb_calloc(1, sizeof(*s));
    (void)seed;
    s->options = *(const photon_warp_options_t *)options;
    return s;
}

static void photon_destroy(void *state)
{
    photon_state_t *s = state;
    stability_free(&s->detector);
    read_ahead_free(&s->ahead);
    free(s->block_time);
    free(s);
}

/* Windows and tests of the variant for a launch with so many resident warps. */
static stability_rule_t rule_of(const photon_warp_options_t *o, uint64_t resident_warps)
{
    stability_rule_t r = {.delta_slope = o->delta, .delta_mean = o->delta};
    switch (o->variant) {
    case PHOTON_PAPER:
        r.short_n = PAPER_N;
        r.long_n = 2 * PAPER_N;
        break;
    case PHOTON_CODE:
        r.short_n = CODE_LONG / 2;
        r.long_n = CODE_LONG;
        r.slope_long = true;
        r.halved = true;
        r.drop = CODE_DROP;
        break;
    default:
        r.short_n = (size_t)ceil(o->waves * (double)resident_warps);
        if (r.short_n < o->least)
            r.short_n = o->least;
        r.long_n = 2 * r.short_n;
        r.min_span = 1;
        r.unbiased = o->unbiased;
    }
    return r;
}

static rb_code_t photon_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    photon_state_t *s = sampler->state;
    const photon_warp_options_t *o = &s->options;
    s->blocks = l->info->n_blocks;
    s->slots = l->slots < s->blocks ? l->slots : s->blocks;
    s->warps_per_block = l->occupancy->warps_per_block;
    s->l2_sectors = l->spec->mem.l2.size / SECTOR_BYTES;
    s->trusting = o->variant != PHOTON_SCALED || !o->fill;
    s->trust_from = o->variant == PHOTON_SCALED ? s->slots : 0;
    s->dominated = true;
    read_ahead_free(&s->ahead);
    if (o->variant != PHOTON_CODE) {
        RB_TRY(read_ahead(l, o->sample, SAMPLE_LEAST, &s->ahead, err));
        s->dominated = s->ahead.warps > 0 && s->ahead.dominant_share >= o->dominant;
    }
    const stability_rule_t rule = rule_of(o, s->slots * s->warps_per_block);
    stability_free(&s->detector);
    stability_init(&s->detector, &rule);
    s->reading = (stability_reading_t){0};
    free(s->block_time);
    s->n_ring = rule.short_n / s->warps_per_block;
    s->n_ring = s->n_ring == 0 ? 1 : s->n_ring;
    s->block_time = rb_calloc(s->n_ring, sizeof(*s->block_time));
    s->n_blocks = 0;
    s->block_sum = 0;
    s->fired = false;
    return RB_OK;
}

/* Begins to trust blocks when the L2 is in the state in which it will remain. */
static void check_fill(photon_state_t *s, const interval_records_t *r)
{
    if (s->trusting || r->blocks_done < s->slots)
        return;
    const double in_the_end = (double)r->l2_taken * ((double)s->blocks / (double)r->blocks_done);
    const bool filled = r->l2_taken >= s->l2_sectors;
    if (!filled && in_the_end >= (double)s->l2_sectors)
        return;
    s->trusting = true;
    if (filled && r->next_block > s->trust_from)
        s->trust_from = r->next_block;
}

/* Whether the detector is shown what retired. */
static bool is_trusted(const photon_state_t *s, const retired_t *r)
{
    return s->trusting && r->block >= s->trust_from;
}

static void take_records(photon_state_t *s, const interval_records_t *r)
{
    for (size_t i = 0; i < r->retired[RETIRED_WARP].n; i++) {
        const retired_t *w = &r->retired[RETIRED_WARP].list[i];
        bool dominant = s->options.variant == PHOTON_CODE || w->n_insts == s->ahead.dominant_insts;
        if (dominant && is_trusted(s, w))
            stability_add(&s->detector, w->start, w->retire);
    }
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        const retired_t *b = &r->retired[RETIRED_BLOCK].list[i];
        if (!is_trusted(s, b))
            continue;
        uint64_t *slot = &s->block_time[s->n_blocks++ % s->n_ring];
        s->block_sum += b->retire - b->start - *slot;
        *slot = b->retire - b->start;
    }
}

/* Predicted time of a block. */
static cycle_t predict(const photon_state_t *s)
{
    const uint64_t n = s->n_blocks < s->n_ring ? s->n_blocks : s->n_ring;
    if (s->options.hold == HOLD_WARP || n == 0)
        return (cycle_t)llround(s->reading.short_mean);
    return (s->block_sum + n / 2) / n;
}

static bool photon_interval(const sampler_t *sampler, const interval_records_t *r,
                            fast_forward_t *out)
{
    photon_state_t *s = sampler->state;
    if (!s->dominated || s->fired)
        return false;
    check_fill(s, r);
    take_records(s, r);
    s->reading = stability_read(&s->detector);
    if (s->reading.verdict != STABILITY_STABLE || r->next_block >= s->blocks)
        return false;
    s->fired = true;
    s->hold = predict(s);
    *out = (fast_forward_t){.until = UINT64_MAX,
                            .model = FORWARD_HOLD_SLOT,
                            .residents = (forward_residents_t)s->options.residents};
    const stability_rule_t *rule = &s->detector.rule;
    char types[64] = ""; /* variant code does not look at them */
    if (s->ahead.warps > 0)
        snprintf(types, sizeof(types), "; type of %.1f %% of %" PRIu64 " warps read ahead",
                 100 * s->ahead.dominant_share, s->ahead.warps);
    snprintf(out->evidence, sizeof(out->evidence),
             "slope %.4f over %zu warps, mean %.1f cycles, %.1f over %zu%s; a block holds %" PRIu64
             " cycles",
             s->reading.slope, rule->slope_long ? rule->long_n : rule->short_n,
             s->reading.short_mean, s->reading.long_mean, rule->long_n, types, s->hold);
    return true;
}

static block_action_t photon_block(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    const photon_state_t *s = sampler->state;
    (void)block;
    *cycles = s->hold;
    return s->fired ? BLOCK_HOLD_SLOT : BLOCK_SIMULATE;
}

static void photon_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const photon_state_t *s = sampler->state;
    const stability_reading_t *r = &s->reading;
    switch (r->verdict) {
    case STABILITY_FEW:
        if (!s->dominated)
            snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                     "no dominant type of warp: the first of %" PRIu64 " has %.1f %% of %" PRIu64
                     " warps read ahead",
                     s->ahead.types, 100 * s->ahead.dominant_share, s->ahead.warps);
        else
            snprintf(evidence, SAMPLER_EVIDENCE_MAX, "too few warps%s: %" PRIu64 " of %zu",
                     s->trusting ? "" : " after filling the L2", r->points,
                     s->detector.rule.long_n);
        break;
    case STABILITY_SHORT:
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "%zu warps span less than the time of one",
                 s->detector.rule.short_n);
        break;
    case STABILITY_SLOPE:
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "never stable: slope %.4f at the end", r->slope);
        break;
    case STABILITY_MEAN:
        snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                 "never stable: mean %.1f cycles, %.1f over twice as many at the end",
                 r->short_mean, r->long_mean);
        break;
    default:
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "stable when no block was left");
    }
}

static const sampler_ops_t photon_ops = {
    .name = "photon_warp",
    .retired = 1u << RETIRED_WARP | 1u << RETIRED_BLOCK,
    .launch_open = photon_open,
    .interval_end = photon_interval,
    .block_dispatch = photon_block,
    .launch_verdict = photon_verdict,
};

const inside_method_t inside_photon_warp = {
    .help = "Photon's warp level: when warps take the same time, only the block scheduler runs",
    .options = &photon_group,
    .ops = &photon_ops,
    .create = photon_create,
    .destroy = photon_destroy,
};
