/*
 * The journal of a run: records appended as the run goes, read back when the results are written.
 * Each record carries a checksum; what follows the last whole record is not part of the journal,
 * so that a process killed while it writes loses that record only.
 *
 * File: the 8 bytes "rbjrnl1\n", then records: u32 kind, u32 length, u64 checksum of the payload
 * (seeded with kind and length), payload. Host byte order: a journal is continued on the machine
 * type that began it (it names its version in its first record, which its owner compares).
 */
#ifndef RUBATO_RUN_JOURNAL_H
#define RUBATO_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct journal journal_t;

/* A new journal; an old one of that name is lost. RB_IO; also if another process writes it. */
RB_CHECKED rb_code_t journal_create(journal_t **out, const char *path, rb_err_t *err);

/* A journal without a name in a folder for temporary files; gone when the process ends. */
RB_CHECKED rb_code_t journal_create_unnamed(journal_t **out, const char *folder, rb_err_t *err);

/* An existing journal, cut after its last whole record; a file that ends within the first 8 bytes
 * has none. RB_IO, also if it is no journal. */
RB_CHECKED rb_code_t journal_open(journal_t **out, const char *path, rb_err_t *err);

/* NULL is allowed. The file stays. */
void journal_close(journal_t *j);

/*
 * Appends a record, kind >= 1. When it returns, the record survives the end of the process. On
 * RB_IO (a full disk) the journal is as it was before.
 */
RB_CHECKED rb_code_t journal_append(journal_t *j, uint32_t kind, const void *data, size_t n,
                                    rb_err_t *err);

/* Bytes of all records so far: a place to cut at. */
uint64_t journal_length(const journal_t *j);

/* Where reading goes on: bytes of the records that were read. */
uint64_t journal_position(const journal_t *j);

/* Forgets what was appended after a length that journal_length() gave. RB_IO if it is longer than
 * the journal. */
RB_CHECKED rb_code_t journal_cut(journal_t *j, uint64_t length, rb_err_t *err);

/* Syncs the journal to the disk. */
RB_CHECKED rb_code_t journal_sync(journal_t *j, rb_err_t *err);

/* Reading starts over at the first record. */
void journal_rewind(journal_t *j);

/* Next record: kind (0 after the last), payload (valid until the next call). RB_IO. */
RB_CHECKED rb_code_t journal_next(journal_t *j, uint32_t *kind, const void **data, size_t *n,
                                  rb_err_t *err);

/* Checksum of n bytes, continuing from seed. Detects accidents, not attackers. */
uint64_t journal_checksum(uint64_t seed, const void *data, size_t n);

#endif
