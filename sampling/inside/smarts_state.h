/*
 * The state of smarts in a launch, and its steps: a walk over the launch in units, and the check of a
 * rate that tbpoint_region has measured.
 */
#ifndef RUBATO_SMARTS_STATE_H
#define RUBATO_SMARTS_STATE_H

#include "sampling/inside/slot_model.h"
#include "sampling/inside/smarts_plan.h"
#include "sim/gpu/sampler.h"

typedef enum {
    PHASE_RAMP,
    PHASE_SETTLE, /* before a unit */
    PHASE_UNIT,
    PHASE_TAIL,   /* nothing more is skipped */
    PHASE_REGION, /* tbpoint_region measures */
    PHASE_HELD,   /* the rest of the launch is left out at the rate that was checked */
} smarts_phase_t;

/* A moment of the launch. */
typedef struct {
    double cycle, insts;
    uint64_t next; /* block */
    double front;  /* number of blocks that are done, if those on SMs are half done */
    gpu_counters_t counters;
} smarts_mark_t;

/*
 * A part of the launch that takes the time that units show: blocks that were skipped, and what was
 * simulated after them until the launch had settled.
 */
typedef struct {
    block_range_t skipped;
    double first, end;       /* in blocks; as smarts_mark_t's front, once the launch has settled */
    double insts;            /* of all of it */
    double cycles;           /* simulated, but not counted */
    gpu_counters_t counters; /* the same */
} smarts_gap_t;

/* The check of a rate that tbpoint_region has measured. */
typedef struct {
    bool on;               /* the rate is known, and units check it */
    fast_forward_t last;   /* the region's decision to leave out the rest */
    block_range_t filled;  /* blocks that it has left out itself, before its rate was known */
    smarts_mark_t wave[2]; /* ends of the last waves: older, newer */
    double fills;          /* of the L2 in the region's unit, relative to the survey's; 0: hardly
                           * any */
} smarts_check_t;

typedef struct {
    smarts_options_t options;
    uint64_t seed;
    sampler_t region; /* tbpoint_region, for even launches */

    smarts_look_t look;
    smarts_variation_t variation;
    smarts_plan_t plan;
    smarts_phase_t phase;
    smarts_check_t check;
    double begun;   /* cycle of the first dispatch */
    double refresh; /* cycles for which a launch settles at least */
    double l2_sectors, dram_sectors;
    smarts_mark_t left, resumed, unit; /* when the gap began and ended, and when the unit began */
    bool settling;                     /* in the newest gap */
    double jitter;                     /* waves of further settling */
    block_range_t staggered;  /* blocks that hold a slot for a random time, so that those after them
                              * are not in step */
    double stagger;           /* most cycles of that */
    bool turn;                /* the newest gap is one after which blocks are staggered */
    smarts_unit_t *units;     /* owned */
    smarts_stratum_t *strata; /* owned; of the units, and the one that is being measured */
    smarts_gap_t *gaps;       /* owned */
    launch_estimate_t *list;  /* owned: replicates */
    size_t n, n_gaps, cap_units, cap_strata, cap_gaps;
    char why[SAMPLER_EVIDENCE_MAX]; /* the launch, or its rest, is simulated completely */
} smarts_state_t;

/* --- the walk (smarts_walk.c) --- */

/* A moment without its counters. */
smarts_mark_t smarts_mark(const interval_records_t *r);

/* Simulates the launch, or its rest, completely. The first reason is kept. */
void smarts_simulate_rest(smarts_state_t *s, const char *why);

/* The same if the plan has no room for its units. */
void smarts_check_room(smarts_state_t *s);

/* Measures from `from` to the end of the interval: the next unit. */
void smarts_add_unit(smarts_state_t *s, const smarts_mark_t *from, const interval_records_t *r);

/* What is to be estimated now. Borrows from s. */
smarts_question_t smarts_ask(smarts_state_t *s);

/* Blocks up to `end` are left out. */
void smarts_add_gap(smarts_state_t *s, const interval_records_t *r, uint64_t end);

/* Skips the blocks up to `until`. false: they are too few. */
bool smarts_skip(smarts_state_t *s, const interval_records_t *r, uint64_t until,
                 fast_forward_t *out);

/* Goes to the next unit, or to the tail. Returns whether blocks are skipped. */
bool smarts_go_on(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out);

/* The ends of intervals: in the ramp; returns whether blocks are skipped. While settling and in a
 * unit; returns whether a unit was measured. */
bool smarts_end_ramp(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out);
bool smarts_unit_ends(smarts_state_t *s, const interval_records_t *r);

/* Plans anew with what the units have shown. */
void smarts_revise(smarts_state_t *s, const interval_records_t *r);

/* The part of what was left out for which unit i of a check stands: half of it is the region's. */
double smarts_check_part(const smarts_state_t *s, size_t i);

/* --- the check of an even launch (smarts_check.c) --- */

/* Leaves the launch to tbpoint_region if its parts are alike. */
RB_CHECKED rb_code_t smarts_check_open(smarts_state_t *s, const sampler_launch_t *l, rb_err_t *err);

/* The end of an interval in which the region is measured. */
bool smarts_check_region(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out);

/* A unit was measured: goes to the next one, or leaves out the rest, or gives the check up. */
bool smarts_check_unit(smarts_state_t *s, const interval_records_t *r, fast_forward_t *out);

/* Cycles of what was left out at the rate that was checked; blocks that hold their slots are counted
 * elsewhere. */
double smarts_check_added(const smarts_state_t *s, cycle_t cycles, uint64_t warp_insts);

#endif
