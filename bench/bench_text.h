/*
 * Text traces for the benchmark: the bundled ones, and the generated programs written as text.
 */
#ifndef RUBATO_BENCH_TEXT_H
#define RUBATO_BENCH_TEXT_H

#include "tests/support/trace/synth.h"

enum { BENCH_PATH_BYTES = 4096, BENCH_MAX_TRACES = 32 };

/* ctx: path of a trace directory. For bench_run(). */
trace_source_t *bench_text_open(const void *ctx, rb_err_t *err);

/* Writes the launches of s into a new temporary directory; bench_text_remove() removes it. */
RB_CHECKED rb_code_t bench_text_store(synth_t *s, char path[BENCH_PATH_BYTES], uint64_t *bytes,
                                      rb_err_t *err);
void bench_text_remove(const char *path);

/* Bundled traces of Volta code below root, in alphabetic order; returns their number. */
size_t bench_text_find(const char *root, char paths[][BENCH_PATH_BYTES]);

#endif
