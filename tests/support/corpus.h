/* Runs the corpus of a fuzz target, and random changes of it, in tests of every build. */
#ifndef RUBATO_TESTS_CORPUS_H
#define RUBATO_TESTS_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/*
 * Runs trial on each file of tests/fuzz/corpus/<name>. Files whose names begin with bad_ must end
 * with RB_TRACE or RB_IO, the others with RB_OK; otherwise the running test fails. There must be
 * some of both.
 */
void corpus_holds(const char *name, rb_code_t (*trial)(const void *data, size_t n));

/*
 * Runs trial on n random changes of the corpus, always the same ones. Both outcomes must occur, or
 * the changes test nothing.
 */
void corpus_survives_changes(const char *name, rb_code_t (*trial)(const void *data, size_t n),
                             unsigned n);

#endif
