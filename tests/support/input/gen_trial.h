/* Generated programs for tests. */
#ifndef RUBATO_TESTS_GEN_TRIAL_H
#define RUBATO_TESTS_GEN_TRIAL_H

#include "frontend/input/gen/gen.h"
#include "tests/support/trace/stream_check.h"

/* Opens a generated program; the request must be valid. The parameters end with NULL. */
#define GEN_OPEN(kind, arch, size, ...)                                                            \
    gen_trial_open(kind, arch, size, (const char *const[]){__VA_ARGS__, NULL})
trace_source_t *gen_trial_open(const char *kind, unsigned arch, uint64_t size,
                               const char *const *params);

/* Checks and counts all of a program, which is destroyed. */
stream_counts_t gen_trial_count(trace_source_t *s);

/* Opens it for sm_70 as GEN_OPEN does, and counts it. */
#define GEN_COUNT(kind, size, ...) gen_trial_count(GEN_OPEN(kind, 70, size, __VA_ARGS__))

/* Counts of one launch (1 ..) only; the source is kept. */
stream_counts_t gen_trial_launch(trace_source_t *s, uint64_t id);

#endif
