/*
 * Helpers of law tests: a configuration reduced to what the law is about, small programs, a run,
 * and its counters. All errors fail the running test with the message of the model.
 */
#ifndef RUBATO_TESTS_LAB_H
#define RUBATO_TESTS_LAB_H

#include "sim/core/files/sha256.h"
#include "sim/gpu/gpu.h"
#include "tests/support/test.h"
#include "tests/support/trace/synth.h"

enum { LAB_MAX_LAUNCHES = 64, LAB_FULL = SYNTH_FULL_MASK };

typedef struct {
    size_t n;
    launch_result_t launch[LAB_MAX_LAUNCHES];
} lab_results_t;

/* The resolved configuration of a GPU with overrides ("sm.count=4", ...). */
#define LAB_SPEC(gpu, ...) lab_spec(gpu, (const char *const[]){__VA_ARGS__, NULL})
gpu_spec_t lab_spec(const char *gpu, const char *const *overrides);

/* Runs every launch of source with this many threads and this window (0: the largest). */
void lab_run(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
             lab_results_t *out);

/* The same with samplers inside launches. */
void lab_run_sampled(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                     const sampler_t *samplers, size_t n_samplers, lab_results_t *out);

/* Runs s, which has one launch, on one thread, destroys it and returns the result. */
launch_result_t lab_run_one(const gpu_spec_t *spec, synth_t *s);

/* An instruction as synth_code() takes it. */
typedef struct {
    const char *mnemonic, *dst, *src;
} lab_op_t;

/*
 * A launch of blocks x threads whose warps execute the given instructions repeats times in
 * straight-line code, then EXIT. Differences between two repeats are free of launch and exit costs.
 */
launch_result_t lab_straight(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads,
                             const lab_op_t *ops, size_t n_ops, unsigned repeats);

/* Cycles that one more repetition takes, from LAB_SLOPE_REPEATS to twice as many. */
enum { LAB_SLOPE_REPEATS = 40 };
double lab_straight_slope(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads,
                          const lab_op_t *ops, size_t n_ops);

/*
 * A program that repeats one memory instruction; address(ctx, warp, lane, step) gives the
 * addresses. If the destination is also the source, it is a pointer chase: each access waits for
 * the previous one. If dst is NULL the accesses are independent and rotate through LAB_ROTATE
 * destinations.
 */
enum { LAB_ROTATE = 16 };
typedef uint64_t (*lab_address_fn)(const void *ctx, uint64_t warp, unsigned lane, uint64_t step);

typedef struct {
    lab_op_t op;
    uint32_t blocks, threads, shared, regs;
    uint32_t mask; /* active lanes */
    uint64_t steps;
    lab_address_fn address;
    const void *ctx;
} lab_access_t;

/* Adds the program to s as a launch. a is copied (the newest LAB_MAX_LAUNCHES copies are kept),
 * a->ctx is borrowed. */
void lab_access_add(synth_t *s, const gpu_spec_t *spec, const lab_access_t *a);

launch_result_t lab_access(const gpu_spec_t *spec, const lab_access_t *a);

/* Cycles per step between steps and twice as many, unrounded. */
double lab_access_slope(const gpu_spec_t *spec, lab_access_t a);

/* A text with everything that a run reports: times and counters of every launch. */
void lab_hash(const lab_results_t *r, char text[SHA256_TEXT]);

/* Runs a source of any number of launches and reduces the results like lab_hash(). */
void lab_run_hash(const gpu_spec_t *spec, trace_source_t *source, int threads,
                  char text[SHA256_TEXT]);

/* Sum of all warp states. */
uint64_t lab_state_sum(const sm_stats_t *s);

/* A warp state of a result. */
uint64_t lab_state(const launch_result_t *r, sm_state_t state);

/* Compares with a relative tolerance and names both on failure. */
void lab_assert_near(double got, double want, double relative, const char *what);

/* Exact equality of doubles that hold whole numbers. */
void lab_assert_equal(double got, double want, const char *what);

#endif
