/*
 * What Photon's two levels inside launches (photon_warp, photon_bb) have in common besides their
 * detectors: from when on they trust what they are shown, how they skip the blocks that fill the
 * L2, and how the last blocks of a launch speed up.
 */
#ifndef RUBATO_PHOTON_LEVEL_H
#define RUBATO_PHOTON_LEVEL_H

#include "sampling/inside/fill_skip.h"
#include "sampling/inside/guard.h"
#include "sampling/inside/photon/photon_detector.h"
#include "sampling/inside/read_ahead.h"
#include "sampling/predict/interval_model.h"
#include "sim/conf/param.h"

enum { PHOTON_STEADY, PHOTON_PAPER, PHOTON_CODE };
extern const param_choice_t photon_variant_choices[]; /* "steady", "paper", "code" */
enum { HOLD_BLOCK, HOLD_WARP };
extern const param_choice_t photon_hold_choices[];      /* "block", "warp" */
extern const param_choice_t photon_residents_choices[]; /* names of forward_residents_t */

/* Options of both levels, with the values of variant steady. window_: of variants paper and code. */
#define PHOTON_SHARED_OPTIONS(P, E, T, window_)                                                    \
    E(variant, photon_variant_choices, "steady",                                                   \
      "the detector: steady is our own, paper and code are as published")                          \
    P(F64, waves, "0", 0, 1000, "",                                                                \
      "steady: length of a window, in executions per resident warp; 0: 1")                         \
    P(U32, least, "0", 0, 1000000, "",                                                             \
      "steady: minimum executions in a window that spans few refreshes of the DRAM; 0: 3000")      \
    P(U32, window, window_, 2, 1000000, "",                                                        \
      "paper, code: points in the window whose mean predicts; the other one has twice as many")    \
    P(F64, delta, "0.03", 0, 1, "", "paper, code: allowed difference of the slope from one")       \
    P(F64, delta_mean, "0.03", 1e-6, 1, "", "allowed relative difference of the two means")        \
    P(BOOL, longer, "false", 0, 1, "", "paper, code: the slope is that of the longer window")      \
    P(BOOL, halved, "false", 0, 1, "",                                                             \
      "paper, code: the difference of the means is relative to their sum, not to one of them")     \
    P(BOOL, latched, "false", 0, 1, "",                                                            \
      "paper, code: what was stable once counts as stable from then on")                           \
    P(U32, drop, "0", 0, 1000000000, "", "paper, code: points ignored at the beginning")           \
    P(BOOL, index, "true", 0, 1, "",                                                               \
      "use what a trace's index knows of all blocks, instead of reading a sample of them")         \
    P(F64, sample, "0.01", 0, 1, "", "share of the blocks to read ahead, if no index is used")     \
    P(U64, most, "0", 0, 1e15, "blocks", "... at most this many; 0: no limit")                     \
    T(save, "", "file to which the analysis of launches that are read ahead is saved")             \
    T(load, "", "file with a saved analysis: launches in it are not read ahead")                   \
    P(BOOL, fill, "true", 0, 1, "",                                                                \
      "steady: wait until the launch has filled the L2, if it will do so")                         \
    P(BOOL, skip, "true", 0, 1, "",                                                                \
      "steady: skip the blocks of regular launches that fill the L2 (they are only read)")         \
    P(F64, light, "0.65", 0, 1, "",                                                                \
      "share of the DRAM's bandwidth above which the DRAM limits a launch")                        \
    E(hold, photon_hold_choices, "block",                                                          \
      "blocks hold their slots for the time of blocks; or as warps and basic blocks tell")         \
    E(residents, photon_residents_choices, "cut",                                                  \
      "blocks on SMs at the decision: drain: simulated to their end; predict; or cut: predict "    \
      "and end at once")                                                                           \
    P(BOOL, tail, "true", 0, 1, "", "the last blocks of a launch get faster as they get fewer")    \
    P(BOOL, alone, "true", 0, 1, "", "... but not faster than a block that has the chip alone")    \
    GUARD_OPTIONS(P, E, T, "true")

/* What the published variants set in both levels; the sources of code are files of sampled-mgpu-sim. */
#define PHOTON_PAPER_PRESETS                                                                       \
    {"paper", "index", "false", "online analysis: 1 % of the warps run functionally"},             \
        {"paper", "hold", "warp", "warps take the mean time, or the sum of their basic blocks'"},  \
        {"paper", "residents", "drain", "not stated: only blocks that start later are predicted"}, \
        {"paper", "tail", "false", "not in the paper"},                                            \
    {                                                                                              \
        "paper", "check", "false", "not in the paper"                                              \
    }
#define PHOTON_CODE_PRESETS                                                                        \
    {"code", "index", "false", "dispatcher.go: AnalysisKernelSampled"},                            \
        {"code", "most", "2", "dispatcher.go: AnalysisKernelSampled"},                             \
        {"code", "longer", "true", "wgtracer.go: SampledEngine.Collect"},                          \
        {"code", "halved", "true", "wgtracer.go: SampledEngine.Collect"},                          \
        {"code", "latched", "true", "wgtracer.go: SampledEngine.Update"},                          \
        {"code", "drop", "1023", "wgtracer.go: SampledEngine.Collect"},                            \
        {"code", "hold", "warp", "dispatcher.go: dispatchNextWG"},                                 \
        {"code", "residents", "cut", "computeunit.go: stopTimeModel"},                             \
        {"code", "alone", "false", "sampledengine.go: finetuneTime"},                              \
    {                                                                                              \
        "code", "check", "false", "not in the code"                                                \
    }

/* The windows of variants paper and code, from the options of a level. */
#define PHOTON_WINDOWS(o)                                                                          \
    {                                                                                              \
        .short_n = (o)->window, .long_n = 2 * (size_t)(o)->window, .slope_long = (o)->longer,      \
        .halved = (o)->halved, .latched = (o)->latched, .delta_slope = (o)->delta,                 \
        .delta_mean = (o)->delta_mean, .drop = (o)->drop                                           \
    }

/* What is read ahead of a launch. */
typedef struct {
    bool index;              /* of all blocks, if there is an index */
    double share;            /* otherwise of this share of the blocks */
    uint64_t least, most;    /* bounds of the number; most 0: no limit */
    const char *load, *save; /* files; "": none */
} photon_look_t;

/* Analyses a launch (read_ahead.h), or loads the analysis from a file. *begun: whether this run has
 * written to `save` already. */
RB_CHECKED rb_code_t photon_look(const sampler_launch_t *l, const photon_look_t *look, bool *begun,
                                 read_ahead_t *out, rb_err_t *err);

/* photon_look_t from the options of a level. */
#define PHOTON_LOOK(o)                                                                             \
    {                                                                                              \
        (o)->index, (o)->sample, (o)->variant == PHOTON_STEADY ? 16 : 1, (o)->most, (o)->load,     \
            (o)->save                                                                              \
    }

/*
 * Which records are trusted: those of blocks from `first` on that started at cycle `since` or
 * later. While a launch fills the L2, its writes do not reach the DRAM, and its warps are faster
 * than later. So if the launch will fill the L2, only blocks that start after that are trusted. A
 * launch that moves so little data that the DRAM cannot limit it is trusted at once.
 */
typedef struct {
    uint64_t blocks, slots;
    double l2_sectors, insts; /* insts: of the launch; 0: unknown */
    double light;             /* sectors per cycle up to which the DRAM does not limit the launch */
    cycle_t from;             /* when the first wave was over; 0: not yet */
    uint64_t moved;           /* sectors moved by then */
    bool on;                  /* records are trusted */
    bool calm;                /* the DRAM does not limit the launch */
    bool filling;             /* not on, because the L2 is not full yet but will be */
    uint64_t first;
    cycle_t since;
    uint64_t young; /* first block that started after `since` */
    bool ripe;      /* all earlier blocks have retired, so not only the fast later ones are seen */
} photon_trust_t;

/* fill: wait for the L2. light: share of the DRAM's bandwidth. */
photon_trust_t photon_trust(const sampler_launch_t *l, uint64_t first, bool fill, double light,
                            double insts);
void photon_trust_check(photon_trust_t *t, const interval_records_t *r);

/* Whether the blocks that fill the L2 may be skipped. This needs warps of one type. published: the
 * variants as published, which never do it. */
bool photon_may_skip(const read_ahead_t *ahead, bool published, bool fill, bool skip);

static inline bool photon_trusts(const photon_trust_t *t, const retired_t *r)
{
    return t->on && t->ripe && r->block >= t->first && r->start >= t->since;
}

/* First member of the state of both levels, for the hooks below. */
typedef struct {
    photon_trust_t trust;
    fill_skip_t fill;
    guard_t guard;
} photon_level_t;

/* Whether the blocks that fill the L2 are skipped now. */
bool photon_level_fill(photon_level_t *level, const interval_records_t *r, fast_forward_t *out);

/* fast_forward_end and launch_added of both levels, for the skipped blocks that fill the L2. */
double photon_level_forwarded(const sampler_t *sampler, uint64_t skipped,
                              const left_moves_t *moves);
double photon_level_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts);

/* Cycles that an average block takes alone on the chip: its warps run in parallel, but not faster
 * than the sub-cores can issue. 0: unknown. */
double photon_block_alone(const sampler_launch_t *l, const read_ahead_t *ahead);

/* The end of a launch in which a block takes `cycles` among `slots` others, and `alone` by
 * itself; 0: unknown, or no limit. */
forward_tail_t photon_tail(uint64_t slots, double cycles, double alone);

#endif
