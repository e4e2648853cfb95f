/*
 * The journal of a run: records are appended during the run and read back when the results are
 * written. Each record has a checksum; data after the last complete record is not part of the
 * journal, so a process killed while writing loses only that record.
 *
 * File: the 8 bytes "rbjrnl1
 * ", then records: u32 kind, u32 length, u64 checksum of the payload (seeded with kind and length),
 * payload. Host byte order: a journal must be continued on the type of machine that began it (its
 * first record names the version, which its owner compares).
 */
#ifndef RUBATO_RUN_JOURNAL_H
#define RUBATO_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct journal journal_t;

/* Creates a journal; an old one with that name is lost. RB_IO, also if another process has it
 * open. */
RB_CHECKED rb_code_t journal_create(journal_t **out, const char *path, rb_err_t *err);

/* Creates an unnamed journal in a folder for temporary files; it disappears with the process. */
RB_CHECKED rb_code_t journal_create_unnamed(journal_t **out, const char *folder, rb_err_t *err);

/* Opens an existing journal and truncates it after its last complete record; a file that ends within
 * the first 8 bytes has none. RB_IO; RB_USAGE: not a journal of this version. */
RB_CHECKED rb_code_t journal_open(journal_t **out, const char *path, rb_err_t *err);

/* Learns what a child process has appended to the journal since it was made. RB_IO. */
RB_CHECKED rb_code_t journal_measure(journal_t *j, rb_err_t *err);

/* NULL is allowed. The file is kept. */
void journal_close(journal_t *j);

/*
 * Appends a record, kind >= 1. After it returns, the record survives the end of the process. After
 * RB_IO (a full disk) the journal is unchanged.
 */
RB_CHECKED rb_code_t journal_append(journal_t *j, uint32_t kind, const void *data, size_t n,
                                    rb_err_t *err);

/* Bytes of all records so far; can be passed to journal_cut(). */
uint64_t journal_length(const journal_t *j);

/* The reading position: bytes of the records read so far. */
uint64_t journal_position(const journal_t *j);

/* Removes what was appended after journal_length() returned length. RB_IO if length exceeds the
 * journal. */
RB_CHECKED rb_code_t journal_cut(journal_t *j, uint64_t length, rb_err_t *err);

/* Syncs the journal to the disk. */
RB_CHECKED rb_code_t journal_sync(journal_t *j, rb_err_t *err);

/* Moves the reading position to the first record. */
void journal_rewind(journal_t *j);

/* Reads the next record: kind (0 after the last), payload (valid until the next call). RB_IO. */
RB_CHECKED rb_code_t journal_next(journal_t *j, uint32_t *kind, const void **data, size_t *n,
                                  rb_err_t *err);

/* Checksum of n bytes, continuing from seed. Detects accidents, not attacks. */
uint64_t journal_checksum(uint64_t seed, const void *data, size_t n);

#endif
