/*
 * The units that a sampler measured inside launches, in a file, so that another configuration can measure the same
 * blocks: its follower. Text; fractions are written in C's hexadecimal format:
 *
 *   rubato-units 1 LAUNCHES                                 (of the run)
 *   launch ID CODE BLOCKS CHOICE CHOSEN L2-BYTES UNITS      (one line; then what was simulated and counts)
 *   counted CYCLES COUNTERS...
 *   unit OF LAST RESUME WALKED STRATUM-END BEGIN END WEIGHT INSTS CYCLES COUNTERS...      (UNITS lines)
 */
#ifndef RUBATO_ESTIMATE_UNIT_FILE_H
#define RUBATO_ESTIMATE_UNIT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/err.h"
#include "sim/gpu/sampled/launch_estimate.h"

typedef struct {
    uint64_t of,
        last; /* units of the choice: the one that this is, and the last one that it stands for */
    uint64_t resume; /* first block that is simulated before it */
    uint64_t walked; /* skipped blocks before that whose accesses are to be applied to the caches */
    uint64_t stratum_end; /* block */
    double begin, end;    /* in blocks that are done, if those on SMs are half done */
    double weight;        /* left-out warp instructions that it stands for */
    double insts;         /* warp instructions of it */
    launch_estimate_t measured;
} measured_unit_t;

typedef struct {
    uint64_t launch, code, blocks;
    uint64_t choice; /* equal for those who measure units of the same choice */
    uint64_t chosen; /* units of the choice */
    double l2_bytes;
    launch_estimate_t counted; /* what was simulated, without what only served to settle */
    measured_unit_t *unit;     /* owned; by `of` */
    size_t n;
} launch_units_t;

typedef struct {
    launch_units_t *list; /* owned */
    size_t n, cap;
    uint64_t launches; /* of the run, also those without units */
} unit_file_t;

/* Errors are those of the stream. */
void unit_file_write(FILE *out, const unit_file_t *f);

/* RB_IO, or RB_TRACE with file and line. *out must be freed in any case. */
RB_CHECKED rb_code_t unit_file_read(unit_file_t *out, const char *path, rb_err_t *err);
void unit_file_free(unit_file_t *f);

/* NULL: the launch is not in it. */
const launch_units_t *unit_file_find(const unit_file_t *f, uint64_t launch);

#endif
