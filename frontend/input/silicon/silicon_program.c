#include "frontend/input/silicon/silicon_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_assembler.h"
#include "frontend/input/silicon/silicon_source.h"
#include "sim/core/alloc.h"

/* LOOK_BACK: how many kernels back an equal launch is looked for. */
enum { MAX_LAUNCHES = 1 << 20, LOOK_BACK = 1000, ALLOC_ALIGN = 512 };

/* Device memory: where cudaMalloc() begins in the traces that ship with rubato, and its end. */
static const uint64_t memory_begin = 0x7f0000000200, memory_end = 0x7f4000000000;

/* A program being read. */
typedef struct {
    const program_spec_t *spec;
    suite_t suite;
    program_params_t described;
    silicon_source_t *source;
    uint64_t top; /* end of the arrays so far */
    char **made;  /* owned: the operands of .launch that made each kernel of the source */
    size_t n_made, cap_made, n_launches;
} program_t;

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
            if (assembler_declared(*kernel, word, (size_t)(equal - word)) == NULL)
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

/* .launch KERNEL NAME=VALUE ...; launches with the same operands share one assembled kernel. Kernels also
 * see the program's parameters outside of .repeat. */
static rb_code_t read_launch(assembler_t *a, const char *operands)
{
    program_t *p = a->ctx;
    kernel_param_t param[2 * ASSEMBLER_PARAMS];
    const kernel_text_t *text;
    char words[ASSEMBLER_LINE];
    kernel_t k;
    size_t n, outer = a->n_top;

    if (++p->n_launches > MAX_LAUNCHES)
        return assembler_wrong(a, "more than a million launches", operands);
    for (size_t i = p->n_made; i-- > 0 && p->n_made - i <= LOOK_BACK;)
        if (strcmp(p->made[i], operands) == 0) {
            silicon_source_again(p->source, i);
            return RB_OK;
        }
    memcpy(words, operands, strlen(operands) + 1);
    memcpy(param, a->param, outer * sizeof(param[0]));
    RB_TRY(split_launch(a, words, &p->suite, &text, param + outer, &n));
    RB_TRY(kernel_assemble(&k, text, a->arch, param, outer + n, outer, a->err));
    k.info.code_id = kernel_code_hash(&k);
    silicon_source_add(p->source, &k);
    rb_grow(&p->made, &p->cap_made, p->n_made + 1, sizeof(p->made[0]));
    p->made[p->n_made++] = rb_strdup(operands);
    return RB_OK;
}

/* Checks the value of a described parameter. */
static rb_code_t check_value(const program_t *p, const char *name, uint64_t value, rb_err_t *err)
{
    for (size_t i = 0; i < p->described.n; i++) {
        const program_param_t *d = &p->described.param[i];

        if (strcmp(d->name, name) == 0 && (value < d->min || value > d->max))
            return rb_fail(err, RB_USAGE, "%s: %s = %llu is outside %llu .. %llu (%s)",
                           p->spec->name, name, (unsigned long long)value,
                           (unsigned long long)d->min, (unsigned long long)d->max, d->help);
    }
    return RB_OK;
}

/* .array NAME BYTES, .input NAME BYTES: device memory, whose address becomes a parameter. */
static rb_code_t read_array(assembler_t *a, const char *operands, bool is_input)
{
    program_t *p = a->ctx;
    const char *name, *size = operands;
    size_t len = assembler_word(&size, &name);
    char address[32];
    int64_t bytes;

    RB_TRY(assembler_whole(a, size, strlen(size), 1, INT64_C(1) << 52, &bytes));
    snprintf(address, sizeof(address), "%llu", (unsigned long long)p->top);
    if (is_input)
        silicon_source_copy(p->source, (memcpy_op_t){.addr = p->top, .bytes = (uint64_t)bytes});
    p->top += ((uint64_t)bytes + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
    if (p->top > memory_end)
        return rb_fail(a->err, RB_USAGE,
                       "%s: %llu GiB of device memory are needed; %llu GiB are there",
                       p->spec->name, (unsigned long long)((p->top - memory_begin) >> 30),
                       (unsigned long long)((memory_end - memory_begin) >> 30));
    return assembler_push(a, name, len, address);
}

/* .size EXPRESSION: the size at which the largest launch has `blocks` blocks. */
static rb_code_t read_size(assembler_t *a, const char *operands)
{
    program_t *p = a->ctx;
    kernel_param_t *size = assembler_param(a, "size", strlen("size"));
    char number[32];
    int64_t value;

    if (size == NULL)
        return assembler_wrong(a, "the parameter 'size' must come first", operands);
    if (p->spec->blocks == 0)
        return RB_OK;
    snprintf(number, sizeof(number), "%llu", (unsigned long long)p->spec->blocks);
    RB_TRY(assembler_push(a, "blocks", strlen("blocks"), number));
    rb_code_t rc = assembler_whole(a, operands, strlen(operands), 0, INT64_C(1) << 52, &value);

    assembler_pop(a);
    RB_TRY(rc);
    snprintf(number, sizeof(number), "%lld", (long long)value);
    free((char *)(uintptr_t)size->value);
    size->value = rb_strdup(number);
    return check_value(p, "size", (uint64_t)value, a->err);
}

/* .require CONDITION "message" */
static rb_code_t read_require(assembler_t *a, const char *operands)
{
    const program_t *p = a->ctx;
    const char *text = strchr(operands, '"');
    int64_t holds;

    if (text == NULL || text[strlen(text) - 1] != '"')
        return assembler_wrong(a, "a condition and a quoted text are needed", operands);
    RB_TRY(assembler_whole(a, operands, (size_t)(text - operands), INT32_MIN, INT32_MAX, &holds));
    return holds ? RB_OK
                 : rb_fail(a->err, RB_USAGE, "%s: %.*s", p->spec->name, (int)strlen(text) - 2,
                           text + 1);
}

static bool read_directive(assembler_t *a, const char *line, const char *operands, rb_code_t *rc)
{
    if (assembler_is(line, "launch"))
        *rc = read_launch(a, operands);
    else if (assembler_is(line, "array") || assembler_is(line, "input"))
        *rc = read_array(a, operands, assembler_is(line, "input"));
    else if (assembler_is(line, "size"))
        *rc = read_size(a, operands);
    else if (assembler_is(line, "require"))
        *rc = read_require(a, operands);
    else
        return false;
    return true;
}

static bool is_described(const program_t *p, const char *name)
{
    for (size_t i = 0; i < p->described.n; i++)
        if (strcmp(p->described.param[i].name, name) == 0)
            return true;
    return false;
}

/* A parameter from the command line. */
static rb_code_t push_given(program_t *p, assembler_t *a, const kernel_param_t *given)
{
    const char *name = given->name, *text = given->value;
    char number[32];
    uint64_t value;

    if (assembler_declared(a->text, name, strlen(name)) == NULL)
        return strcmp(name, "seed") == 0
                   ? RB_OK
                   : rb_fail(a->err, RB_USAGE, "%s: the program has no parameter '%s'",
                             p->spec->name, name);
    if (is_described(p, name)) {
        RB_TRY(program_number_of(p->spec->name, name, text, &value, a->err));
        RB_TRY(check_value(p, name, value, a->err));
        snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
        text = number;
    }
    return assembler_push(a, name, strlen(name), text);
}

static rb_code_t read_program(program_t *p, rb_err_t *err)
{
    const program_spec_t *spec = p->spec;
    const kernel_text_t *text = &p->suite.program;
    assembler_t a = {
        .text = text, .arch = spec->arch, .err = err, .directive = read_directive, .ctx = p};

    if (text->name == NULL)
        return rb_fail(err, RB_TRACE, "%s: a section '.program' with its launches is missing",
                       spec->path);
    RB_TRY(program_params_read(&p->described, &p->suite, err));
    if (spec->blocks != 0 && !program_has_blocks(&p->suite))
        return rb_fail(err, RB_USAGE, "%s: its launches differ in their blocks; give a size",
                       spec->name);
    rb_code_t rc = RB_OK;

    for (size_t i = 0; i < spec->n_params && rc == RB_OK; i++)
        rc = push_given(p, &a, &spec->params[i]);
    if (rc == RB_OK)
        rc = assembler_read(&a);
    if (rc == RB_OK && p->n_launches == 0)
        rc = rb_fail(err, RB_TRACE, "%s:%u: the program launches nothing", spec->path,
                     text->first_no - 1);
    while (a.n_params > 0)
        assembler_pop(&a);
    return rc;
}

trace_source_t *silicon_program_open(const program_spec_t *spec, rb_err_t *err)
{
    program_t p = {.spec = spec, .top = memory_begin};

    if (suite_read_file(&p.suite, spec->path, err) != RB_OK)
        return NULL;
    p.source = silicon_source_create();
    silicon_source_keep(p.source, &p.suite);
    rb_code_t rc = read_program(&p, err);
    trace_source_t *source = silicon_source_trace(p.source);

    for (size_t i = 0; i < p.n_made; i++)
        free(p.made[i]);
    free(p.made);
    program_params_free(&p.described);
    if (rc == RB_OK)
        return source;
    source->ops->destroy(source);
    return NULL;
}
