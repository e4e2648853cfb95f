/* Versions, errors and messages. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/version.h"
#include "frontend/tool/library/library_internal.h"

#define SAME_CODE_(id, text) _Static_assert((int)RB_##id == (int)RUBATO_##id, "codes differ");
RB_ERR_MAP(SAME_CODE_)

uint32_t rubato_api_version(void)
{
    return RUBATO_API_VERSION;
}

const char *rubato_version(void)
{
    return RUBATO_VERSION;
}

void rubato_free(void *text)
{
    free(text);
}

rubato_code library_fail(rubato_error *error, const rb_err_t *err)
{
    if (error != NULL && err->code != RB_OK) {
        error->code = (rubato_code)err->code;
        snprintf(error->text, sizeof(error->text), "%s", err->text);
    }
    return (rubato_code)err->code;
}

bool library_given(const void *argument, const char *name, rubato_error *error)
{
    rb_err_t err = {0};
    if (argument == NULL)
        rb_fail(&err, RB_USAGE, "the argument '%s' is NULL", name);
    return library_fail(error, &err) == RUBATO_OK;
}

rb_code_t library_error(const rubato_error *error, rb_err_t *err)
{
    return rb_fail(err, (rb_code_t)error->code, "%s", error->text);
}

static void say(void *ctx, bool warning, const char *text)
{
    const rubato_log *to = ctx;
    if (to->say != NULL)
        to->say(to->ctx, warning, text);
}

/* Stands for the log that threads of a program have from the beginning. */
static void say_to_program(void *ctx, int warning, const char *text)
{
    (void)ctx, (void)warning, (void)text;
    rb_panic("a message to the program's log came to a handle's");
}

const rubato_log library_program_log = {.say = say_to_program};

void library_scope_init(library_scope_t *s, const rubato_log *log)
{
    s->to = log != NULL ? *log : (rubato_log){0};
    s->log = s->to.say == say_to_program ? NULL : rb_log_create(say, &s->to);
    s->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void library_scope_free(library_scope_t *s)
{
    rb_log_destroy(s->log);
    if (s->locale != (locale_t)0)
        freelocale(s->locale);
}

library_entry_t library_enter(const library_scope_t *s)
{
    return (library_entry_t){rb_log_use(s->log), uselocale(s->locale)};
}

void library_leave(library_entry_t before)
{
    rb_log_use(before.log);
    uselocale(before.locale);
}
