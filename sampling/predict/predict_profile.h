/*
 * What a launch does, as far as predictions need it, from the index of a native trace or from some
 * decoded blocks. It does not depend on the chip.
 *
 * The index tells how often a warp executes each basic block, not in which order. A warp is taken to
 * execute them in the order of their addresses, and neighbours that it executes equally often as the
 * body of a loop.
 */
#ifndef RUBATO_PREDICT_PROFILE_H
#define RUBATO_PREDICT_PROFILE_H

#include "sampling/predict/access_mean.h"

/* Blocks of a launch that are looked at, different warps that are kept of them, and blocks that may be the slowest. */
enum { PROFILE_BLOCKS = 16, PROFILE_PATHS = 24, PROFILE_SLOW = 2 };

/* Instructions that a warp executes one after another. */
typedef struct {
    const inst_t *first; /* borrowed from the launch */
    uint32_t known, n;   /* instructions whose code is known, of n */
    double times;        /* executions by the warp */
} path_step_t;

/* A warp, or several that are alike. */
typedef struct {
    path_step_t *step; /* owned; by address */
    size_t n;
    double insts;
    double share; /* of the launch's warps */
} warp_path_t;

/* A block that may be the slowest: the one with most instructions, or with most requests. */
typedef struct {
    uint64_t block;
    warp_path_t path; /* its longest warp */
    access_mean_t access[OP_CLASS_COUNT];
} slow_block_t;

/* What the warps of the sampled blocks add up to. */
typedef struct {
    double blocks, warps, insts, longest;
    double first; /* instructions of the first block */
} sampled_t;

typedef struct {
    launch_info_t info;
    launch_counts_t counts; /* without an index: only what the sampled blocks tell */
    bool indexed;
    uint64_t blocks; /* stored */
    warp_path_t path[PROFILE_PATHS];
    size_t n_paths;
    double warps;   /* warps of a block that do something */
    double loads;   /* different instructions that load */
    double slowest; /* of the paths of a block, the longest over the mean, in instructions */
    access_mean_t access[OP_CLASS_COUNT];
    bool strides;   /* wanted: how far loads go in equal strides; set by the caller */
    double spins;   /* polls of loops in which warps wait for others, per warp */
    double unknown; /* share of instructions that the opcode table lacks */
    bool *code;     /* owned; lines from the first to the last: executed */
    uint32_t code_lines;
    slow_block_t slow[PROFILE_SLOW]; /* by block */
    size_t n_slow;                   /* 0: blocks are alike */
    bool sampled;                    /* paths of evenly chosen blocks are there */
    bool uneven;                     /* blocks differ in length */
    access_shape_t *shapes;          /* owned; accesses that were looked at */
    uint64_t *lengths; /* owned; warp instructions of each block, if they differ; else NULL */
    double copied;     /* sectors that the host has copied to the device so far; 0: unknown */
    uint64_t key;      /* equal launches have equal ones */
    sampled_t sum;
    double looked_at; /* warps of decoded blocks */
} predict_profile_t;

/* Begins a profile with what the index has of the whole launch. The caller frees *p, also after an error. */
RB_CHECKED rb_code_t predict_profile_begin(predict_profile_t *p, trace_source_t *source,
                                           uint64_t id, rb_err_t *err);

/* Adds the lengths of the blocks of the open launch, if the source has an index, to the profile and its key: launches
 * of equal sums may differ in their slowest block. sample: adds the paths of evenly chosen blocks on the way. */
RB_CHECKED rb_code_t predict_profile_lengths(predict_profile_t *p, trace_source_t *source,
                                             trace_launch_t *launch, bool sample, rb_err_t *err);

/* Adds the paths of evenly chosen blocks of the open launch, and of those that may be the slowest, from the index, from
 * which it borrows: RB_USAGE if there is none. */
RB_CHECKED rb_code_t predict_profile_index(predict_profile_t *p, trace_source_t *source,
                                           trace_launch_t *launch, rb_err_t *err);

/* Loads that a warp issues before it waits for one of them, in the mean of the paths so far; 1: there are none. */
double predict_profile_together(const predict_profile_t *p);

/* Adds the accesses of a decoded block, and without an index its paths, for which its launch stays open. */
void predict_profile_add(predict_profile_t *p, trace_block_t *b);

/* Sets what follows from all that was added. RB_TRACE: there is nothing. */
RB_CHECKED rb_code_t predict_profile_end(predict_profile_t *p, rb_err_t *err);
void predict_profile_free(predict_profile_t *p); /* a zeroed one is allowed */

#endif
