/*
 * What a trace is: the SHA-256 of what is read of it.
 *
 * A native file (.rbt): the SHA-256 of its end, from the root of its index on, which holds
 * checksums of all the rest. It is known at once, and what is skipped is not read. A program that
 * makes the trace: that of its file.
 *
 * Other traces are hashed as they are read. One file: the SHA-256 of its bytes. A folder: the
 * SHA-256 of the lines that sha256sum prints, from inside the folder, for the list and then each
 * file of its launches in the order of first use. Where only some were read, they are listed.
 */
#ifndef RUBATO_RUN_TRACE_IDENTITY_H
#define RUBATO_RUN_TRACE_IDENTITY_H

#include "frontend/tool/run/journal.h"
#include "sim/core/file_reads.h"
#include "sim/gpu/trace_source.h"

typedef struct trace_identity trace_identity_t;

/* Looks at the files of an open trace, or at program, if not NULL, which makes it. RB_IO. Outlives
 * the source, which notes here what it reads. */
RB_CHECKED rb_code_t trace_identity_create(trace_identity_t **out, trace_source_t *source,
                                           const char *program, rb_err_t *err);

/* NULL is allowed; ends a computation under way. */
void trace_identity_destroy(trace_identity_t *t);

/* What is known before a launch is read, as 64 digits: of a native file and a program all, else the
 * list, machine code, and the names of the kernels' files. */
const char *trace_identity_beginning(const trace_identity_t *t);

/* Bytes of all files. */
uint64_t trace_identity_bytes(const trace_identity_t *t);

/* A launch is complete: notes in the journal what was read since the last call. RB_IO; also if a
 * file was changed meanwhile. */
RB_CHECKED rb_code_t trace_identity_note(trace_identity_t *t, journal_t *j, rb_err_t *err);

/* Another part of the run has read this file, with this hash. RB_USAGE if others have read another
 * one, or if the trace has no such file. */
RB_CHECKED rb_code_t trace_identity_learn(trace_identity_t *t, const char *name, const char *sha256,
                                          rb_err_t *err);

/* An earlier part of the run has read this file: RB_USAGE unless it is still the same. */
RB_CHECKED rb_code_t trace_identity_recall(trace_identity_t *t, const char *name,
                                           const char *sha256, rb_err_t *err);

/* As trace_identity_recall() for all files: sha256 is the trace's. */
RB_CHECKED rb_code_t trace_identity_recall_all(trace_identity_t *t, const char *sha256,
                                               rb_err_t *err);

/* What was read. */
typedef struct {
    char sha256[SHA256_TEXT];  /* of the trace; "": not all of it was read */
    char digest[SHA256_TEXT];  /* of what was read, whether all or not */
    const file_reads_t *reads; /* borrowed: which files were, if sha256 is empty */
} trace_read_t;

void trace_identity_result(const trace_identity_t *t, trace_read_t *out);

/* The SHA-256 of all of the trace, computed in a thread of its own: starts it, and waits for it.
 * RB_IO if a file could not be read. */
void trace_identity_start(trace_identity_t *t);
RB_CHECKED rb_code_t trace_identity_sha256(trace_identity_t *t, char text[SHA256_TEXT],
                                           rb_err_t *err);

#endif
