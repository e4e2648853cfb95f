/*
 * sampler: the model's second interface. The launch loop asks samplers at fixed points what need
 * not be simulated, and tells them what came out; it calls a hook only where it is not NULL.
 * (Samplers that choose whole launches are none of the model's business: they give gpu_run() a
 * list of launches, once or in rounds.)
 *
 * A sampler inside launches sees a launch in intervals of sampling.interval core cycles, counted
 * from its start and independent of windows and threads. At the end of one it may fast-forward:
 * blocks not yet dispatched, up to one that it names, are not simulated. They are then neither read
 * nor decoded, except where it asks for the last ones to warm the L2 (warm). All times that it is
 * told are relative to the launch's start.
 */
#ifndef RUBATO_GPU_SAMPLER_H
#define RUBATO_GPU_SAMPLER_H

#include <stdbool.h>

#include "sim/gpu/gpu_params.h"
#include "sim/gpu/occupancy.h"
#include "sim/gpu/trace_source.h"
#include "sim/sm/retired.h"

struct sampler;

enum { SAMPLER_EVIDENCE_MAX = 200 };

/* A launch that is about to be simulated. Everything is borrowed for the length of the launch. */
typedef struct {
    const launch_info_t *info;
    const occupancy_t *occupancy;
    const gpu_spec_t *spec;
    uint64_t slots;         /* blocks of the launch that the chip holds at once */
    trace_source_t *source; /* to read a sample of its blocks ahead (launch_open only) */
    uint64_t position;      /* of the launch in the source: 1, 2, ... */
} sampler_launch_t;

/* What a launch has done up to the end of an interval. */
typedef struct {
    cycle_t cycle; /* end of the interval */
    uint64_t warp_insts;
    uint64_t blocks_done;
    uint64_t next_block; /* the first that is not dispatched yet */
    uint64_t resident;   /* blocks dispatched and not done */
    uint64_t oldest;     /* first block that is on an SM; next_block: there is none */
    /* Sectors of the L2 that the launch took: read in, or written anew; what blocks that were left
     * out have left there (warm) included. */
    uint64_t l2_taken;
    /* Sectors that the DRAM has to move for it sooner or later: what was read in, and, where it was
     * written, is to be written back, at most twice what was taken. Or what it has moved if that
     * is more: the launch may have to make room by writing back what it found in the L2. */
    uint64_t l2_moved;
    uint64_t l2_touched; /* sectors looked up, found or not */
    uint64_t dram_moved; /* sectors that the DRAM has read and written */
    /* What retired in the interval, of the kinds that any sampler asked for, in the order (cycle,
     * SM, sequence). A block not simulated is not among them. */
    struct {
        const retired_t *list;
        size_t n;
    } retired[RETIRED_KINDS];
    /* Of all results since the launch began, by op_class_t; if a sampler asked for basic blocks. */
    const latency_sum_t *latencies;
} interval_records_t;

typedef enum {
    /* Each block holds the resources of an SM for the cycles that block_dispatch() predicts: the
     * block scheduler goes on as it is. */
    FORWARD_HOLD_SLOT,
    /* The blocks are left out; the time that they take is added to the launch (fast_forward_end).
     * The next block simulated takes the place that the first one left out would have had. */
    FORWARD_REGION_IPC,
} forward_model_t;

typedef enum {
    RESIDENTS_DRAIN, /* blocks on an SM are simulated to their end, which counts */
    /* They are simulated to their end, which does not count. HOLD_SLOT: each holds its slot for the
     * predicted time instead. REGION_IPC: the launch stands still meanwhile; only to its end. */
    RESIDENTS_PREDICT,
    RESIDENTS_CUT, /* the same, but their warps end at once; only to the end of the launch */
} forward_residents_t;

/*
 * The end of a launch, HOLD_SLOT: when the last block is on its way and m blocks are left, they
 * take max(floor, m / full) of their predicted time: full of them share what limits them, and alone
 * a block takes the floor. full 0: they take the predicted time.
 */
typedef struct {
    uint64_t full;
    double floor;
} forward_tail_t;

typedef struct {
    uint64_t until; /* first block to be simulated again; at or past the last block: none is */
    forward_model_t model;
    forward_residents_t residents;
    forward_tail_t tail;
    /* HOLD_SLOT to the end of the launch: so many of its next blocks do not even hold a slot, and
     * take these cycles together. Of a part that is even, where the scheduler only repeats itself:
     * in whole waves, so that those behind them find the slots as they are. */
    uint64_t pass;
    double pass_cycles;
    double warp_insts; /* of the whole launch: scales the counters; 0: blocks do */
    /* REGION_IPC: so many of the last blocks left out are read, and leave in the L2 what they
     * touch, without time. */
    uint64_t warm;
    char evidence[SAMPLER_EVIDENCE_MAX]; /* why now: for the report */
} fast_forward_t;

/* Sectors that the DRAM has to move for blocks that were left out, by those of them that were read
 * (warm; 0: none was): */
typedef struct {
    double then;  /* while they run: what they read in, and what is written back to make room */
    double later; /* for as many of them once the L2 holds nothing else: that which they wrote is
                   * written back */
} left_moves_t;

typedef enum { BLOCK_SIMULATE, BLOCK_HOLD_SLOT, BLOCK_SKIP } block_action_t;

typedef struct {
    const char *name; /* NULL: it only looks, and results do not name it */
    unsigned retired; /* kinds of retired_t that it wants, as a set of retired_bit()s */

    /* In the order of the calls. Errors are those of reading ahead. */
    rb_code_t (*launch_open)(const struct sampler *s, const sampler_launch_t *launch,
                             rb_err_t *err);

    /* true: fast-forwards as *out says (zeroed before). Not called during a fast-forward. */
    bool (*interval_end)(const struct sampler *s, const interval_records_t *r, fast_forward_t *out);

    /*
     * What is done with a block. Asked for every block, during a fast-forward only of the sampler
     * whose it is. Called on any thread and more than once: must be a function of what the sampler
     * knew at the last interval_end(). An answer may change from simulate to another, never back.
     * HOLD_SLOT: *cycles that it is on its SM. SKIP outside of a fast-forward: the launch's time
     * is scaled by the number of blocks.
     */
    block_action_t (*block_dispatch)(const struct sampler *s, uint64_t block, cycle_t *cycles);

    /* REGION_IPC is over, with so many blocks left out: cycles that they take. */
    double (*fast_forward_end)(const struct sampler *s, uint64_t skipped,
                               const left_moves_t *moves);

    /* The launch is over, so many instructions were simulated in so many cycles: cycles that blocks
     * left out take, besides those that fast_forward_end() has told. */
    double (*launch_added)(const struct sampler *s, cycle_t cycles, uint64_t warp_insts);

    /* The launch is over and this sampler has not stopped it: why not, for the report. */
    void (*launch_verdict)(const struct sampler *s, char evidence[SAMPLER_EVIDENCE_MAX]);

    /* Of samplers from outside: whether one of the hooks above that cannot fail has failed. Asked
     * after each interval and at the end of the launch. */
    rb_code_t (*check)(const struct sampler *s, rb_err_t *err);
} sampler_ops_t;

typedef struct sampler {
    const sampler_ops_t *ops;
    void *state; /* owned by whoever made the sampler */
} sampler_t;

/* What samplers did inside a launch, for reports. */
enum { SAMPLER_NAME_MAX = 32 };
typedef struct {
    char sampler[SAMPLER_NAME_MAX]; /* which stopped it, or the first asked; "": none was asked */
    bool estimated;                 /* part of the launch was not simulated */
    cycle_t cycle;                  /* estimated: of the decision, relative to the start */
    uint64_t block;                 /* estimated: the first block that was not simulated */
    char evidence[SAMPLER_EVIDENCE_MAX]; /* of all fast-forwards, as far as there is room */
    uint64_t simulated_blocks, simulated_cycles, simulated_warp_insts;
} launch_sampling_t;

#endif
