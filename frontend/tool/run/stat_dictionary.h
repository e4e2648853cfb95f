/*
 * The dictionary of everything that results have names for: counters, ratios, totals, and columns
 * of launches.csv and intervals.csv. It is made from their declarations.
 */
#ifndef RUBATO_RUN_STAT_DICTIONARY_H
#define RUBATO_RUN_STAT_DICTIONARY_H

#include <stddef.h>

enum { STAT_PATH_MAX = 64 };

typedef struct {
    char path[STAT_PATH_MAX]; /* "sm.warp_insts", "metrics.ipc", "totals.cycles"; a column: "cycles"
                               */
    const char *unit;         /* "1": a share or a plain ratio; "": a name or a number */
    const char *metric;       /* the Nsight Compute metric that it mirrors, or "" */
    const char *help;
    const char *files; /* where it stands */
} dictionary_entry_t;

/* All entries, in the order of the files; *n of them. To be freed. */
dictionary_entry_t *stat_dictionary(size_t *n);

/* The path without its group: "warp_insts". Part of e->path. */
const char *dictionary_name(const dictionary_entry_t *e);

#endif
