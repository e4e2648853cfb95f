/*
 * Connects a launch with the samplers inside it. It shows them what happened in each interval,
 * carries out their fast-forwards, and makes the result of a launch that was simulated in part.
 *
 * Samplers decide only between windows, in inside_interval(). Nothing here changes during a
 * window, so the block scheduler's shard and the threads that decode blocks may call
 * inside_action() then.
 */
#ifndef RUBATO_GPU_INSIDE_H
#define RUBATO_GPU_INSIDE_H

#include "sim/gpu/launch_result.h"
#include "sim/gpu/sampled/extrapolate.h"
#include "sim/gpu/sampled/sampler.h"
#include "sim/isa/isa.h"
#include "sim/mem/l2_slice.h"

struct gpu;

/* Sectors, summed over the chip. */
typedef struct {
    uint64_t taken;      /* filled into L2s, or newly written there */
    uint64_t write_hits; /* written to lines that the L2 had */
    uint64_t touched;    /* looked up in L2s */
    uint64_t dram;       /* moved by the DRAM */
} memory_work_t;

typedef struct inside {
    struct gpu *chip;          /* borrowed */
    const sampler_t *samplers; /* borrowed */
    size_t n;
    sampler_launch_t launch;
    launch_info_t info;
    occupancy_t occupancy;
    cycle_t start;         /* of the launch */
    uint64_t insts_before; /* of the chip, at the start of the launch */
    memory_work_t before;
    unsigned recorded; /* kinds of retired_t that are recorded */
    bool asks;         /* a sampler decides for single blocks */

    const sampler_t *active; /* sampler of the current fast-forward; NULL: none */
    fast_forward_t forward;
    uint64_t first;          /* first block of the fast-forward */
    cycle_t since;           /* relative to start */
    uint64_t skipped_before; /* blocks skipped before it began */

    gpu_counters_t chip_before; /* at the start of the launch */
    launch_counts_t counts;     /* of the launch */
    bool has_counts;

    launch_sampling_t note; /* of the launch's first fast-forward */
    double added;           /* cycles of the blocks that fast-forwards left out so far */
    uint64_t skipped_in_forwards;
    extrapolation_t counters;
    uint64_t warmed;    /* L2 sectors taken by blocks that were left out */
    bool cold;          /* blocks were left out for which nothing was read (warm) */
    l2_warmed_t read;   /* what the blocks of the fast-forward that were read did to the L2, */
    double read_blocks; /* and how many they are */
    double warp_insts;  /* of the whole launch, if a fast-forward stated it; else 0 */
    bool several;       /* more than one sampler has left out blocks */
    bool cut;           /* the counted time of the launch ends at cut_at */
    cycle_t cut_at;     /* relative to start */

    retired_t *sorted[RETIRED_KINDS]; /* owned */
    size_t cap[RETIRED_KINDS];
    size_t *bucket; /* owned; one per cycle of an interval, plus two */
    latency_sum_t latencies[OP_CLASS_COUNT];
    shadow_t **survey; /* owned; each with its own size of bins */
    size_t n_surveys, cap_surveys;
} inside_t;

/* The decision for a block. *cycles: how long it holds its slot, if it does. */
block_action_t inside_action(const inside_t *n, uint64_t block, cycle_t *cycles);

/* Whether a block is simulated. */
bool inside_wants(const inside_t *n, uint64_t block);

void inside_init(inside_t *n, const gpu_spec_t *spec, const sampler_t *samplers, size_t n_samplers);
void inside_free(inside_t *n);

/* A launch begins at cycle start. Returns errors of samplers that read ahead. */
RB_CHECKED rb_code_t inside_begin(inside_t *n, struct gpu *g, uint64_t position,
                                  const launch_info_t *info, const occupancy_t *occupancy,
                                  cycle_t start, rb_err_t *err);

/* Call when the interval that ends at cycle now is simulated, with the feed locked
 * (feed_change_begin()). Returns errors of reading blocks that warm the L2. */
RB_CHECKED rb_code_t inside_interval(inside_t *n, struct gpu *g, cycle_t now, rb_err_t *err);

/* How blocks speed up when none is left to dispatch; NULL: they take the predicted time. */
const forward_tail_t *inside_tail(const inside_t *n);

/* Whether no more decisions will be made in this launch. */
bool inside_decided(const inside_t *n);

/* The same, also because no sampler wants more. */
bool inside_done(const inside_t *n);

/* Whether the caches lack what blocks of the launch would have left there. */
bool inside_is_cold(const inside_t *n);

/* The launch has ended: turns r, the result of the simulated part, into that of the whole. RB_USAGE
 * if a plugin left out every block or made another error. */
RB_CHECKED rb_code_t inside_finish(inside_t *n, struct gpu *g, launch_result_t *r, rb_err_t *err);

/* The last step of inside_finish() (inside_result.c). */
RB_CHECKED rb_code_t inside_result(inside_t *n, launch_result_t *r, rb_err_t *err);

#endif
