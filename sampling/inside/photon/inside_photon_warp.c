/*
 * photon_warp: Photon's warp level (MICRO 2023). If one type of warp makes up nearly all of a
 * launch and its warps take a stable time, the remaining blocks only hold their slots for that
 * time, through the real block scheduler. The published variants count warps; ours count their
 * instructions, because a few long warps can take most of the time.
 *
 * photon_detector.h describes the detectors. steady ignores warps of the
 * first wave, which issue together into cold caches. In a launch that will fill the L2 it uses
 * only warps that started after it is full (fill), because until then its writes do not reach the
 * DRAM. Variant code also ignores types of warps.
 *
 * A remaining block holds its slot for the mean time of blocks in the stable windows (hold =
 * block), or for that of warps (hold = warp). The latter is as published, but too short if warps of
 * a block differ, because a block ends with its last warp. A retired warp is of the dominant type
 * if it has the same number of instructions.
 *
 * The tail: blocks on SMs at the decision also hold their slots for the predicted time and end at
 * once (residents = cut), or go on without counting (predict), or are simulated to their end
 * (drain). In the last wave, with fewer blocks than slots, blocks get faster as they get fewer
 * (tail), down to the time that a block takes alone.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/inside/inside_table.h"
#include "sampling/inside/photon/photon_level.h"
#include "sim/core/alloc.h"

#define PHOTON_WARP_OPTIONS(P, E, T)                                                               \
    PHOTON_SHARED_OPTIONS(P, E, T, "1024")                                                         \
    P(F64, dominant, "0.95", 0, 1, "",                                                             \
      "minimum share of the most frequent type of warp: of all instructions; variants paper and "  \
      "code: of all warps; 0: all types are taken for one")

PARAM_STRUCT(photon_warp_options_t, PHOTON_WARP_OPTIONS);
#define PARAM_SPEC_ photon_warp_options_t
static const param_t photon_rows[] = {PARAM_ROWS(PHOTON_WARP_OPTIONS)};
#undef PARAM_SPEC_
static const param_preset_t photon_presets[] = {
    PHOTON_PAPER_PRESETS,
    PHOTON_CODE_PRESETS,
    {"code", "dominant", "0", "dispatcher.go: every warp is collected"},
    {0}};
static const param_group_t photon_group = PARAM_GROUP_VARIANTS(
    "photon_warp", "Photon's warp level", photon_warp_options_t, photon_rows, photon_presets);

typedef struct {
    photon_level_t level; /* first member: its hooks cast the state to it */
    photon_warp_options_t options;
    bool saved;         /* the analysis file was started */
    bool dominated;     /* the launch has a dominant type, or none is wanted */
    read_ahead_t ahead; /* analysis of the launch */
    double type_share;  /* of the dominant type: of all instructions; published: of all warps */
    double alone;       /* cycles that a block takes alone on the chip; 0: unknown */
    photon_detector_t detector;
    photon_reading_t reading; /* the latest one */
    photon_detector_t blocks; /* times of blocks */
    bool fired;
    cycle_t hold; /* predicted time of a block, once fired */
} photon_state_t;

static void *photon_create(const inside_method_t *method, const void *options, uint64_t seed,
                           rb_err_t *err)
{
    photon_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    (void)err;
    (void)seed;
    s->options = *(const photon_warp_options_t *)options;
    return s;
}

static void photon_destroy(void *state)
{
    photon_state_t *s = state;
    photon_detector_free(&s->detector);
    read_ahead_free(&s->ahead);
    photon_detector_free(&s->blocks);
    free(s);
}

static bool is_published(const photon_warp_options_t *o)
{
    return o->variant != PHOTON_STEADY;
}

static photon_rule_t rule_of(const photon_warp_options_t *o, uint64_t resident_warps,
                             const gpu_spec_t *spec)
{
    return is_published(o)
               ? (photon_rule_t){.window = PHOTON_WINDOWS(o)}
               : photon_rule_steady(spec, o->waves, resident_warps, o->least, o->delta_mean, 0);
}

static rb_code_t photon_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    photon_state_t *s = sampler->state;
    const photon_warp_options_t *o = &s->options;
    const bool published = is_published(o);
    read_ahead_free(&s->ahead);
    const photon_look_t look = PHOTON_LOOK(o);
    RB_TRY(photon_look(l, &look, &s->saved, &s->ahead, err));
    s->type_share = published ? s->ahead.dominant_share : read_ahead_dominant_work(&s->ahead);
    s->dominated = s->ahead.warps > 0 && s->type_share >= o->dominant;
    s->alone = photon_block_alone(l, &s->ahead);
    const double insts = s->ahead.insts_per_block * (double)l->info->n_blocks;
    s->level.trust = photon_trust(l, 0, !published && o->fill, o->light, insts);
    s->level.trust.first = published ? 0 : s->level.trust.slots;
    s->level.fill =
        fill_skip_make(l, photon_may_skip(&s->ahead, published, o->fill, o->skip), o->light);
    const uint32_t warps_per_block = l->occupancy->warps_per_block;
    const photon_rule_t rule = rule_of(o, s->level.trust.slots * warps_per_block, l->spec);
    photon_detector_free(&s->detector);
    photon_detector_init(&s->detector, &rule);
    s->reading = (photon_reading_t){0};
    const photon_rule_t block_rule = photon_rule_of_groups(&rule, warps_per_block);
    photon_detector_free(&s->blocks);
    photon_detector_init(&s->blocks, &block_rule);
    s->fired = false;
    return guard_open(&s->level.guard, l, s->dominated && o->check, o->alike, err);
}

static void take_records(photon_state_t *s, const interval_records_t *r)
{
    for (size_t i = 0; i < r->retired[RETIRED_WARP].n; i++) {
        const retired_t *w = &r->retired[RETIRED_WARP].list[i];
        bool dominant = s->options.dominant <= 0 || w->n_insts == s->ahead.dominant_insts;
        if (dominant && photon_trusts(&s->level.trust, w))
            photon_detector_add(&s->detector, w->start, w->retire);
    }
    photon_detector_close(&s->detector);
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        const retired_t *b = &r->retired[RETIRED_BLOCK].list[i];
        if (photon_trusts(&s->level.trust, b))
            photon_detector_add(&s->blocks, b->start, b->retire);
    }
    photon_detector_close(&s->blocks);
}

/* Predicted cycles of a block. */
static cycle_t predict(const photon_state_t *s)
{
    const double block = photon_detector_recent(&s->blocks, s->reading.cycles);
    return (cycle_t)llround(s->options.hold == HOLD_WARP || block <= 0 ? s->reading.mean : block);
}

/* What type_share is a share of, for the evidence. */
static const char *type_unit(const photon_state_t *s)
{
    return is_published(&s->options) ? "" : "' instructions";
}

/* Describes why it fires. */
static void describe(const photon_state_t *s, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const photon_reading_t *r = &s->reading;
    int used;
    if (s->options.variant == PHOTON_STEADY)
        used = snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                        "mean %.1f cycles of %" PRIu64 " warps in %" PRIu64
                        " cycles, %.1f in the first half",
                        r->mean, r->points, r->cycles, r->other);
    else
        used = snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                        "slope %.4f, mean %.1f cycles of %" PRIu64
                        " warps, %.1f cycles of twice as many",
                        r->slope, r->mean, r->points, r->other);
    snprintf(evidence + used, SAMPLER_EVIDENCE_MAX - (size_t)used,
             "; type of %.1f %% of %" PRIu64 " warps%s; a block takes %" PRIu64 " cycles",
             100 * s->type_share, s->ahead.warps, type_unit(s), s->hold);
}

/* Length of the stable windows. */
static double measured_waves(const photon_state_t *s)
{
    const double hold = (double)predict(s);
    return hold > 0 ? fmax((double)s->reading.cycles / hold, 1) : 1;
}

static bool photon_interval(const sampler_t *sampler, const interval_records_t *r,
                            fast_forward_t *out)
{
    photon_state_t *s = sampler->state;
    if (!s->dominated || s->ahead.missing || s->fired)
        return false;
    photon_trust_check(&s->level.trust, r);
    fill_skip_look(&s->level.fill, r);
    if (photon_level_fill(&s->level, r, out))
        return true;
    take_records(s, r);
    s->reading = photon_detector_read(&s->detector, s->level.trust.calm);
    if (s->reading.verdict != PHOTON_STABLE || r->next_block >= s->level.trust.blocks)
        return false;
    if (!guard_allows_after(&s->level.guard, r, measured_waves(s), s->level.trust.blocks))
        return false;
    s->fired = true;
    s->hold = predict(s);
    *out = (fast_forward_t){.until = UINT64_MAX,
                            .model = FORWARD_HOLD_SLOT,
                            .residents = (forward_residents_t)s->options.residents,
                            .warp_insts = s->level.trust.insts};
    if (s->options.tail)
        out->tail =
            photon_tail(s->level.trust.slots, (double)s->hold, s->options.alone ? s->alone : 0);
    describe(s, out->evidence);
    guard_tell(&s->level.guard, out->evidence);
    return true;
}

static block_action_t photon_block(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    const photon_state_t *s = sampler->state;
    (void)block;
    *cycles = s->hold;
    return s->fired ? BLOCK_HOLD_SLOT : BLOCK_SIMULATE;
}

static void photon_explain(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const photon_state_t *s = sampler->state;
    const photon_reading_t *r = &s->reading;
    switch (r->verdict) {
    case PHOTON_FEW:
        if (s->ahead.missing)
            snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                     "the trace does not have all blocks of the grid");
        else if (!s->dominated)
            snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                     "no dominant type of warp: the most frequent of %" PRIu64
                     " has %.1f %% of %" PRIu64 " warps%s",
                     s->ahead.types, 100 * s->type_share, s->ahead.warps, type_unit(s));
        else
            snprintf(evidence, SAMPLER_EVIDENCE_MAX, "too few warps%s: %" PRIu64,
                     s->level.trust.on ? "" : " after filling the L2", r->seen);
        break;
    case PHOTON_TREND:
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "never stable: slope %.4f at the end", r->slope);
        break;
    case PHOTON_CHANGE:
        snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                 "never stable: mean %.1f cycles of %" PRIu64 " warps, %.1f of %s at the end",
                 r->mean, r->points, r->other,
                 s->options.variant == PHOTON_STEADY ? "their first half" : "twice as many");
        break;
    default:
        if (s->level.guard.refused)
            guard_tell(&s->level.guard, evidence);
        else
            snprintf(evidence, SAMPLER_EVIDENCE_MAX, "stable only when no block was left");
    }
}

static const sampler_ops_t photon_ops = {
    .name = "photon_warp",
    .retired = 1u << RETIRED_WARP | 1u << RETIRED_BLOCK,
    .launch_open = photon_open,
    .interval_end = photon_interval,
    .block_dispatch = photon_block,
    .fast_forward_end = photon_level_forwarded,
    .launch_added = photon_level_added,
    .launch_verdict = photon_explain,
};

const inside_method_t inside_photon_warp = {
    .help = "Photon's warp level: when warps take a stable time, only the block scheduler runs",
    .options = &photon_group,
    .ops = &photon_ops,
    .fixed = true,
    .create = photon_create,
    .destroy = photon_destroy,
};
