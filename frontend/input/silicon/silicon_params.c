/* Described parameters of programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_assembler.h"
#include "frontend/input/silicon/silicon_program.h"
#include "sim/core/alloc.h"

bool program_number(const char *text, size_t len, uint64_t *out)
{
    static const struct {
        const char *text;
        uint64_t factor;
    } units[] = {{"", 1},         {"k", 1000},     {"M", 1000000}, {"G", 1000000000},
                 {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}};
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    size_t rest = (size_t)(text + len - end);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].text) == rest && memcmp(units[i].text, end, rest) == 0)
            return errno == 0 && !__builtin_mul_overflow(*out, units[i].factor, out) &&
                   *out <= UINT64_C(1) << 53;
    return false;
}

rb_code_t program_number_of(const char *program, const char *name, const char *text, uint64_t *out,
                            rb_err_t *err)
{
    if (program_number(text, strlen(text), out))
        return RB_OK;
    return rb_fail(err, RB_USAGE, "%s: %s: '%s' is not a whole number up to 2^53", program, name,
                   text);
}

static char *copy_text(const char *text, size_t len)
{
    char *copy = rb_calloc(len + 1, 1);

    memcpy(copy, text, len);
    return copy;
}

/* NAME VALUE MIN MAX "what it is" */
static bool read_described(const char *p, program_param_t *out)
{
    const char *name, *word;
    size_t len = assembler_word(&p, &name);
    uint64_t number[3];

    for (size_t i = 0; i < 3; i++) {
        size_t n = assembler_word(&p, &word);

        if (!program_number(word, n, &number[i]))
            return false;
    }
    size_t help = strlen(p);

    if (len == 0 || help < 3 || p[0] != '"' || p[help - 1] != '"' || number[1] > number[2])
        return false;
    *out = (program_param_t){.name = copy_text(name, len),
                             .help = copy_text(p + 1, help - 2),
                             .def = number[0],
                             .min = number[1],
                             .max = number[2]};
    return true;
}

rb_code_t program_params_read(program_params_t *p, const suite_t *suite, rb_err_t *err)
{
    const kernel_text_t *text = &suite->program;

    *p = (program_params_t){0};
    for (size_t i = 0; i < text->n_lines; i++) {
        const char *line = text->line[i], *word;

        if (!assembler_is(line, "param") || strchr(line, '"') == NULL)
            continue;
        (void)assembler_word(&line, &word);
        rb_grow(&p->param, &p->cap, p->n + 1, sizeof(p->param[0]));
        if (!read_described(line, &p->param[p->n]))
            return rb_fail(err, RB_TRACE,
                           "%s:%zu: not of the form NAME VALUE MIN MAX \"text\": '%s'", text->file,
                           text->first_no + i, line);
        p->n++;
    }
    return RB_OK;
}

void program_params_free(program_params_t *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->param[i].name);
        free(p->param[i].help);
    }
    free(p->param);
}

bool program_has_blocks(const suite_t *suite)
{
    for (size_t i = 0; i < suite->program.n_lines; i++)
        if (assembler_is(suite->program.line[i], "size"))
            return true;
    return false;
}
