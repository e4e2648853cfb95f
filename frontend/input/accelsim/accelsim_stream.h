/*
 * A file as a stream of decompressed bytes. The compression (none, xz, gzip, zstd) is told by the
 * first bytes, not by the name. Nothing is unpacked to disk; memory is bounded whatever the file
 * claims to need.
 */
#ifndef RUBATO_ACCELSIM_STREAM_H
#define RUBATO_ACCELSIM_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/file_reads.h"

typedef struct accelsim_stream accelsim_stream_t;

/*
 * NULL with *err set: RB_IO if the file cannot be opened or is none, RB_TRACE for a packing that is
 * known but cannot be read. path is borrowed while it is open.
 */
accelsim_stream_t *accelsim_stream_open(const char *path, rb_err_t *err);

/* Notes in reads, which may be NULL, what is read of the file. Directly after it was opened. */
void accelsim_stream_watch(accelsim_stream_t *s, file_reads_t *reads);

/*
 * Up to cap bytes into buf; *got is 0 only at the end. RB_TRACE for damaged or truncated
 * compressed data (the message has the offset in the file), RB_IO for the system's errors.
 */
RB_CHECKED rb_code_t accelsim_stream_read(accelsim_stream_t *s, char *buf, size_t cap, size_t *got,
                                          rb_err_t *err);

/* Bytes of the file taken so far. */
uint64_t accelsim_stream_consumed(const accelsim_stream_t *s);

void accelsim_stream_close(accelsim_stream_t *s);

#endif
