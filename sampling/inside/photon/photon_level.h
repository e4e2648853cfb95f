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

enum { HOLD_BLOCK, HOLD_WARP };
extern const param_choice_t photon_hold_choices[];      /* "block", "warp" */
extern const param_choice_t photon_residents_choices[]; /* names of forward_residents_t */

/* Options of both levels. */
#define PHOTON_SHARED_OPTIONS(P, E, T)                                                             \
    P(F64, sample, "0.01", 0, 1, "", "share of the blocks to read ahead, if there is no index")    \
    T(save, "", "file to which the analysis of launches that are read ahead is saved")             \
    T(load, "", "file with a saved analysis: launches in it are not read ahead")                   \
    P(BOOL, unbiased, "true", 0, 1, "",                                                            \
      "scaled: slope of issue against retirement, which tolerates spread but not trends")          \
    P(BOOL, fill, "true", 0, 1, "",                                                                \
      "steady, scaled: wait until the launch has filled the L2, if it will do so")                 \
    P(BOOL, skip, "true", 0, 1, "",                                                                \
      "steady, scaled: skip the blocks of regular launches that fill the L2 (they are only read)") \
    P(F64, light, "0.65", 0, 1, "",                                                                \
      "share of the DRAM's bandwidth above which the DRAM limits a launch")                        \
    P(BOOL, longer, "true", 0, 1, "", "scaled: use the slope of the longer window")                \
    P(BOOL, tail, "true", 0, 1, "", "the last blocks of a launch get faster as they get fewer")    \
    GUARD_OPTIONS(P, E, T)

enum { PHOTON_SAMPLE_LEAST = 16 }; /* minimum number of blocks to read ahead */

/* Analyses a launch (read_ahead.h), or loads the analysis from a file. load and save are file
 * names; "" for none. *begun: whether this run has written to save already. */
RB_CHECKED rb_code_t photon_look(const sampler_launch_t *l, double share, const char *load,
                                 const char *save, bool *begun, read_ahead_t *out, rb_err_t *err);

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
 * itself. */
forward_tail_t photon_tail(uint64_t slots, double cycles, double alone);

#endif
