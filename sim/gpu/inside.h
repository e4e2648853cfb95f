/*
 * Samplers inside launches: collects what they are shown, keeps the fast-forward under way, and
 * makes the result of a launch that was partly simulated.
 *
 * Decisions are taken between windows only (inside_interval()). In between the state is frozen, so
 * that the block scheduler's shard and the threads that decode ahead may ask inside_action().
 */
#ifndef RUBATO_GPU_INSIDE_H
#define RUBATO_GPU_INSIDE_H

#include "sim/gpu/extrapolate.h"
#include "sim/gpu/launch_result.h"
#include "sim/gpu/sampler.h"
#include "sim/isa/isa.h"
#include "sim/mem/l2_slice.h"

struct gpu;

/* Sectors, of the whole chip. */
typedef struct {
    uint64_t taken;      /* read into L2s, or written anew there */
    uint64_t write_hits; /* written where the L2 had them */
    uint64_t touched;    /* looked up in L2s */
    uint64_t dram;       /* moved by DRAMs */
} memory_work_t;

typedef struct {
    const sampler_t *samplers; /* borrowed */
    size_t n;
    sampler_launch_t launch;
    launch_info_t info;
    occupancy_t occupancy;
    cycle_t start;         /* of the launch */
    uint64_t insts_before; /* of the chip, when the launch began */
    memory_work_t before;
    unsigned recorded; /* kinds of retired_t */

    const sampler_t *active; /* whose fast-forward is under way; NULL: none */
    fast_forward_t forward;
    uint64_t first;          /* block of the fast-forward */
    cycle_t since;           /* relative to start */
    uint64_t skipped_before; /* blocks, when it began */

    launch_counts_t counts; /* of the launch */
    bool has_counts;

    launch_sampling_t note; /* of the launch's first fast-forward */
    double added;           /* cycles of the blocks left out by fast-forwards so far */
    uint64_t skipped_in_forwards;
    extrapolation_t counters;
    uint64_t warmed;    /* sectors of the L2 that blocks left out have taken */
    l2_warmed_t read;   /* what blocks of the fast-forward that were read have taken, */
    double read_blocks; /* so many */
    double warp_insts;  /* of the whole launch, as a fast-forward has told; 0: none has */
    bool cut;           /* the launch's counted time ends at cut_at */
    cycle_t cut_at;     /* relative to start */

    retired_t *sorted[RETIRED_KINDS]; /* owned */
    size_t cap[RETIRED_KINDS];
    size_t *bucket; /* owned; one per cycle of an interval, and two */
    latency_sum_t latencies[OP_CLASS_COUNT];
} inside_t;

/* What is done with a block; *cycles if it holds a slot. */
block_action_t inside_action(const inside_t *n, uint64_t block, cycle_t *cycles);

/* A block is simulated. */
bool inside_wants(const inside_t *n, uint64_t block);

void inside_init(inside_t *n, const gpu_spec_t *spec, const sampler_t *samplers, size_t n_samplers);
void inside_free(inside_t *n);

/* A launch begins at cycle start. Errors of a sampler that reads ahead. */
RB_CHECKED rb_code_t inside_begin(inside_t *n, struct gpu *g, uint64_t position,
                                  const launch_info_t *info, const occupancy_t *occupancy,
                                  cycle_t start, rb_err_t *err);

/* The interval that ends at cycle now is simulated. The feed is locked (feed_change_begin()).
 * Errors are those of reading blocks that warm the L2. */
RB_CHECKED rb_code_t inside_interval(inside_t *n, struct gpu *g, cycle_t now, rb_err_t *err);

/* The end of the launch, once no block is left to be dispatched; NULL: as predicted. */
const forward_tail_t *inside_tail(const inside_t *n);

/* No further decision is to be taken in this launch. */
bool inside_decided(const inside_t *n);

/*
 * The launch is over; r says what was simulated and becomes what is reported of the launch.
 * RB_USAGE: a sampler from outside has left out every block, or was wrong otherwise.
 */
RB_CHECKED rb_code_t inside_finish(inside_t *n, struct gpu *g, launch_result_t *r, rb_err_t *err);

#endif
