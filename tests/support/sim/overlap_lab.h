/*
 * Programs whose launches overlap, for laws: launches of dependent additions, launches that stream
 * through memory, and copies, in streams.
 */
#ifndef RUBATO_TESTS_OVERLAP_LAB_H
#define RUBATO_TESTS_OVERLAP_LAB_H

#include "frontend/input/order/stream_builder.h"
#include "tests/support/sim/lab.h"

enum { MAX_OPS = 256 };

/* A program of launches of these kinds, in any order. */
typedef struct {
    synth_t *s;
    stream_builder_t b;
    uint64_t n;
} program_t;

/* What a run tells. */
typedef struct {
    lab_results_t results; /* in the order of their end */
    stream_op_time_t time[MAX_OPS];
    size_t n;
    copy_counters_t copies;
} told_t;

void program_begin(program_t *p);
void program_end(program_t *p);

/* A launch of blocks with n dependent additions. Returns its operation. */
uint32_t program_chain(program_t *p, uint64_t stream, uint32_t blocks, uint32_t threads, unsigned n,
                       uint32_t shared);

/* A launch that streams through its own data. */
void program_streaming(program_t *p, uint64_t stream, uint32_t blocks, unsigned steps);

uint32_t program_copy(program_t *p, uint64_t stream, stream_op_kind_t kind, uint64_t bytes);

/* Copies, launches of both kinds in four streams, and waits of the host. */
void program_mixed(program_t *p);

/* What fills *out, which must be their context, during a run. */
gpu_callbacks_t program_callbacks(told_t *out);

rb_code_t program_try(const gpu_spec_t *spec, program_t *p, const run_plan_t *plan, int threads,
                      cycle_t window, told_t *out, rb_err_t *err);

/* The same; an error fails the test. program_run: all of it, on one thread. */
void program_run_with(const gpu_spec_t *spec, program_t *p, const run_plan_t *plan, int threads,
                      cycle_t window, told_t *out);
void program_run(const gpu_spec_t *spec, program_t *p, told_t *out);

#endif
