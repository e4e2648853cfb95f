/*
 * Identifies a trace by the SHA-256 of what is read of it.
 *
 * A native file (.rbt): the SHA-256 of its end, from the root of its index on, which has checksums
 * of everything else. It is known immediately, and skipped parts are not read. A program that makes
 * the trace: the SHA-256 of its file.
 *
 * Other traces are hashed while they are read. One file: the SHA-256 of its bytes. A folder: the
 * SHA-256 of the lines that sha256sum prints inside the folder, for the list and then each file of
 * its launches in order of first use. If only some were read, these are listed.
 */
#ifndef RUBATO_RUN_TRACE_IDENTITY_H
#define RUBATO_RUN_TRACE_IDENTITY_H

#include "frontend/tool/run/journal.h"
#include "sim/core/files/file_reads.h"
#include "sim/gpu/source/trace_source.h"

typedef struct trace_identity trace_identity_t;

/* Registers the files of an open trace or, if not NULL, the program that makes it. RB_IO. */
RB_CHECKED rb_code_t trace_identity_create(trace_identity_t **out, trace_source_t *source,
                                           const char *program, rb_err_t *err);

/* From now on, files of launches are hashed as the source reads them; t must outlive the source. */
void trace_identity_watch(trace_identity_t *t, trace_source_t *source);

/* NULL is allowed; cancels a running computation. */
void trace_identity_destroy(trace_identity_t *t);

/* The part of the identity known before a launch is read, as 64 digits: all of it for a native file
 * or a program, otherwise the list, machine code, and the names of the kernels' files. */
const char *trace_identity_beginning(const trace_identity_t *t);

/* Total bytes of all files. */
uint64_t trace_identity_bytes(const trace_identity_t *t);

/* Call it when a launch is complete: records in the journal what was read since the last call.
 * RB_IO, also if a file was changed in the meantime. */
RB_CHECKED rb_code_t trace_identity_note(trace_identity_t *t, journal_t *j, rb_err_t *err);

/* Adds a file, with its hash, that another part of the run has read. RB_USAGE if other parts read a
 * different one, or if the trace has no such file. */
RB_CHECKED rb_code_t trace_identity_learn(trace_identity_t *t, const char *name, const char *sha256,
                                          rb_err_t *err);

/* Checks a file that an earlier part of the run has read: RB_USAGE if it has changed. */
RB_CHECKED rb_code_t trace_identity_recall(trace_identity_t *t, const char *name,
                                           const char *sha256, rb_err_t *err);

/* Like trace_identity_recall() for all files: sha256 is that of the whole trace. */
RB_CHECKED rb_code_t trace_identity_recall_all(trace_identity_t *t, const char *sha256,
                                               rb_err_t *err);

/* What was read. */
typedef struct {
    char sha256[SHA256_TEXT];  /* of the trace; "": it was not read completely */
    char digest[SHA256_TEXT];  /* of what was read, complete or not */
    const file_reads_t *reads; /* borrowed; the files that were read, if sha256 is empty */
} trace_read_t;

void trace_identity_result(const trace_identity_t *t, trace_read_t *out);

/* Computes the SHA-256 of the whole trace in a separate thread: starts it, and waits for it. RB_IO
 * if a file could not be read. */
void trace_identity_start(trace_identity_t *t);
RB_CHECKED rb_code_t trace_identity_sha256(trace_identity_t *t, char text[SHA256_TEXT],
                                           rb_err_t *err);

#endif
