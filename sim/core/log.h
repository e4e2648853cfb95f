/*
 * Messages for people, on stderr. Warnings are counted, so that a run can report how many it gave.
 * Thread-safe. Never called from the run loop of a shard except for rb_warn_once().
 */
#ifndef RUBATO_CORE_LOG_H
#define RUBATO_CORE_LOG_H

#include <stdbool.h>

#include "sim/core/err.h"

/* "rubato: warning: ...". */
void rb_warn(const char *fmt, ...) RB_PRINTF(1, 2);

/* Warns only the first time this text is seen in the process (compared after formatting). */
void rb_warn_once(const char *fmt, ...) RB_PRINTF(1, 2);

/* "rubato: ...": said unless quiet. */
void rb_info(const char *fmt, ...) RB_PRINTF(1, 2);

void rb_log_quiet(bool quiet);

/* Called before and after a message is printed, so that a progress line can step aside. */
void rb_log_set_hook(void (*hook)(void *ctx, bool before), void *ctx);

#endif
