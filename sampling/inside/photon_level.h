/*
 * What Photon's two levels inside launches have in common (photon_warp, photon_bb) besides their
 * detectors: what is trusted, and the end of a launch.
 */
#ifndef RUBATO_PHOTON_LEVEL_H
#define RUBATO_PHOTON_LEVEL_H

#include "sampling/inside/fill_skip.h"
#include "sampling/inside/interval_model.h"
#include "sampling/inside/photon_detector.h"
#include "sampling/inside/read_ahead.h"
#include "sim/conf/param.h"

enum { HOLD_BLOCK, HOLD_WARP };
extern const param_choice_t photon_hold_choices[];      /* "block", "warp" */
extern const param_choice_t photon_residents_choices[]; /* of forward_residents_t */

/* Options of both levels: what they ask of a launch before they trust it, and how it ends. */
#define PHOTON_SHARED_OPTIONS(P, E, T)                                                             \
    P(F64, sample, "0.01", 0, 1, "", "without an index: share of the blocks that is read ahead")   \
    T(save, "", "a file: what is seen of launches ahead of their simulation is saved there")       \
    T(load, "", "a file that was saved: launches in it are not read ahead")                        \
    P(BOOL, unbiased, "true", 0, 1, "",                                                            \
      "scaled: slope of issue against retirement: spread passes, trends do not")                   \
    P(BOOL, fill, "true", 0, 1, "",                                                                \
      "steady, scaled: wait until the launch has filled the L2, if it will")                       \
    P(BOOL, skip, "true", 0, 1, "",                                                                \
      "steady, scaled: the blocks of regular launches that fill it are read, not simulated")       \
    P(F64, light, "0.65", 0, 1, "", "more of the DRAM's bandwidth than this holds a launch up")    \
    P(BOOL, longer, "true", 0, 1, "", "scaled: the slope is that of the longer window")            \
    P(BOOL, tail, "true", 0, 1, "", "the last blocks speed up as they get fewer")

enum { PHOTON_SAMPLE_LEAST = 16 }; /* blocks read ahead at least */

/*
 * Looks at a launch (read_ahead.h), or takes what a file says of it: load and save name files, ""
 * for none. *begun: save has been written to in this run.
 */
RB_CHECKED rb_code_t photon_look(const sampler_launch_t *l, double share, const char *load,
                                 const char *save, bool *begun, read_ahead_t *out, rb_err_t *err);

/*
 * What is looked at: blocks from first on, and what began at or after cycle since. While a launch
 * has yet to fill the L2, what it writes does not reach the DRAM, and its warps are steadily too
 * fast: of a launch that will fill the L2, only what begins after it has is trusted. Unless what it
 * will have to move through the DRAM in the end is so little that the DRAM will not hold it up.
 */
typedef struct {
    uint64_t blocks, slots;
    double l2_sectors, insts; /* insts: of the launch; 0: not known */
    double light;             /* sectors per cycle that do not hold it up */
    cycle_t from;             /* when the first wave was over; 0: it is not */
    uint64_t moved;           /* sectors by then */
    bool on, calm;            /* calm: the DRAM does not hold it up */
    bool filling;             /* not on because the L2 is not full, and will be */
    uint64_t first;
    cycle_t since;
    uint64_t young; /* first block that began after since */
    bool ripe;      /* all blocks before it have retired: its like are not the quick ones only */
} photon_trust_t;

/* fill: whether to wait for the L2. light: share of the DRAM's bandwidth. */
photon_trust_t photon_trust(const sampler_launch_t *l, uint64_t first, bool fill, double light,
                            double insts);
void photon_trust_check(photon_trust_t *t, const interval_records_t *r);

/* Whether the blocks that fill the L2 may be left out: where the warps are of one type. published:
 * variants that know nothing of that. */
bool photon_may_skip(const read_ahead_t *ahead, bool published, bool fill, bool skip);

static inline bool photon_trusts(const photon_trust_t *t, const retired_t *r)
{
    return t->on && t->ripe && r->block >= t->first && r->start >= t->since;
}

/* What the state of either level begins with, for the hooks below. */
typedef struct {
    photon_trust_t trust;
    fill_skip_t fill;
} photon_level_t;

/* fast_forward_end and launch_added of both: only blocks that fill the L2 are left out by rate. */
double photon_level_forwarded(const sampler_t *sampler, uint64_t skipped,
                              const left_moves_t *moves);
double photon_level_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts);

/*
 * Cycles that a mean block takes with the chip to itself: its warps beside each other, but no
 * faster than the sub-cores issue them. 0: not known.
 */
double photon_block_alone(const sampler_launch_t *l, const read_ahead_t *ahead);

/* The end of a launch of which so many blocks at once take cycles each, and one of them alone. */
forward_tail_t photon_tail(uint64_t slots, double cycles, double alone);

#endif
