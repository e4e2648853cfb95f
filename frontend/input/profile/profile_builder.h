/* Builds a profile: rows are appended, names are stored once. For the readers of this folder. */
#ifndef RUBATO_PROFILE_BUILDER_H
#define RUBATO_PROFILE_BUILDER_H

#include <stddef.h>

#include "frontend/input/profile/profile.h"
#include "frontend/input/profile/profile_input.h"
#include "sim/core/hash_map.h"

/* Columns that a source has. */
typedef struct {
    bool time, id, grid, block;
    bool counter[PROFILE_COUNTERS];
} profile_has_t;

typedef struct {
    profile_t *p;
    const char *path; /* for messages; borrowed */
    size_t cap;       /* rows */
    size_t cap_names, cap_lengths;
    hash_map_t names;
    uint32_t *name_length; /* of p->names */
    uint64_t zero_row;     /* row of the first duration of 0, counted from 1; 0: none */
    uint64_t zero_line;
    bool whole;   /* every duration so far was an integer multiple of its unit */
    double scale; /* nanoseconds per unit of duration; 1 for cycles */
} profile_builder_t;

/* scale: see above. path is borrowed. */
void profile_builder_init(profile_builder_t *b, const char *path, const char *format,
                          const profile_has_t *has, bool time_is_cycles, double scale);

/*
 * Adds a row with its name and its duration in the source's unit; the caller fills the other
 * columns at index p->n - 1. duration is ignored if the profile has no durations. line: for
 * messages; 0: the file has no lines and rows are counted. RB_TRACE if the duration is not finite
 * or below 0, the name is not text, or there are too many names.
 */
RB_CHECKED rb_code_t profile_builder_add(profile_builder_t *b, const char *name, size_t len,
                                         double duration, uint64_t line, rb_err_t *err);

/* Checks the profile as a whole and passes ownership to the caller. RB_TRACE. */
RB_CHECKED rb_code_t profile_builder_finish(profile_builder_t *b, profile_t **out, rb_err_t *err);

/* Does nothing after profile_builder_finish() and for a zeroed builder. */
void profile_builder_free(profile_builder_t *b);

/* Puts the launches in the order of their ids; the builder does it at the end. RB_TRACE: two have the
 * same id. (profile_order.c) */
RB_CHECKED rb_code_t profile_order(profile_t *p, const char *path, rb_err_t *err);

/* The readers; each one reads the input from its first byte. */
RB_CHECKED rb_code_t profile_read_table(profile_t **out, profile_input_t *in, rb_err_t *err);
RB_CHECKED rb_code_t profile_read_pytorch(profile_t **out, profile_input_t *in, rb_err_t *err);
RB_CHECKED rb_code_t profile_read_nsys_sqlite(profile_t **out, const char *path, rb_err_t *err);

#endif
