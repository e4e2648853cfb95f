/*
 * Errors in three tiers that are never mixed:
 *   the user's mistake (command line, config, trace): a code and one message naming file, line or
 *     offset and what to do; the process exits with 2;
 *   the environment (missing file, full disk, no memory): the system's reason; exit 1;
 *   our own bug: rb_panic() prints what is known and exits with 112.
 * Model code inside the run loop has no error returns.
 */
#ifndef RUBATO_CORE_ERR_H
#define RUBATO_CORE_ERR_H

#include <stdio.h>

#define RB_ERR_MAP(X)                                                                              \
    X(OK, "ok")                                                                                    \
    X(USAGE, "bad command line")                                                                   \
    X(CONFIG, "bad configuration")                                                                 \
    X(TRACE, "bad trace")                                                                          \
    X(IO, "input/output error")                                                                    \
    X(NOMEM, "out of memory")                                                                      \
    X(STOPPED, "stopped on request")

#define RB_ERR_ENUM_(id, text) RB_##id,
typedef enum { RB_ERR_MAP(RB_ERR_ENUM_) RB_ERR_COUNT_ } rb_code_t;

/* One error with its message; the caller owns it and initialises it with {0}. */
typedef struct {
    rb_code_t code;
    char text[1024];
} rb_err_t;

#define RB_CHECKED        __attribute__((warn_unused_result))
#define RB_PRINTF(fmt, a) __attribute__((format(printf, fmt, a)))

/* Return e unless it is RB_OK. */
#define RB_TRY(e)                                                                                  \
    do {                                                                                           \
        rb_code_t rc_ = (e);                                                                       \
        if (rc_ != RB_OK)                                                                          \
            return rc_;                                                                            \
    } while (0)

/* Record an error (the first one is kept) and return its code. err may be NULL. */
rb_code_t rb_fail(rb_err_t *err, rb_code_t code, const char *fmt, ...) RB_PRINTF(3, 4);

/* Short name of a code ("bad trace"). */
const char *rb_code_text(rb_code_t code);

/* Exit status of the process for a code: 0, 1 (environment), 2 (user's input), 75 (stopped). */
int rb_exit_code(rb_code_t code);

/* Our own bug: prints the message, then what rb_set_panic_dump() registered, and exits with 112. */
_Noreturn void rb_panic(const char *fmt, ...) RB_PRINTF(1, 2);

/* Registers a function that describes the state of the model. An rb_panic() of the calling thread
 * calls it once; NULL removes it. */
void rb_set_panic_dump(void (*dump)(void *ctx, FILE *out), void *ctx);

/* An invariant of the model; stays on in release builds. */
#define RB_INVARIANT(cond, ...)                                                                    \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0))                                                          \
            rb_panic(__VA_ARGS__);                                                                 \
    } while (0)

#endif
