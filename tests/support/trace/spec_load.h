/*
 * A resolved GPU configuration for programs that have no command line: tests and benchmarks.
 */
#ifndef RUBATO_TESTS_SPEC_LOAD_H
#define RUBATO_TESTS_SPEC_LOAD_H

#include "sim/core/err.h"
#include "sim/gpu/gpu_params.h"

/* Loads GPU gpu ("v100") with overrides ("sm.count=4"), a list that ends with NULL; NULL: none. */
RB_CHECKED rb_code_t spec_load(gpu_spec_t *spec, const char *gpu, const char *const *overrides,
                               rb_err_t *err);

#endif
