/*
 * photon_bb: Photon's basic-block level (MICRO 2023). When the basic blocks that make up nearly all
 * instructions of a launch take a stable time, the remaining blocks only hold their slots, through
 * the real block scheduler, each for the sum of its basic blocks' times. With long loops this can
 * happen in the middle of the first wave.
 *
 * The instructions of each basic block are known from the index, or from blocks that are read
 * ahead. Every basic block has its own detector (photon_detector.h), fed in order of retirement.
 * Variant steady ignores the first wave, and what is executed before the launch has
 * filled the L2 (fill). In a launch of few waves it does use the first wave, without the first
 * execution by each warp; it simulates at least a part of it; and it stops it only if loops are
 * long, because warps that are all at the same place say little about later ones. Schedulers prefer
 * some warps: those that come first execute more of the observed basic blocks, and faster.
 * Therefore the block times of such a launch are scaled to the rate at which all of them together
 * issue instructions.
 *
 * A basic block without a stable time takes the mean of its latest executions (rare = observed), if
 * there are any, or as published the time of the interval model (rare = interval) with the observed
 * latencies of loads and the like. Instructions that were never seen take the configured latencies.
 *
 * A block is predicted to take as long as its longest warp, but the warps of a block differ more
 * than their means. hold = block corrects the prediction by its error for the blocks that retired
 * last, if there are any; hold = warp does not, as published.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/inside/inside_table.h"
#include "sampling/inside/photon/bb_forecast.h"
#include "sampling/inside/photon/issue_rate.h"
#include "sampling/inside/photon/photon_level.h"
#include "sim/core/alloc.h"

enum { RARE_OBSERVED, RARE_INTERVAL };
static const param_choice_t rare_choices[] = {{"observed", NULL}, {"interval", NULL}, {NULL, NULL}};

#define PHOTON_BB_OPTIONS(P, E, T)                                                                 \
    PHOTON_SHARED_OPTIONS(P, E, T, "2048")                                                         \
    P(F64, few, "10", 0, 1e9, "waves",                                                             \
      "steady: in a launch with fewer waves the first wave is used")                               \
    P(F64, loops, "500", 0, 1e12, "",                                                              \
      "steady: minimum executions of the main basic block by a warp to stop such a launch")        \
    P(F64, part, "0.1", 0, 1, "",                                                                  \
      "steady: minimum share of the instructions of such a launch to simulate")                    \
    P(F64, cover, "0.95", 0.01, 1, "",                                                             \
      "required share of the instructions in stable basic blocks")                                 \
    E(rare, rare_choices, "observed",                                                              \
      "time of basic blocks that are not stable: observed mean, or "                               \
      "interval model")                                                                            \
    P(U32, seen, "256", 1, 1000000, "",                                                            \
      "how often the latency of an opcode class must be observed to be used")

PARAM_STRUCT(photon_bb_options_t, PHOTON_BB_OPTIONS);
#define PARAM_SPEC_ photon_bb_options_t
static const param_t photon_rows[] = {PARAM_ROWS(PHOTON_BB_OPTIONS)};
#undef PARAM_SPEC_
static const param_preset_t photon_presets[] = {
    PHOTON_PAPER_PRESETS,
    {"paper", "rare", "interval", "interval model of rare basic blocks"},
    {"paper", "seen", "1", "latencies are observed; no minimum is given"},
    PHOTON_CODE_PRESETS,
    {"code", "delta", "0.01", "branchtracer.go: branch-sampled-threshold"},
    {"code", "rare", "interval", "bb_model.go: IntervalModel"},
    {"code", "seen", "1025", "inst_feature.go: OnlineInstFeature.Predict"},
    {0}};
static const param_group_t photon_group = PARAM_GROUP_VARIANTS(
    "photon_bb", "Photon's basic-block level", photon_bb_options_t, photon_rows, photon_presets);

enum { DETECTOR_BYTES = 256 << 20 }; /* memory for the detectors of a launch */

/* Waves that the windows of the detectors usually cover. */
enum { MEASURED_WAVES = 3 };

typedef struct {
    photon_level_t level; /* first member: its hooks cast the state to it */
    photon_bb_options_t options;
    bool saved; /* the analysis file was started */
    sampler_launch_t launch;
    read_ahead_t ahead; /* analysis of the launch */
    double alone;       /* cycles that a block takes alone on the chip; 0: unknown */
    photon_rule_t rule;
    photon_detector_t *detectors; /* owned: for the basic blocks with the largest shares */
    size_t n_detectors;
    uint32_t *detector_of; /* owned: per basic block read ahead: detector + 1; 0: none */
    size_t n_known;        /* basic blocks read ahead */
    double *share;         /* owned: per detector: its basic block's share of the instructions */
    retired_t *recent;     /* owned: ring of the blocks that retired last */
    size_t n_ring;
    uint64_t n_recent; /* number of blocks noted so far */
    double covered;    /* share of the instructions in stable basic blocks */
    size_t n_stable;
    bool few;           /* the launch has few waves */
    issue_rate_t issue; /* used if few */
    bool idle;          /* nothing to do: few waves and no long loop, or missing blocks */
    bool fired, failed;
    interval_latencies_t latencies; /* valid once fired, like the members below */
    double *time;                   /* owned: per basic block read ahead */
    bb_forecast_t forecast;
    double scale; /* of the forecast */
} photon_state_t;

static void *photon_create(const inside_method_t *method, const void *options, uint64_t seed,
                           rb_err_t *err)
{
    photon_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    (void)err;
    (void)seed;
    s->options = *(const photon_bb_options_t *)options;
    return s;
}

/* Discards what is known about the current launch. */
static void forget(photon_state_t *s)
{
    for (size_t i = 0; i < s->n_detectors; i++)
        photon_detector_free(&s->detectors[i]);
    free(s->detectors);
    free(s->detector_of);
    free(s->share);
    free(s->time);
    free(s->recent);
    bb_forecast_free(&s->forecast);
    read_ahead_free(&s->ahead);
    *s = (photon_state_t){.options = s->options, .saved = s->saved};
}

static void photon_destroy(void *state)
{
    forget(state);
    free(state);
}

static photon_rule_t rule_of(const photon_bb_options_t *o, uint64_t resident_warps, bool few,
                             const gpu_spec_t *spec)
{
    return o->variant != PHOTON_STEADY
               ? (photon_rule_t){.window = PHOTON_WINDOWS(o)}
               : photon_rule_steady(spec, o->waves, resident_warps, o->least, o->delta_mean,
                                    few ? resident_warps : 0);
}

typedef struct {
    double share;
    uint32_t bb;
} ranked_t;

static int by_share(const void *a, const void *b)
{
    const ranked_t *x = a, *y = b;
    if (x->share > y->share || x->share < y->share)
        return x->share > y->share ? -1 : 1;
    return (x->bb > y->bb) - (x->bb < y->bb);
}

/* Creates detectors for the basic blocks that matter, as memory allows. */
static void make_detectors(photon_state_t *s)
{
    const size_t n = s->ahead.table.n, room = DETECTOR_BYTES / photon_detector_bytes(&s->rule) + 1;
    const double enough = 1 - (1 - s->options.cover) / 10;
    ranked_t *rank = rb_calloc(n, sizeof(*rank));
    double covered = 0;
    for (size_t i = 0; i < n; i++)
        rank[i] = (ranked_t){s->ahead.share[i], (uint32_t)i};
    qsort(rank, n, sizeof(*rank), by_share);
    s->n_known = n;
    s->detectors = rb_calloc(n < room ? n : room, sizeof(*s->detectors));
    s->share = rb_calloc(n < room ? n : room, sizeof(*s->share));
    s->detector_of = rb_calloc(n, sizeof(*s->detector_of));
    for (size_t i = 0; i < n && i < room && (covered < enough || s->n_detectors == 0); i++) {
        photon_detector_init(&s->detectors[s->n_detectors], &s->rule);
        s->share[s->n_detectors] = rank[i].share;
        s->detector_of[rank[i].bb] = (uint32_t)++s->n_detectors;
        covered += rank[i].share;
    }
    free(rank);
}

/* How often a warp executes the basic block with the most instructions. */
static double executions(const photon_state_t *s)
{
    double most = 0, times = 0;
    for (size_t i = 0; i < s->n_known; i++) {
        if (s->ahead.share[i] > most) {
            most = s->ahead.share[i];
            times = most / s->ahead.table.bbs[i].n_insts;
        }
    }
    return s->ahead.warps == 0 ? 0
                               : times * s->ahead.insts_per_block * (double)s->ahead.blocks /
                                     (double)s->ahead.warps;
}

static rb_code_t photon_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    photon_state_t *s = sampler->state;
    const photon_bb_options_t *o = &s->options;
    const photon_look_t look = PHOTON_LOOK(o);
    const bool published = o->variant != PHOTON_STEADY;
    forget(s);
    s->launch = *l;
    RB_TRY(photon_look(l, &look, &s->saved, &s->ahead, err));
    const uint64_t blocks = l->info->n_blocks;
    const bool few = s->few = !published && (double)blocks < o->few * (double)l->slots;
    const double insts = s->ahead.insts_per_block * (double)blocks;
    s->level.trust = photon_trust(l, 0, !published && o->fill, o->light, insts);
    s->level.trust.first = published || few ? 0 : s->level.trust.slots;
    s->level.fill = fill_skip_make(
        l, !few && photon_may_skip(&s->ahead, published, o->fill, o->skip), o->light);
    s->alone = photon_block_alone(l, &s->ahead);
    const uint32_t warps = l->occupancy->warps_per_block;
    s->rule = rule_of(o, s->level.trust.slots * warps, few, l->spec);
    make_detectors(s);
    s->idle = s->ahead.missing || (few && executions(s) < o->loops);
    /* windows of time may contain more points than required */
    s->n_ring = (s->rule.timed ? 4 : 1) * (size_t)(photon_rule_points(&s->rule) / warps + 1);
    s->recent = rb_calloc(s->n_ring, sizeof(*s->recent));
    return guard_open(&s->level.guard, l, !s->idle && o->check, o->alike, err);
}

static void take_records(photon_state_t *s, const interval_records_t *r)
{
    for (size_t i = 0; i < r->retired[RETIRED_BASIC_BLOCK].n; i++) {
        const retired_t *e = &r->retired[RETIRED_BASIC_BLOCK].list[i];
        const int64_t bb = bb_table_find(&s->ahead.table, e->pc, (uint32_t)e->n_insts);
        if (bb != BB_NONE && s->detector_of[bb] != 0 && photon_trusts(&s->level.trust, e))
            photon_detector_add(&s->detectors[s->detector_of[bb] - 1], e->start, e->retire);
    }
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        const retired_t *b = &r->retired[RETIRED_BLOCK].list[i];
        if (photon_trusts(&s->level.trust, b))
            s->recent[s->n_recent++ % s->n_ring] = *b;
    }
}

static void measure_cover(photon_state_t *s)
{
    s->covered = 0;
    s->n_stable = 0;
    for (size_t i = 0; i < s->n_detectors; i++) {
        photon_detector_close(&s->detectors[i]);
        const bool stable =
            photon_detector_read(&s->detectors[i], s->level.trust.calm).verdict == PHOTON_STABLE;
        s->covered += stable ? s->share[i] : 0;
        s->n_stable += stable;
    }
}

static double predict_time(const photon_state_t *s, uint32_t bb)
{
    const uint32_t number = bb < s->n_known ? s->detector_of[bb] : 0;
    if (number != 0) {
        const photon_detector_t *d = &s->detectors[number - 1];
        const photon_reading_t r = photon_detector_read(d, s->level.trust.calm);
        if (r.verdict == PHOTON_STABLE)
            return r.mean;
        if (s->options.rare == RARE_OBSERVED && s->rule.timed && r.seen > 0)
            return photon_detector_recent(d, UINT64_MAX);
    }
    const bb_entry_t *b = &s->ahead.table.bbs[bb];
    return interval_time(&s->latencies, b->code, b->known, b->n_insts, false);
}

/* Predicted cycles of an execution of a basic block. */
static double time_of(const void *state, uint32_t bb)
{
    const photon_state_t *s = state;
    return bb < s->n_known ? s->time[bb] : predict_time(s, bb);
}

/* The i-th of the blocks that retired last, newest first. */
static const retired_t *recent(const photon_state_t *s, size_t i)
{
    return &s->recent[(s->n_recent - 1 - i) % s->n_ring];
}

/* How many of them retired within the windows that were found stable. */
static size_t count_recent(const photon_state_t *s, cycle_t now)
{
    const size_t n = s->n_recent < s->n_ring ? (size_t)s->n_recent : s->n_ring;
    uint64_t span = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->n_detectors; i++) {
        const photon_reading_t r = photon_detector_read(&s->detectors[i], s->level.trust.calm);
        span = r.verdict == PHOTON_STABLE && r.cycles > span ? r.cycles : span;
    }
    while (count < n && (!s->rule.timed || recent(s, count)->retire + span > now))
        count++;
    return count;
}

/* Correction of the forecast from its error for the last n blocks, if they are enough. */
static double find_scale(const photon_state_t *s, size_t n)
{
    double predicted = 0, took = 0;
    if (s->options.hold == HOLD_WARP || 4 * n < s->level.trust.slots)
        return 1;
    for (size_t i = 0; i < n; i++) {
        predicted += bb_forecast_of(&s->forecast, recent(s, i)->block);
        took += (double)(recent(s, i)->retire - recent(s, i)->start);
    }
    return predicted > 0 ? took / predicted : 1;
}

/* Correction of the forecast for the blocks on SMs, from the rate at which they issue. */
static double scale_to_issue(const photon_state_t *s, const interval_records_t *r)
{
    const double rate = issue_rate_of(&s->issue, r), blocks = (double)(r->next_block - r->oldest);
    double predicted = 0;
    if (s->options.hold == HOLD_WARP || rate <= 0)
        return 1;
    for (uint64_t b = r->oldest; b < r->next_block; b++)
        predicted += bb_forecast_of(&s->forecast, b);
    const double took = (double)r->resident * s->ahead.insts_per_block / rate;
    return predicted > 0 ? took / (predicted / blocks) : 1;
}

/* Predicts all blocks from the first one still in use. false: they cannot be read. */
static bool forecast(photon_state_t *s, const interval_records_t *r)
{
    rb_err_t err = {0};
    const size_t n = count_recent(s, r->cycle);
    uint64_t first = r->oldest;
    for (size_t i = 0; i < n; i++)
        first = recent(s, i)->block < first ? recent(s, i)->block : first;
    s->latencies = interval_unloaded(s->launch.spec);
    interval_observe(&s->latencies, r->latencies, s->options.seen);
    s->time = rb_calloc(s->n_known, sizeof(*s->time));
    for (size_t i = 0; i < s->n_known; i++)
        s->time[i] = predict_time(s, (uint32_t)i);
    s->failed = bb_forecast(&s->forecast, &s->launch, &s->ahead, first, !s->rule.timed,
                            s->launch.spec->sm.sm.block_start_latency, time_of, s, &err) != RB_OK;
    s->scale = s->failed ? 1 : s->few ? scale_to_issue(s, r) : find_scale(s, n);
    return !s->failed;
}

static cycle_t hold_of(const photon_state_t *s, uint64_t block)
{
    const double cycles = s->scale * bb_forecast_of(&s->forecast, block);
    return cycles < 1 ? 1 : cycles > 1e15 ? (cycle_t)1e15 : (cycle_t)llround(cycles);
}

/* Whether later blocks are like those whose basic blocks were measured: in a launch of few waves all
 * so far, else those of the last waves. */
static bool is_alike(photon_state_t *s, const interval_records_t *r)
{
    return guard_allows_after(&s->level.guard, r, s->few ? INFINITY : MEASURED_WAVES,
                              s->level.trust.blocks);
}

static bool photon_interval(const sampler_t *sampler, const interval_records_t *r,
                            fast_forward_t *out)
{
    photon_state_t *s = sampler->state;
    const photon_bb_options_t *o = &s->options;
    if (s->idle || s->fired || s->failed)
        return false;
    photon_trust_check(&s->level.trust, r);
    fill_skip_look(&s->level.fill, r);
    if (photon_level_fill(&s->level, r, out))
        return true;
    take_records(s, r);
    measure_cover(s);
    issue_rate_note(&s->issue, r);
    if (s->covered < o->cover || (s->few && (double)r->warp_insts < o->part * s->level.trust.insts))
        return false;
    if (r->next_block >= s->level.trust.blocks && o->residents != RESIDENTS_CUT)
        return false;
    if (!is_alike(s, r) || !forecast(s, r))
        return false;
    s->fired = true;
    *out = (fast_forward_t){.until = UINT64_MAX,
                            .model = FORWARD_HOLD_SLOT,
                            .residents = (forward_residents_t)o->residents,
                            .warp_insts = s->level.trust.insts};
    const double mean = s->scale * s->forecast.mean;
    if (o->tail)
        out->tail = photon_tail(s->level.trust.slots, mean, o->alone ? s->alone : 0);
    snprintf(
        out->evidence, sizeof(out->evidence),
        "%zu of %zu basic blocks stable over %" PRIu64
        " executions: %.1f %% of the instructions; a block takes %.0f cycles, %.3f times the sum "
        "of its basic blocks",
        s->n_stable, s->n_known, photon_rule_points(&s->rule), 100 * s->covered, mean, s->scale);
    guard_tell(&s->level.guard, out->evidence);
    return true;
}

static block_action_t photon_block(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    const photon_state_t *s = sampler->state;
    if (!s->fired)
        return BLOCK_SIMULATE;
    *cycles = hold_of(s, block);
    return BLOCK_HOLD_SLOT;
}

static void photon_explain(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const photon_state_t *s = sampler->state;
    static const char *const why[] = {"too few executions", "a trend", "a change of the mean",
                                      "stable"};
    const photon_verdict_t first =
        s->n_detectors > 0 ? photon_detector_read(&s->detectors[0], s->level.trust.calm).verdict
                           : PHOTON_FEW;
    if (s->level.guard.refused)
        guard_tell(&s->level.guard, evidence);
    else if (s->failed)
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "later blocks could not be read");
    else if (s->ahead.missing)
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "the trace does not have all blocks of the grid");
    else if (s->idle)
        snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                 "few waves, and a warp executes its main basic block only %.3g times",
                 executions(s));
    else
        snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                 "never stable%s: at the end %zu of %zu basic blocks with %.1f %% of the "
                 "instructions; the largest (%.1f %%): %s",
                 s->level.trust.on ? "" : " after filling the L2", s->n_stable, s->n_known,
                 100 * s->covered, s->n_detectors > 0 ? 100 * s->share[0] : 0, why[first]);
}

static const sampler_ops_t photon_ops = {
    .name = "photon_bb",
    .retired = 1u << RETIRED_BASIC_BLOCK | 1u << RETIRED_BLOCK,
    .launch_open = photon_open,
    .interval_end = photon_interval,
    .block_dispatch = photon_block,
    .fast_forward_end = photon_level_forwarded,
    .launch_added = photon_level_added,
    .launch_verdict = photon_explain,
};

const inside_method_t inside_photon_bb = {
    .help = "Photon's basic-block level: when basic blocks take a stable time, only the block "
            "scheduler runs",
    .options = &photon_group,
    .ops = &photon_ops,
    .fixed = true,
    .create = photon_create,
    .destroy = photon_destroy,
};
