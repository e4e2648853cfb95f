/*
 * Sorted runs of an external sort: records in unnamed temporary files, compressed with zstd. A
 * record is a key and a text; a run is written once and read once.
 */
#ifndef RUBATO_ACCELSIM_RUN_H
#define RUBATO_ACCELSIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint64_t key;
    const char *text; /* borrowed */
    uint32_t len;
} run_record_t;

typedef struct accelsim_run accelsim_run_t;

/* Creates an empty run for writing, in folder dir. Returns NULL with *err set (RB_IO). */
accelsim_run_t *accelsim_run_create(const char *dir, rb_err_t *err);

RB_CHECKED rb_code_t accelsim_run_write(accelsim_run_t *r, const run_record_t *record,
                                        rb_err_t *err);

/* Ends writing; reading starts at the beginning. */
RB_CHECKED rb_code_t accelsim_run_rewind(accelsim_run_t *r, rb_err_t *err);

/* Reads the next record, valid until the next call; *more is false at the end. */
RB_CHECKED rb_code_t accelsim_run_read(accelsim_run_t *r, run_record_t *record, bool *more,
                                       rb_err_t *err);

void accelsim_run_close(accelsim_run_t *r);

#endif
