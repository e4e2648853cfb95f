/*
 * Stores what a trace source delivers as an Accel-Sim trace: a directory with kernelslist.g and one
 * grouped text file per launch (tracer version 5, no line numbers). Benchmarks measure the text
 * reader with it, and tests compare both ways into the model.
 *
 * The format lists general registers only, and of pairs and quads the first one; predicates and
 * uniform registers of the source are therefore lost.
 */
#ifndef RUBATO_TESTS_TEXT_WRITER_H
#define RUBATO_TESTS_TEXT_WRITER_H

#include "sim/gpu/trace_source.h"

/* Full mnemonic of an instruction of a launch: inst_t holds what the model needs, not the text. */
typedef struct {
    const char *(*mnemonic)(const void *ctx, uint64_t launch, const inst_t *in);
    const void *ctx;
} text_names_t;

/* Writes every launch of source into the existing directory dir; *bytes (may be NULL) receives the
 * size of the kernel files. Existing files of the same names are replaced. */
RB_CHECKED rb_code_t text_writer_store(trace_source_t *source, const text_names_t *names,
                                       const char *dir, uint64_t *bytes, rb_err_t *err);

#endif
