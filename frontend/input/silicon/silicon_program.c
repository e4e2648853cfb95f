#include "frontend/input/silicon/silicon_program.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_assembler.h"
#include "frontend/input/silicon/silicon_source.h"
#include "sim/core/alloc.h"

/* LOOK_BACK: how many kernels back an equal launch is looked for. */
enum { MAX_LAUNCHES = 1 << 20, LOOK_BACK = 1000 };

/* A program being read. */
typedef struct {
    suite_t suite;
    silicon_source_t *source;
    char **made; /* owned: the operands of .launch that made each kernel of the source */
    size_t n_made, cap_made, n_launches;
} program_t;

/* Whether the text has a line ".param NAME". */
static bool declares(const kernel_text_t *text, const char *name, size_t len)
{
    static const char directive[] = ".param";

    for (size_t i = 0; i < text->n_lines; i++) {
        const char *p = text->line[i];

        if (strncmp(p, directive, strlen(directive)) != 0)
            continue;
        p += strlen(directive);
        p += strspn(p, " \t");
        if (strncmp(p, name, len) == 0 && (p[len] == ' ' || p[len] == '\t'))
            return true;
    }
    return false;
}

/* Splits "KERNEL NAME=VALUE ..." and modifies it. */
static rb_code_t split_launch(assembler_t *a, char *text, const suite_t *suite,
                              const kernel_text_t **kernel, kernel_param_t *param, size_t *n)
{
    *n = 0;
    *kernel = NULL;
    for (char *word = text; *word != '\0';) {
        char *end = word + strcspn(word, " \t");
        char *next = end + strspn(end, " \t");

        *end = '\0';
        if (*kernel == NULL) {
            *kernel = suite_kernel(suite, word);
            if (*kernel == NULL)
                return assembler_wrong(a, "unknown kernel", word);
        } else {
            char *equal = strchr(word, '=');

            if (equal == NULL || equal == word || equal[1] == '\0')
                return assembler_wrong(a, "not of the form name=value", word);
            if (!declares(*kernel, word, (size_t)(equal - word)))
                return assembler_wrong(a, "the kernel has no such parameter", word);
            if (*n == ASSEMBLER_PARAMS)
                return assembler_wrong(a, "too many parameters", word);
            *equal = '\0';
            param[(*n)++] = (kernel_param_t){word, equal + 1};
        }
        word = next;
    }
    return *kernel != NULL ? RB_OK : assembler_wrong(a, "a kernel is missing", ".launch");
}

/* .launch KERNEL NAME=VALUE ...; launches with the same operands share one assembled kernel. */
static rb_code_t read_launch(assembler_t *a, const char *operands)
{
    program_t *p = a->ctx;
    kernel_param_t param[ASSEMBLER_PARAMS];
    const kernel_text_t *text;
    char words[ASSEMBLER_LINE];
    kernel_t k;
    size_t n;

    if (++p->n_launches > MAX_LAUNCHES)
        return assembler_wrong(a, "more than a million launches", operands);
    for (size_t i = p->n_made; i-- > 0 && p->n_made - i <= LOOK_BACK;)
        if (strcmp(p->made[i], operands) == 0) {
            silicon_source_again(p->source, i);
            return RB_OK;
        }
    memcpy(words, operands, strlen(operands) + 1);
    RB_TRY(split_launch(a, words, &p->suite, &text, param, &n));
    RB_TRY(kernel_assemble(&k, text, a->arch, param, n, a->err));
    k.info.code_id = kernel_code_hash(&k);
    silicon_source_add(p->source, &k);
    rb_grow(&p->made, &p->cap_made, p->n_made + 1, sizeof(p->made[0]));
    p->made[p->n_made++] = rb_strdup(operands);
    return RB_OK;
}

static rb_code_t read_program(program_t *p, const char *path, unsigned arch,
                              const kernel_param_t *params, size_t n_params, rb_err_t *err)
{
    const kernel_text_t *text = &p->suite.program;
    assembler_t a = {.text = text, .arch = arch, .err = err, .launch = read_launch, .ctx = p};
    rb_code_t rc = RB_OK;

    if (text->name == NULL)
        return rb_fail(err, RB_TRACE, "%s: a section '.program' with its launches is missing",
                       path);
    for (size_t i = 0; i < n_params && rc == RB_OK; i++) {
        const char *name = params[i].name;

        if (declares(text, name, strlen(name)))
            rc = assembler_push(&a, name, strlen(name), params[i].value);
        else if (strcmp(name, "seed") != 0)
            rc = rb_fail(err, RB_USAGE, "%s: the program has no parameter '%s'", path, name);
    }
    if (rc == RB_OK)
        rc = assembler_read(&a);
    if (rc == RB_OK && p->n_launches == 0)
        rc =
            rb_fail(err, RB_TRACE, "%s:%u: the program launches nothing", path, text->first_no - 1);
    while (a.n_params > 0)
        assembler_pop(&a);
    return rc;
}

trace_source_t *silicon_program_open(const char *path, unsigned arch, const kernel_param_t *params,
                                     size_t n_params, rb_err_t *err)
{
    program_t p = {0};

    if (suite_read_file(&p.suite, path, err) != RB_OK)
        return NULL;
    p.source = silicon_source_create();
    silicon_source_keep(p.source, &p.suite);
    rb_code_t rc = read_program(&p, path, arch, params, n_params, err);
    trace_source_t *source = silicon_source_trace(p.source);

    for (size_t i = 0; i < p.n_made; i++)
        free(p.made[i]);
    free(p.made);
    if (rc == RB_OK)
        return source;
    source->ops->destroy(source);
    return NULL;
}
