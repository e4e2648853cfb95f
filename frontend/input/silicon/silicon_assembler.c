#include "frontend/input/silicon/silicon_assembler.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

rb_code_t assembler_place(const assembler_t *a, rb_code_t rc, const rb_err_t *what)
{
    return rb_fail(a->err, rc, "%s:%zu: %s", a->text->file, a->text->first_no + a->at, what->text);
}

rb_code_t assembler_wrong(const assembler_t *a, const char *what, const char *text)
{
    return rb_fail(a->err, RB_TRACE, "%s:%zu: %s: '%s'", a->text->file, a->text->first_no + a->at,
                   what, text);
}

kernel_param_t *assembler_param(assembler_t *a, const char *name, size_t len)
{
    for (size_t i = a->n_params; i-- > 0;)
        if (strlen(a->param[i].name) == len && memcmp(a->param[i].name, name, len) == 0)
            return &a->param[i];
    return NULL;
}

rb_code_t assembler_push(assembler_t *a, const char *name, size_t len, const char *value)
{
    if (a->n_params == ASSEMBLER_PARAMS)
        return assembler_wrong(a, "too many parameters", a->text->line[a->at]);
    char *copy = rb_calloc(len + 1, 1);

    memcpy(copy, name, len);
    a->param[a->n_params++] = (kernel_param_t){.name = copy, .value = rb_strdup(value)};
    return RB_OK;
}

void assembler_pop(assembler_t *a)
{
    kernel_param_t *p = &a->param[--a->n_params];

    free((char *)(uintptr_t)p->name);
    free((char *)(uintptr_t)p->value);
}

size_t assembler_word(const char **p, const char **word)
{
    *word = *p;
    size_t len = strcspn(*p, " \t");

    *p += len + strspn(*p + len, " \t");
    return len;
}

bool assembler_is(const char *line, const char *name)
{
    size_t n = strlen(name);

    return line[0] == '.' && strncmp(line + 1, name, n) == 0 &&
           (line[n + 1] == '\0' || line[n + 1] == ' ' || line[n + 1] == '\t');
}

const char *assembler_declared(const kernel_text_t *text, const char *name, size_t len)
{
    for (size_t i = 0; i < text->n_lines; i++) {
        const char *p = text->line[i], *word;

        if (!assembler_is(p, "param"))
            continue;
        (void)assembler_word(&p, &word);
        if (assembler_word(&p, &word) == len && memcmp(word, name, len) == 0)
            return p;
    }
    return NULL;
}

expr_name_t assembler_resolve(void *ctx, const char *name, size_t len)
{
    static const char *const builtin[VAR_FIRST_LOCAL] = {"lane",     "warp",  "thread",  "thread.x",
                                                         "thread.y", "block", "block.x", "block.y",
                                                         "block.z",  "launch"};
    assembler_t *a = ctx;
    const kernel_param_t *p = assembler_param(a, name, len);
    expr_name_t found = {NAME_UNKNOWN, 0, 0};

    for (unsigned i = 0; i < VAR_FIRST_LOCAL; i++)
        if (strlen(builtin[i]) == len && memcmp(builtin[i], name, len) == 0)
            return (expr_name_t){NAME_VARIABLE, 0, i};
    for (unsigned i = a->n_locals; i-- > 0;)
        if (strlen(a->local[i]) == len && memcmp(a->local[i], name, len) == 0)
            return (expr_name_t){NAME_VARIABLE, 0, VAR_FIRST_LOCAL + i};
    if (p == NULL && len == 4 && memcmp(name, "arch", len) == 0)
        return (expr_name_t){NAME_CONSTANT, a->arch, 0};
    if (p == NULL)
        return found;
    /* A parameter may be an expression of other parameters. */
    expr_t e;
    rb_err_t unused = {0};

    if (a->depth < ASSEMBLER_NESTING) {
        a->depth++;
        if (expr_parse(&e, p->value, strlen(p->value), assembler_resolve, a, &unused) == RB_OK) {
            const double none[KERNEL_MAX_VARS] = {0};

            found = (expr_name_t){NAME_CONSTANT, expr_eval(&e, &(expr_env_t){.vars = none}), 0};
            expr_free(&e);
        }
        a->depth--;
    }
    return found;
}

rb_code_t assembler_parse(assembler_t *a, const char *text, size_t len, expr_t *e)
{
    rb_err_t what = {0};
    rb_code_t rc = expr_parse(e, text, len, assembler_resolve, a, &what);

    return rc == RB_OK ? RB_OK : assembler_place(a, rc, &what);
}

/* Evaluates an expression of parameters. */
static rb_code_t value_of(assembler_t *a, const char *text, size_t len, double *value)
{
    const double none[KERNEL_MAX_VARS] = {0};
    expr_t e;

    RB_TRY(assembler_parse(a, text, len, &e));
    *value = expr_eval(&e, &(expr_env_t){.vars = none});
    expr_free(&e);
    return RB_OK;
}

rb_code_t assembler_whole(assembler_t *a, const char *text, size_t len, int64_t min, int64_t max,
                          int64_t *out)
{
    double v;

    RB_TRY(value_of(a, text, len, &v));
    *out = expr_whole(v);
    if (*out < min || *out > max)
        return rb_fail(a->err, RB_TRACE, "%s:%zu: '%.*s' is %lld, not %lld to %lld", a->text->file,
                       a->text->first_no + a->at, (int)len, text, (long long)*out, (long long)min,
                       (long long)max);
    return RB_OK;
}

/* Length of "(...)" at text, with nested parentheses; 0: it is not closed. */
static size_t parenthesised(const char *text)
{
    size_t open = 0;

    for (size_t i = 0; text[i] != '\0'; i++) {
        open += text[i] == '(';
        open -= text[i] == ')';
        if (open == 0)
            return i + 1;
    }
    return 0;
}

/* Replaces $name and $(expression) once. */
static rb_code_t substitute_once(assembler_t *a, const char *in, char out[ASSEMBLER_LINE])
{
    size_t n = 0;

    while (*in != '\0') {
        char number[32];
        const char *with = number;

        if (*in != '$') {
            if (n + 1 >= ASSEMBLER_LINE)
                return assembler_wrong(a, "too long", in);
            out[n++] = *in++;
            continue;
        }
        in++;
        if (*in == '(') {
            size_t len = parenthesised(in);
            int64_t v;

            if (len == 0)
                return assembler_wrong(a, "')' is missing", in);
            RB_TRY(assembler_whole(a, in + 1, len - 2, INT32_MIN, INT64_C(1) << 52, &v));
            snprintf(number, sizeof(number), "%lld", (long long)v);
            in += len;
        } else {
            size_t len = 0;

            while (isalnum((unsigned char)in[len]) || in[len] == '_')
                len++;
            const kernel_param_t *p = assembler_param(a, in, len);

            if (p == NULL)
                return assembler_wrong(a, "no such parameter", in);
            with = p->value;
            in += len;
        }
        size_t len = strlen(with);

        if (n + len >= ASSEMBLER_LINE)
            return assembler_wrong(a, "too long", with);
        memcpy(out + n, with, len);
        n += len;
    }
    out[n] = '\0';
    return RB_OK;
}

/* Repeats the substitution for parameters in the substituted text. */
rb_code_t assembler_substitute(assembler_t *a, const char *in, char out[ASSEMBLER_LINE])
{
    char before[ASSEMBLER_LINE];

    RB_TRY(substitute_once(a, in, out));
    for (unsigned depth = 0; strchr(out, '$') != NULL; depth++) {
        if (depth == ASSEMBLER_NESTING)
            return assembler_wrong(a, "parameters refer to each other in a circle", in);
        memcpy(before, out, ASSEMBLER_LINE);
        RB_TRY(substitute_once(a, before, out));
    }
    return RB_OK;
}
