/*
 * Messages for people. They go to the log of the calling thread: standard error, unless
 * rb_log_use() has set another. Threads that the model starts use the log of the thread that
 * started them. Thread-safe. The run loop of a shard calls nothing of this but rb_warn_once().
 */
#ifndef RUBATO_CORE_LOG_H
#define RUBATO_CORE_LOG_H

#include <stdbool.h>

#include "sim/core/err.h"

/* "rubato: warning: ...". */
void rb_warn(const char *fmt, ...) RB_PRINTF(1, 2);

/* Warns only the first time that the log gets this text (compared after formatting). */
void rb_warn_once(const char *fmt, ...) RB_PRINTF(1, 2);

/* "rubato: ...": printed unless the log is quiet. */
void rb_info(const char *fmt, ...) RB_PRINTF(1, 2);

void rb_log_quiet(bool quiet);

/* Called before and after a message is printed, so that a progress line can step aside. */
void rb_log_set_hook(void (*hook)(void *ctx, bool before), void *ctx);

typedef struct rb_log rb_log_t;

/* Receives a message without "rubato: " and "warning: ". Called on any thread, one call at a
 * time. */
typedef void (*rb_log_fn)(void *ctx, bool warning, const char *text);

/* say NULL: messages are dropped. */
rb_log_t *rb_log_create(rb_log_fn say, void *ctx);
void rb_log_destroy(rb_log_t *log);

/* Makes log the log of the calling thread (NULL: standard error) and returns the previous one. */
rb_log_t *rb_log_use(rb_log_t *log);
rb_log_t *rb_log_current(void);

#endif
