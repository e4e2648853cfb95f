/*
 * Methods that compare launches with each other can take any time: they say how much before they
 * start, and refuse above a limit that the user can raise.
 */
#ifndef RUBATO_LAUNCH_LIMIT_H
#define RUBATO_LAUNCH_LIMIT_H

#include "sim/core/err.h"

/* Options of these methods, for their lists of options. */
#define LIMIT_OPTIONS(P)                                                                           \
    P(F64, max_seconds, "600", 0.001, 1e9, "s", "refuse to plan for longer than about this")       \
    P(F64, max_gib, "4", 0.001, 1e6, "GiB", "refuse to plan with more memory than this")

/* vectors: how many distinct ones are left after equal launches were merged. */
rb_code_t launch_limit(const char *method, double vectors, double seconds, double bytes,
                       double max_seconds, double max_gib, rb_err_t *err) RB_CHECKED;

#endif
