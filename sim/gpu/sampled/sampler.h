/*
 * The interface for samplers inside launches, the second interface of the model. A sampler is a
 * set of hooks, each of which may be NULL. The launch loop calls them at fixed points: to ask what
 * need not be simulated, and to tell what was measured. (Samplers that choose whole launches are
 * outside the model: they give gpu_run() a list of launches, once or in rounds.)
 *
 * A sampler sees a launch in intervals of sampling.interval core cycles, counted from the start of
 * the launch and independent of windows and threads. At the end of an interval it may
 * fast-forward: the blocks that are not dispatched yet are left out, up to a block that it names.
 * They are not even read, except for the last ones if the sampler wants what they access in the L2
 * (warm). All times are relative to the start of the launch.
 */
#ifndef RUBATO_GPU_SAMPLER_H
#define RUBATO_GPU_SAMPLER_H

#include <stdbool.h>

#include "sim/gpu/dispatch/occupancy.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/sampled/launch_estimate.h"
#include "sim/gpu/source/trace_source.h"
#include "sim/gpu/warming/shadow.h"
#include "sim/sm/retired.h"

struct sampler;
struct inside;

enum { SAMPLER_EVIDENCE_MAX = 200 };

/* A launch that is about to be simulated. All pointers are borrowed until the launch has ended. */
typedef struct {
    const launch_info_t *info;
    const occupancy_t *occupancy;
    const gpu_spec_t *spec;
    uint64_t slots; /* blocks of the launch that fit on the chip at once */
    trace_source_t *
        source; /* to read a sample of its blocks ahead (launch_open, and surveys in interval_end) */
    uint64_t position; /* of the launch in the source: 1, 2, ... */
    struct inside *of; /* for sampler_survey() */
} sampler_launch_t;

/* A survey of the launch's blocks before `until` at least (shadow.h), in launch_open() or interval_end(). It begins with
 * what the L2 has at the first call, and later calls may go further. Samplers that ask for bins of the same size share
 * one. *out is valid until the next launch begins. Errors of reading. */
RB_CHECKED rb_code_t sampler_survey(const sampler_launch_t *l, uint64_t blocks_per_bin,
                                    uint64_t until, const shadow_t **out, rb_err_t *err);

/* The state of a launch at the end of an interval. */
typedef struct {
    cycle_t cycle; /* end of the interval */
    uint64_t warp_insts;
    uint64_t blocks_done;
    uint64_t next_block; /* first block that is not dispatched yet */
    uint64_t resident;   /* blocks dispatched and not done */
    uint64_t oldest;     /* lowest block on an SM; next_block if there is none */
    /* Sectors of the L2 that the launch has taken: filled, or newly written; including those of
     * blocks that were left out but warmed the L2 (warm). */
    uint64_t l2_taken;
    /* Sectors that the DRAM must move for the launch sooner or later: those that it fills, and
     * those that it writes, because they will be written back. At least what the DRAM has moved
     * so far, which may be more, because the launch writes back what it found in the L2. */
    uint64_t l2_moved;
    uint64_t l2_touched; /* sectors looked up, hit or miss */
    uint64_t dram_moved; /* sectors that the DRAM has read or written */
    /* What retired in the interval, of the kinds that any sampler requested, ordered by (cycle, SM,
     * sequence). Unsimulated blocks are not included. */
    struct {
        const retired_t *list;
        size_t n;
    } retired[RETIRED_KINDS];
    /* Of all results since the launch began, by op_class_t; if a sampler requested basic blocks. */
    const latency_sum_t *latencies;
    const struct inside *of; /* for sampler_counters() */
} interval_records_t;

/* All counters of the chip since the launch began. They are summed only when a sampler asks. */
void sampler_counters(const interval_records_t *r, gpu_counters_t *out);

typedef enum {
    /* The block scheduler goes on, but a block is not simulated: it holds its resources of an SM
     * for the cycles that block_dispatch() predicts. */
    FORWARD_HOLD_SLOT,
    /* The blocks are skipped, and the time they take is added to the launch (fast_forward_end). The
     * next simulated block takes the place of the first skipped one. */
    FORWARD_REGION_IPC,
} forward_model_t;

typedef enum {
    RESIDENTS_DRAIN, /* blocks on SMs are simulated to their end, and that time counts */
    /* They are simulated to their end, but the time that this takes does not count. HOLD_SLOT:
     * each holds its slot for the predicted time instead. REGION_IPC: no time passes for the
     * launch; only for a fast-forward to the end of the launch. */
    RESIDENTS_PREDICT,
    RESIDENTS_CUT, /* the same, but their warps end at once; only to the end of the launch */
} forward_residents_t;

/* The end of a launch with HOLD_SLOT. Once the last block is dispatched, fewer and fewer blocks
 * share the chip, and each gets faster: while m blocks are left, they take max(floor, m / full)
 * of their predicted time. full: blocks that share the bottleneck; 0: all take the predicted
 * time. floor: part of its time that a block takes alone. */
typedef struct {
    uint64_t full;
    double floor;
} forward_tail_t;

typedef struct {
    uint64_t until; /* first block to simulate again; past the last block: none */
    forward_model_t model;
    forward_residents_t residents;
    forward_tail_t tail;
    /* HOLD_SLOT to the end of the launch: the next `pass` blocks do not even hold a slot;
     * together they take pass_cycles. For an even part, in which every wave is like the one
     * before it. `pass` should be whole waves, so that the blocks after it find the slots as
     * they are now. */
    uint64_t pass;
    double pass_cycles;
    double warp_insts; /* of the whole launch, to scale the counters; 0: scaled by blocks */
    /* REGION_IPC: this many of the last skipped blocks are read and applied to the L2, without
     * time. */
    uint64_t warm;
    char evidence[SAMPLER_EVIDENCE_MAX]; /* reason for the decision, for the report */
} fast_forward_t;

/* Sectors that the DRAM must move for the skipped blocks, estimated from those that were read
 * (warm); 0 if none was read. */
typedef struct {
    double then;  /* while they run: their fills, and write-backs to make room */
    double later; /* for as many blocks once the L2 is full of their data: then what they write is
                   * also written back */
} left_moves_t;

typedef enum { BLOCK_SIMULATE, BLOCK_HOLD_SLOT, BLOCK_SKIP } block_action_t;

/* As launch_replicates_t, but not yet corrected. */
typedef struct {
    size_t n;
    launch_estimate_t *list;
} sampler_replicates_t;

typedef struct {
    const char *name; /* NULL: it only observes, and results do not name it */
    unsigned retired; /* set of retired_bit()s: the kinds of retired_t that it needs */

    /* The hooks in the order of the calls. launch_open() may return errors of reading ahead. */
    rb_code_t (*launch_open)(const struct sampler *s, const sampler_launch_t *launch,
                             rb_err_t *err);

    /* true: fast-forward as *out says (zeroed before the call). Not called during a
     * fast-forward. */
    bool (*interval_end)(const struct sampler *s, const interval_records_t *r, fast_forward_t *out);

    /*
     * The decision for a block. Asked for every block; during a fast-forward only of the sampler
     * that started it. Called on any thread and more than once, so it must depend only on what the
     * sampler knew at the last interval_end(). An answer may change from simulate to another, never
     * back. HOLD_SLOT: *cycles on its SM. SKIP outside a fast-forward: the launch's time is scaled
     * by the number of blocks.
     */
    block_action_t (*block_dispatch)(const struct sampler *s, uint64_t block, cycle_t *cycles);

    /* A REGION_IPC fast-forward has ended with `skipped` blocks: returns the cycles that they
     * take. */
    double (*fast_forward_end)(const struct sampler *s, uint64_t skipped,
                               const left_moves_t *moves);

    /* The launch has ended; `warp_insts` instructions were simulated in `cycles`. Returns cycles of
     * blocks left out that fast_forward_end() has not returned. */
    double (*launch_added)(const struct sampler *s, cycle_t cycles, uint64_t warp_insts);

    /*
     * Optional: the sampler's own estimate of the whole launch. Called at the end of a launch in
     * which only this sampler left out blocks, after launch_added(). simulated: cycles and counters
     * of the part that was simulated. *whole: the estimate that follows from the hooks above, which
     * the sampler may replace. *replicates (n is 0): estimates like *whole, for the error; their
     * list is owned by the sampler and valid until the next launch_open(). evidence: of all
     * fast-forwards; may be replaced. What the index knows is
     * set, and what is impossible corrected, in all of them afterwards.
     */
    void (*launch_estimate)(const struct sampler *s, const launch_estimate_t *simulated,
                            launch_estimate_t *whole, sampler_replicates_t *replicates,
                            char evidence[SAMPLER_EVIDENCE_MAX]);

    /* Optional (NULL: never): whether the sampler has nothing more to decide or to observe in this launch. If
     * no sampler has, the launch goes on as without samplers, and as fast. */
    bool (*done)(const struct sampler *s);

    /* The launch has ended and this sampler has not stopped it: writes why not, for the report. */
    void (*launch_verdict)(const struct sampler *s, char evidence[SAMPLER_EVIDENCE_MAX]);

    /* For plugins: returns the error of a hook above that cannot return one. Called after each
     * interval and at the end of the launch. */
    rb_code_t (*check)(const struct sampler *s, rb_err_t *err);
} sampler_ops_t;

typedef struct sampler {
    const sampler_ops_t *ops;
    void *state; /* owned by whoever made the sampler */
} sampler_t;

/* What samplers did in a launch, for reports. */
enum { SAMPLER_NAME_MAX = 32 };
typedef struct {
    char sampler[SAMPLER_NAME_MAX]; /* the one that stopped it, or else the first; "": no sampler */
    bool estimated;                 /* part of the launch was not simulated */
    cycle_t cycle;                  /* if estimated: of the decision, relative to the start */
    uint64_t block;                 /* if estimated: the first block that was not simulated */
    char evidence[SAMPLER_EVIDENCE_MAX]; /* of all fast-forwards, as far as there is room */
    uint64_t simulated_blocks, simulated_cycles, simulated_warp_insts;
} launch_sampling_t;

#endif
