#include "sim/core/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "sim/core/alloc.h"

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static bool log_is_quiet;
static void (*log_hook)(void *ctx, bool before);
static void *log_hook_ctx;

/* Texts already said by rb_warn_once(); few, so a list. */
static char **said;
static size_t n_said, cap_said;

static void log_line(const char *kind, const char *text)
{
    if (log_hook != NULL)
        log_hook(log_hook_ctx, true);
    fprintf(stderr, "rubato: %s%s\n", kind, text);
    if (log_hook != NULL)
        log_hook(log_hook_ctx, false);
}

void rb_warn(const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&log_lock);
    log_line("warning: ", text);
    pthread_mutex_unlock(&log_lock);
}

void rb_warn_once(const char *fmt, ...)
{
    enum { SAID_MAX = 1000 }; /* a hostile trace may have no end of things to warn about */
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&log_lock);
    bool found = n_said >= SAID_MAX;
    for (size_t i = 0; i < n_said && !found; i++)
        found = strcmp(said[i], text) == 0;
    if (!found) {
        rb_grow(&said, &cap_said, n_said + 1, sizeof(*said));
        said[n_said++] = rb_strdup(text);
        log_line("warning: ", text);
    }
    pthread_mutex_unlock(&log_lock);
}

void rb_info(const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&log_lock);
    if (!log_is_quiet)
        log_line("", text);
    pthread_mutex_unlock(&log_lock);
}

void rb_log_quiet(bool quiet)
{
    pthread_mutex_lock(&log_lock);
    log_is_quiet = quiet;
    pthread_mutex_unlock(&log_lock);
}

void rb_log_set_hook(void (*hook)(void *ctx, bool before), void *ctx)
{
    pthread_mutex_lock(&log_lock);
    log_hook = hook;
    log_hook_ctx = ctx;
    pthread_mutex_unlock(&log_lock);
}
