/*
 * Methods that compare all launches with each other may take very long: they estimate time and
 * memory before they start, and refuse above a limit that the user can raise.
 */
#ifndef RUBATO_LAUNCH_LIMIT_H
#define RUBATO_LAUNCH_LIMIT_H

#include "sim/core/err.h"

/* Options of these methods, for their option lists. */
#define LIMIT_OPTIONS(P)                                                                           \
    P(F64, max_seconds, "600", 0.001, 1e9, "s",                                                    \
      "refuse to plan if it would take longer than this (estimated)")                              \
    P(F64, max_gib, "4", 0.001, 1e6, "GiB", "refuse to plan if it would need more memory than this")

/* vectors: distinct launches after equal ones were merged. */
rb_code_t launch_limit(const char *method, double vectors, double seconds, double bytes,
                       double max_seconds, double max_gib, rb_err_t *err) RB_CHECKED;

#endif
