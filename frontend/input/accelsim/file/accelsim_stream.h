/*
 * A file as a stream of decompressed bytes. The first bytes tell the compression (none, xz, gzip,
 * zstd, or pieces with an index: accelsim_tracez.h), not the name. Nothing is decompressed to disk; memory is bounded whatever the file claims
 * to need.
 */
#ifndef RUBATO_ACCELSIM_STREAM_H
#define RUBATO_ACCELSIM_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/files/file_reads.h"

typedef struct accelsim_stream accelsim_stream_t;

/*
 * Returns NULL with *err set: RB_IO if the file cannot be opened or is not a regular file, RB_TRACE
 * for a compression that is recognised but not supported. path is borrowed while the stream is
 * open.
 */
accelsim_stream_t *accelsim_stream_open(const char *path, rb_err_t *err);

/* Records in reads (may be NULL) which parts of the file are read. Call it directly after
 * opening. */
void accelsim_stream_watch(accelsim_stream_t *s, file_reads_t *reads);

/*
 * Reads up to cap bytes into buf; *got is 0 only at the end. RB_TRACE for damaged or truncated
 * compressed data (the message has the offset in the file), RB_IO for system errors.
 */
RB_CHECKED rb_code_t accelsim_stream_read(accelsim_stream_t *s, char *buf, size_t cap, size_t *got,
                                          rb_err_t *err);

/* Bytes of the file consumed so far. */
uint64_t accelsim_stream_consumed(const accelsim_stream_t *s);

void accelsim_stream_close(accelsim_stream_t *s);

#endif
