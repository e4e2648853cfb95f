/*
 * The dictionary of all names in results: counters, ratios, totals, and columns of launches.csv and
 * intervals.csv. It is generated from their declarations.
 */
#ifndef RUBATO_RUN_STAT_DICTIONARY_H
#define RUBATO_RUN_STAT_DICTIONARY_H

#include <stddef.h>

enum { STAT_PATH_MAX = 64 };

typedef struct {
    char path[STAT_PATH_MAX]; /* "sm.warp_insts", "metrics.ipc", "totals.cycles"; a column: "cycles"
                               */
    const char *unit;         /* "1": a fraction or a plain ratio; "": a name or a number */
    const char *metric;       /* the corresponding Nsight Compute metric, or "" */
    const char *help;
    const char *files; /* files in which it appears */
} dictionary_entry_t;

/* All entries, in file order; *n is their number. The caller frees the array. */
dictionary_entry_t *stat_dictionary(size_t *n);

/* The path without its group: "warp_insts". Points into e->path. */
const char *dictionary_name(const dictionary_entry_t *e);

#endif
