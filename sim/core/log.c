#include "sim/core/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

struct rb_log {
    pthread_mutex_t lock;
    rb_log_fn say;
    void *ctx;
    bool quiet;
    void (*hook)(void *ctx, bool before);
    void *hook_ctx;
    char **said; /* owned: texts of rb_warn_once(); few, so a linear search does */
    size_t n_said, cap_said;
};

static void say_to_stderr(void *ctx, bool warning, const char *text)
{
    (void)ctx;
    fprintf(stderr, "rubato: %s%s\n", warning ? "warning: " : "", text);
}

/* The log of the rubato program; in the library every handle has a log of its own. */
static rb_log_t standard = {.lock = PTHREAD_MUTEX_INITIALIZER, .say = say_to_stderr};
static _Thread_local rb_log_t *of_thread;

static rb_log_t *log_begin(void)
{
    rb_log_t *log = of_thread != NULL ? of_thread : &standard;
    pthread_mutex_lock(&log->lock);
    return log;
}

static void log_end(rb_log_t *log)
{
    pthread_mutex_unlock(&log->lock);
}

rb_log_t *rb_log_create(rb_log_fn say, void *ctx)
{
    rb_log_t *log = rb_calloc(1, sizeof(*log));
    pthread_mutex_init(&log->lock, NULL);
    log->say = say;
    log->ctx = ctx;
    return log;
}

void rb_log_destroy(rb_log_t *log)
{
    if (log == NULL)
        return;
    for (size_t i = 0; i < log->n_said; i++)
        free(log->said[i]);
    free(log->said);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

rb_log_t *rb_log_use(rb_log_t *log)
{
    rb_log_t *before = of_thread;
    of_thread = log;
    return before;
}

rb_log_t *rb_log_current(void)
{
    return of_thread;
}

static void log_line(rb_log_t *log, bool warning, const char *text)
{
    if (log->hook != NULL)
        log->hook(log->hook_ctx, true);
    if (log->say != NULL)
        log->say(log->ctx, warning, text);
    if (log->hook != NULL)
        log->hook(log->hook_ctx, false);
}

void rb_warn(const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    rb_log_t *log = log_begin();
    log_line(log, true, text);
    log_end(log);
}

/* Remembers a text. false: it was seen before, or too many texts are stored. */
static bool is_new(rb_log_t *log, const char *text)
{
    enum { SAID_MAX = 1000 }; /* a malformed trace may give an endless number of warnings */
    if (log->n_said >= SAID_MAX)
        return false;
    for (size_t i = 0; i < log->n_said; i++)
        if (strcmp(log->said[i], text) == 0)
            return false;
    rb_grow(&log->said, &log->cap_said, log->n_said + 1, sizeof(*log->said));
    log->said[log->n_said++] = rb_strdup(text);
    return true;
}

void rb_warn_once(const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    rb_log_t *log = log_begin();
    if (is_new(log, text))
        log_line(log, true, text);
    log_end(log);
}

void rb_info(const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    rb_log_t *log = log_begin();
    if (!log->quiet)
        log_line(log, false, text);
    log_end(log);
}

void rb_log_quiet(bool quiet)
{
    rb_log_t *log = log_begin();
    log->quiet = quiet;
    log_end(log);
}

void rb_log_set_hook(void (*hook)(void *ctx, bool before), void *ctx)
{
    rb_log_t *log = log_begin();
    log->hook = hook;
    log->hook_ctx = ctx;
    log_end(log);
}
