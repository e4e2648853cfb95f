/* The state of smarts in a launch, and its steps: a walk over the launch in units. */
#ifndef RUBATO_SMARTS_STATE_H
#define RUBATO_SMARTS_STATE_H

#include "sampling/estimate/estimate.h"
#include "sampling/inside/smarts/slot_model.h"
#include "sampling/inside/smarts/smarts_plan.h"
#include "sim/gpu/sampled/sampler.h"

typedef enum {
    PHASE_RAMP,
    PHASE_SETTLE, /* before a unit */
    PHASE_UNIT,
    PHASE_TAIL, /* nothing more is skipped */
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

/* Where a unit is (unit_file.h). */
typedef struct {
    uint64_t of, last, resume, walked;
    double begin, end;
} smarts_place_t;

typedef struct {
    smarts_options_t options;
    uint64_t seed;
    unit_file_t followed; /* owned; units of another run, if it follows one */
    unit_file_t measured; /* owned; of all launches so far */

    const sampler_launch_t *launch; /* borrowed */
    rb_code_t failed;               /* of a survey, and why */
    rb_err_t err;
    smarts_look_t look;
    smarts_plan_t plan;
    smarts_phase_t phase;
    double begun;   /* cycle of the first dispatch */
    double refresh; /* cycles for which a launch settles at least */
    double ramp;    /* warp instructions simulated when the ramp ended */
    smarts_mark_t
        half;    /* of the ramp: what follows tells how long waves take once caches are not empty */
    double wave; /* cycles of a wave, as far as known; 0: not yet */
    double l2_sectors;
    double l2_read, dram_read;         /* cycles of a read that ends there, if the chip is idle */
    smarts_mark_t left, resumed, unit; /* when the gap began and ended, and when the unit began */
    bool settling;                     /* in the newest gap */
    double jitter;                     /* waves of further settling */
    smarts_unit_t *units;              /* owned */
    smarts_stratum_t *strata;          /* owned; of the units, and the one that is being measured */
    smarts_gap_t *gaps;                /* owned */
    launch_estimate_t *list;           /* owned: replicates */
    smarts_place_t *places;            /* owned; of the units, and the one that is being measured */
    const launch_units_t *base;        /* units that it follows; borrowed; NULL: none */
    size_t group;                      /* the next one of them (smarts_follow.c) */
    size_t n, n_gaps, cap_units, cap_strata, cap_gaps, cap_places;
    char why[SAMPLER_EVIDENCE_MAX]; /* the launch, or its rest, is simulated completely */
} smarts_state_t;

/* --- the walk (smarts_walk.c) --- */

/* A moment without its counters. */
smarts_mark_t smarts_mark(const interval_records_t *r);

/* Simulates the launch, or its rest, completely. The first reason is kept. */
void smarts_simulate_rest(smarts_state_t *s, const char *why);

/* The same if the plan has no room for its units. */
void smarts_check_room(smarts_state_t *s);

/* Surveys the launch up to a block at least. false: after an error, which is kept. */
bool smarts_survey(smarts_state_t *s, uint64_t until);

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

/* The ends of intervals: in the ramp; returns whether it has ended. While settling and in a unit; returns
 * whether a unit was measured. */
bool smarts_end_ramp(smarts_state_t *s, const interval_records_t *r);
bool smarts_unit_ends(smarts_state_t *s, const interval_records_t *r);

/* Plans anew with what the units have shown. */
void smarts_revise(smarts_state_t *s, const interval_records_t *r);

/* --- units of another configuration (smarts_follow.c) --- */

/* Looks for the launch among those that are followed, if any. RB_TRACE: it is another
 * launch there. */
RB_CHECKED rb_code_t smarts_follow_begin(smarts_state_t *s, const launch_info_t *launch,
                                         rb_err_t *err);

/* How many units will be measured of those that are followed. */
size_t smarts_follow_units(const smarts_state_t *s);

/* The stratum and place of the next unit whose blocks are still to come. false: there is none. */
bool smarts_follow_next(smarts_state_t *s, double front, uint64_t first);

/* Keeps the units of the launch for those that follow. counted: what was simulated and counts. */
void smarts_keep_units(smarts_state_t *s, const launch_estimate_t *counted);

#endif
