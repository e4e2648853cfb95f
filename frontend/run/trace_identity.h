/*
 * What a trace is, in two strengths: a fingerprint of names, sizes and first bytes, cheap, that
 * tells whether a checkpoint belongs to it; and the SHA-256 of its bytes, computed beside the
 * simulation.
 *
 * The SHA-256 of one file is that of its bytes. That of a folder is the SHA-256 of the lines that
 * sha256sum prints, from inside the folder, for the list and then each file of its launches in the
 * order of first use. That of a native file (.rbt) is that of its end, from the root of its index
 * on, which holds checksums of all the rest: what is not simulated is not read.
 */
#ifndef RUBATO_RUN_TRACE_IDENTITY_H
#define RUBATO_RUN_TRACE_IDENTITY_H

#include "sim/core/sha256.h"
#include "sim/gpu/trace_source.h"

typedef struct trace_identity trace_identity_t;

/* Looks at the files of an open trace, or at program, if not NULL, which makes it. RB_IO. */
RB_CHECKED rb_code_t trace_identity_create(trace_identity_t **out, const trace_source_t *source,
                                           const char *program, rb_err_t *err);

/* NULL is allowed; ends a computation under way. */
void trace_identity_destroy(trace_identity_t *t);

uint64_t trace_identity_fingerprint(const trace_identity_t *t);

/* Bytes of all files. */
uint64_t trace_identity_bytes(const trace_identity_t *t);

/* Starts to compute the SHA-256 in a thread of its own. */
void trace_identity_start(trace_identity_t *t);

/* Waits for it. RB_IO if a file could not be read. */
RB_CHECKED rb_code_t trace_identity_sha256(trace_identity_t *t, char text[SHA256_TEXT],
                                           rb_err_t *err);

#endif
