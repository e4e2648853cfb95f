/* Checks of what the model relies on in the blocks and the code of any trace source, even of
 * damaged files. */
#ifndef RUBATO_TESTS_SOURCE_CHECK_H
#define RUBATO_TESTS_SOURCE_CHECK_H

#include "sim/gpu/source/trace_source.h"

/* Reads a whole launch; returns how the reading ended. Fails the test if something is wrong. */
rb_code_t source_check_launch(trace_source_t *s, uint64_t id, rb_err_t *err);

#endif
