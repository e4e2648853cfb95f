/*
 * Profiles: a profiler's data about the launches of a program, stored as columns.
 *
 * Formats (recognised by content, not by name):
 *   Nsight Systems     CSV of cuda_gpu_trace and the older gputrace; the sqlite export
 *   Nsight Compute     CSV of --page raw, with its row of units
 *   nvprof             CSV of --print-gpu-trace, with its row of units
 *   PyTorch profiler   Chrome-trace JSON
 *   rubato             launches.csv
 *   Accel-Sim          the tab-separated table of its statistics script
 *   plain tables       comma, semicolon or tab; columns matched by name; and the form with one
 *                      column of durations per kernel
 * All but sqlite may be compressed with gzip. docs/plan.md lists the names of columns.
 */
#ifndef RUBATO_PROFILE_H
#define RUBATO_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/err.h"

/* Counters of a launch that a profile may have. */
typedef enum {
    PROFILE_WARP_INSTS,
    PROFILE_THREAD_INSTS,
    PROFILE_REQUESTS, /* global and local memory instructions of warps */
    PROFILE_GLOBAL_LD_SECTORS,
    PROFILE_GLOBAL_ST_SECTORS,
    PROFILE_LOCAL_LD_SECTORS,
    PROFILE_GLOBAL_LD_INSTS,
    PROFILE_GLOBAL_ST_INSTS,
    PROFILE_LOCAL_LD_INSTS,
    PROFILE_SHARED_LD_INSTS,
    PROFILE_SHARED_ST_INSTS,
    PROFILE_GLOBAL_ATOMICS,
    PROFILE_COUNTERS,
} profile_counter_t;

/*
 * Programs have thousands of kernels; a column with more distinct texts than this does not hold
 * kernel names.
 */
enum { PROFILE_NAMES_MAX = 1 << 18 };

/* A profile. All columns have n values; a column that the file lacks is NULL. */
typedef struct {
    const char *format; /* for people, such as "Nsight Systems CSV" */
    uint64_t n;         /* number of launches, stored in launch order; at least 1 */
    uint64_t *id;       /* launch ids, ascending, from 1 on; NULL: 1 .. n */
    uint32_t *name;     /* index in names */
    char **names;
    uint32_t n_names;
    double *time; /* duration, above 0: nanoseconds, or core cycles if time_is_cycles */
    bool time_is_cycles;
    uint32_t (*grid)[3], (*block)[3];
    double *counter[PROFILE_COUNTERS];
    uint64_t skipped; /* rows that are not kernel launches: copies, memory sets */
    /* Launches with a duration of 0 in whole microseconds: below the resolution, taken as half of
     * it. */
    uint64_t below_resolution;
} profile_t;

/*
 * Reads a profile. RB_TRACE with file and line for malformed input; RB_IO. The caller frees *out
 * with profile_free().
 */
RB_CHECKED rb_code_t profile_read(profile_t **out, const char *path, rb_err_t *err);

/* NULL is allowed. */
void profile_free(profile_t *p);

/* Sum of all durations; the profile must have them. */
double profile_total_time(const profile_t *p);

#endif
