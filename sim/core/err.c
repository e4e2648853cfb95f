#include "sim/core/err.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_ENVIRONMENT = 1, EXIT_USER = 2, EXIT_STOPPED = 75, EXIT_BUG = 112 };

#define RB_ERR_TEXT_(id, text) text,
static const char *const code_texts[] = {RB_ERR_MAP(RB_ERR_TEXT_)};

static _Thread_local void (*panic_dump)(void *ctx, FILE *out);
static _Thread_local void *panic_ctx;

/* Cuts the middle out of a message that is too long (it may hold a path of thousands of
 * characters): the reason is at its end. */
static void shorten(rb_err_t *err, const char *whole, size_t n)
{
    static const char gap[] = " [...] ";
    const size_t head = (sizeof(err->text) - sizeof(gap)) / 2;
    const size_t tail = sizeof(err->text) - sizeof(gap) - head;

    snprintf(err->text, sizeof(err->text), "%.*s%s%s", (int)head, whole, gap, whole + n - tail);
}

rb_code_t rb_fail(rb_err_t *err, rb_code_t code, const char *fmt, ...)
{
    if (err == NULL || err->code != RB_OK)
        return code;
    va_list ap;
    err->code = code;
    va_start(ap, fmt);
    int n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    if (n < (int)sizeof(err->text))
        return code;
    char *whole;
    va_start(ap, fmt);
    n = vasprintf(&whole, fmt, ap);
    va_end(ap);
    if (n >= 0) {
        shorten(err, whole, (size_t)n);
        free(whole);
    }
    return code;
}

const char *rb_code_text(rb_code_t code)
{
    return (unsigned)code < RB_ERR_COUNT_ ? code_texts[code] : "unknown error";
}

int rb_exit_code(rb_code_t code)
{
    switch (code) {
    case RB_OK:
        return 0;
    case RB_IO:
    case RB_NOMEM:
        return EXIT_ENVIRONMENT;
    case RB_STOPPED:
        return EXIT_STOPPED;
    default:
        return EXIT_USER;
    }
}

void rb_set_panic_dump(void (*dump)(void *ctx, FILE *out), void *ctx)
{
    panic_dump = dump;
    panic_ctx = ctx;
}

void rb_panic(const char *fmt, ...)
{
    static atomic_flag entered = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&entered)) {
        /* Another thread is already reporting, or the dump itself failed. */
        _exit(EXIT_BUG);
    }
    va_list ap;
    fputs("rubato: internal error: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    if (panic_dump != NULL)
        panic_dump(panic_ctx, stderr);
    fputs("rubato: this is a bug in rubato, not in your input; please report it with the command "
          "line\n",
          stderr);
    fflush(stderr);
    _exit(EXIT_BUG);
}
