#include "frontend/input/silicon/silicon_kernel.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_assembler.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"

enum {
    DEFAULT_REGS = 32,
    MAX_REGS = 255,
    MAX_THREADS = 1024,
    MAX_LINES_READ = 1 << 22, /* bounds nested .repeat */
};

static rb_code_t read_lines(assembler_t *a, size_t first, size_t end);

/* --- directives ------------------------------------------------------------------------------ */

static const char *operands_of(const char *line)
{
    size_t n = strcspn(line, " \t");

    return line + n + strspn(line + n, " \t");
}

/* Finds the line of the .end that closes the block opened on line first. */
static rb_code_t find_end(assembler_t *a, size_t first, size_t *end)
{
    unsigned open = 1;

    for (size_t i = first + 1; i < a->text->n_lines; i++) {
        const char *line = a->text->line[i];

        if (assembler_is(line, "loop") || assembler_is(line, "repeat") ||
            assembler_is(line, "if") || assembler_is(line, "lanes"))
            open++;
        if (assembler_is(line, "end") && --open == 0) {
            *end = i;
            return RB_OK;
        }
    }
    return assembler_wrong(a, "'.end' is missing", a->text->line[first]);
}

static rb_code_t read_repeat(assembler_t *a, const char *operands, size_t first, size_t end)
{
    const char *name, *count = operands;
    size_t len = assembler_word(&count, &name);
    int64_t n;

    int64_t most = a->directive != NULL ? MAX_LINES_READ : ASSEMBLER_CODE;

    RB_TRY(assembler_whole(a, count, strlen(count), 0, most, &n));
    for (int64_t i = 0; i < n; i++) {
        char number[32];

        if (++a->n_read > MAX_LINES_READ)
            return assembler_wrong(a, "repeated too often", operands);
        snprintf(number, sizeof(number), "%lld", (long long)i);
        size_t n_params = a->n_params;

        RB_TRY(assembler_push(a, name, len, number));
        rb_code_t rc = read_lines(a, first + 1, end);

        while (a->n_params > n_params)
            assembler_pop(a);
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t push_local(assembler_t *a, const char *name, size_t len, uint32_t *var)
{
    if (a->n_locals == KERNEL_MAX_VARS - VAR_FIRST_LOCAL)
        return assembler_wrong(a, "too many variables", name);
    char *copy = rb_calloc(len + 1, 1);

    memcpy(copy, name, len);
    *var = VAR_FIRST_LOCAL + a->n_locals;
    a->local[a->n_locals++] = copy;
    return RB_OK;
}

static void pop_locals(assembler_t *a, unsigned n)
{
    while (a->n_locals > n)
        free(a->local[--a->n_locals]);
}

/* The body of a block, whose variables end with it. */
static rb_code_t read_body(assembler_t *a, size_t first, size_t end)
{
    unsigned n = a->n_locals;
    rb_code_t rc = read_lines(a, first + 1, end);

    pop_locals(a, n);
    a->run = 0;
    return rc;
}

static rb_code_t read_loop(assembler_t *a, const char *operands, size_t first, size_t end)
{
    const char *name, *count = operands;
    size_t len = assembler_word(&count, &name), begin = a->k->n_step;
    unsigned n = a->n_locals;
    uint32_t number, var = 0;

    RB_TRY(assembler_expr(a, count, strlen(count), &number));
    RB_TRY(push_local(a, name, len, &var));
    kernel_step_t *s = assembler_step(a, STEP_LOOP);

    s->var = var;
    s->expr = number;
    rb_code_t rc = read_body(a, first, end);

    pop_locals(a, n);
    RB_TRY(rc);
    s = assembler_step(a, STEP_LOOP_END);
    s->other = (uint32_t)begin;
    a->k->step[begin].other = (uint32_t)a->k->n_step;
    return RB_OK;
}

/* .let NAME EXPRESSION: a new variable, or a new value of an open one. */
static rb_code_t read_let(assembler_t *a, const char *operands)
{
    const char *name, *value = operands;
    size_t len = assembler_word(&value, &name);
    expr_name_t found = assembler_resolve(a, name, len);
    uint32_t number, var = found.slot;

    if (len == 0 || *value == '\0')
        return assembler_wrong(a, "a name and a value are needed", operands);
    if (found.kind == NAME_VARIABLE && var < VAR_FIRST_LOCAL)
        return assembler_wrong(a, "cannot be changed", name);
    RB_TRY(assembler_expr(a, value, strlen(value), &number));
    if (found.kind != NAME_VARIABLE)
        RB_TRY(push_local(a, name, len, &var));
    kernel_step_t *s = assembler_step(a, STEP_LET);

    s->var = var;
    s->expr = number;
    return RB_OK;
}

static rb_code_t read_if(assembler_t *a, const char *operands, size_t first, size_t end)
{
    uint32_t number;

    RB_TRY(assembler_expr(a, operands, strlen(operands), &number));
    size_t begin = a->k->n_step;

    assembler_step(a, STEP_IF)->expr = number;
    RB_TRY(read_body(a, first, end));
    a->k->step[begin].other = (uint32_t)a->k->n_step;
    return RB_OK;
}

static rb_code_t read_lanes(assembler_t *a, const char *operands, size_t first, size_t end)
{
    uint32_t number;

    RB_TRY(assembler_expr(a, operands, strlen(operands), &number));
    size_t begin = a->k->n_step;

    assembler_step(a, STEP_LANES)->expr = number;
    RB_TRY(read_body(a, first, end));
    (void)assembler_step(a, STEP_LANES_END);
    a->k->step[begin].other = (uint32_t)a->k->n_step;
    return RB_OK;
}

/* Reads ".grid X Y Z" and the like: up to n numbers. */
static rb_code_t read_sizes(assembler_t *a, const char *operands, uint32_t *out, unsigned n,
                            int64_t max)
{
    for (unsigned i = 0; i < n && *operands != '\0'; i++) {
        const char *word;
        size_t len = assembler_word(&operands, &word);
        int64_t v;

        RB_TRY(assembler_whole(a, word, len, 0, max, &v));
        out[i] = (uint32_t)v;
    }
    return *operands == '\0' ? RB_OK : assembler_wrong(a, "too many numbers", operands);
}

static rb_code_t read_copy(assembler_t *a, const char *operands)
{
    const char *word;
    size_t len = assembler_word(&operands, &word);
    int64_t addr, bytes;
    kernel_t *k = a->k;

    RB_TRY(assembler_whole(a, word, len, 0, INT64_C(1) << 52, &addr));
    RB_TRY(assembler_whole(a, operands, strlen(operands), 1, INT64_C(1) << 40, &bytes));
    rb_grow(&k->copy, &k->cap_copy, k->n_copy + 1, sizeof(k->copy[0]));
    k->copy[k->n_copy++] = (memcpy_op_t){.addr = (uint64_t)addr, .bytes = (uint64_t)bytes};
    return RB_OK;
}

static rb_code_t read_param(assembler_t *a, const char *operands)
{
    const char *name;
    size_t len = assembler_word(&operands, &name);

    if (len == 0 || *operands == '\0')
        return assembler_wrong(a, "a name and a value are needed", name);
    const kernel_param_t *given = assembler_param(a, name, len);

    if (given != NULL && given >= a->param + a->n_outer)
        return RB_OK;
    const char *help = strchr(operands, '"'); /* NAME VALUE MIN MAX "what it is" */
    char value[ASSEMBLER_LINE];

    snprintf(value, sizeof(value), "%.*s",
             (int)(help != NULL ? strcspn(operands, " \t") : strlen(operands)), operands);
    return assembler_push(a, name, len, value);
}

/* Reads a whole block; *next is the line after it. */
static rb_code_t read_block(assembler_t *a, const char *line, size_t first, size_t *next)
{
    static const struct {
        const char *name;
        rb_code_t (*read)(assembler_t *, const char *, size_t, size_t);
    } blocks[] = {
        {"loop", read_loop}, {"repeat", read_repeat}, {"if", read_if}, {"lanes", read_lanes}};
    size_t end = first;

    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        if (!assembler_is(line, blocks[i].name))
            continue;
        if (a->directive != NULL && blocks[i].read != read_repeat)
            break;
        RB_TRY(find_end(a, first, &end));
        if (a->nesting == ASSEMBLER_NESTING)
            return assembler_wrong(a, "blocks are nested too deeply", line);
        a->nesting++;
        rb_code_t rc = blocks[i].read(a, operands_of(line), first, end);

        a->nesting--;
        *next = end + 1;
        return rc;
    }
    return assembler_wrong(a, "unknown directive", line);
}

static rb_code_t read_directive(assembler_t *a, const char *line, size_t first, size_t *next)
{
    const char *operands = operands_of(line);
    rb_code_t rc = RB_OK;

    if (a->directive != NULL)
        return a->directive(a, line, operands, &rc) ? rc : read_block(a, line, first, next);
    launch_info_t *info = &a->k->info;

    if (assembler_is(line, "grid"))
        return read_sizes(a, operands, info->grid, 3, INT32_MAX);
    if (assembler_is(line, "block"))
        return read_sizes(a, operands, info->block, 3, MAX_THREADS);
    if (assembler_is(line, "regs"))
        return read_sizes(a, operands, &info->regs, 1, MAX_REGS);
    if (assembler_is(line, "shared"))
        return read_sizes(a, operands, &info->shared_bytes, 1, INT32_MAX);
    if (assembler_is(line, "copy"))
        return read_copy(a, operands);
    if (assembler_is(line, "let"))
        return read_let(a, operands);
    return read_block(a, line, first, next);
}

static rb_code_t read_lines(assembler_t *a, size_t first, size_t end)
{
    for (size_t i = first; i < end;) {
        char line[ASSEMBLER_LINE];
        size_t next = i + 1;

        a->at = i;
        if (a->nesting == 0)
            a->n_top = a->n_params;
        if (++a->n_read > MAX_LINES_READ)
            return assembler_wrong(a, "repeated too often", a->text->line[i]);
        if (assembler_is(a->text->line[i], "param")) { /* evaluated later */
            RB_TRY(read_param(a, operands_of(a->text->line[i++])));
            continue;
        }
        RB_TRY(assembler_substitute(a, a->text->line[i], line));
        if (line[0] == '.')
            RB_TRY(read_directive(a, line, i, &next));
        else if (line[0] != '\0' && a->directive != NULL)
            return assembler_wrong(a, "an instruction outside a kernel", line);
        else
            RB_TRY(assembler_insts(a, line));
        i = next;
    }
    return RB_OK;
}

rb_code_t assembler_read(assembler_t *a)
{
    return read_lines(a, 0, a->text->n_lines);
}

/* --- the whole ------------------------------------------------------------------------------- */

static rb_code_t finish(assembler_t *a)
{
    kernel_t *k = a->k;
    launch_info_t *info = &k->info;
    uint64_t threads = 1;

    if (k->n_code == 0)
        return assembler_wrong(a, "a kernel without instructions", a->text->name);
    if (a->was_given && a->was_not)
        return assembler_wrong(a, "some instructions have a control word and some have none",
                               a->text->name);
    info->n_blocks = 1;
    for (int d = 0; d < 3; d++) {
        info->n_blocks *= info->grid[d];
        threads *= info->block[d];
    }
    if (threads == 0 || threads > MAX_THREADS || info->n_blocks == 0)
        return assembler_wrong(a, "grid and block need at least one thread, the block at most 1024",
                               a->text->name);
    k->n_warps = (uint32_t)((threads + 31) / 32);
    info->name = a->text->name;
    info->file = a->text->file;
    info->arch = a->arch;
    info->code_id = fnv_text(a->arch, a->text->name);
    for (size_t i = 0; i < a->n_params; i++)
        info->code_id = fnv_text(info->code_id, a->param[i].value);
    return RB_OK;
}

/* Keeps parameters with numeric values for use in the expressions of a test. */
static void keep_numbers(assembler_t *a)
{
    kernel_t *k = a->k;

    for (size_t i = 0; i < a->n_params; i++) {
        const char *name = a->param[i].name;
        expr_name_t found = assembler_resolve(a, name, strlen(name));

        if (found.kind != NAME_CONSTANT)
            continue;
        rb_grow(&k->number, &k->cap_number, k->n_number + 1, sizeof(k->number[0]));
        k->number[k->n_number++] = (kernel_number_t){.name = rb_strdup(name), .value = found.value};
    }
}

rb_code_t kernel_assemble(kernel_t *k, const kernel_text_t *text, unsigned arch,
                          const kernel_param_t *params, size_t n_params, size_t n_outer,
                          rb_err_t *err)
{
    assembler_t a = {.k = k, .text = text, .arch = arch, .n_outer = n_outer, .err = err};
    rb_code_t rc = RB_OK;

    *k = (kernel_t){.info = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .regs = DEFAULT_REGS}};
    for (size_t i = 0; i < n_params && rc == RB_OK; i++)
        rc = assembler_push(&a, params[i].name, strlen(params[i].name), params[i].value);
    if (rc == RB_OK)
        rc = assembler_read(&a);
    if (rc == RB_OK)
        rc = finish(&a);
    if (rc == RB_OK)
        keep_numbers(&a);
    while (a.n_params > 0)
        assembler_pop(&a);
    pop_locals(&a, 0);
    if (rc != RB_OK)
        kernel_free(k);
    return rc;
}

uint64_t kernel_code_hash(const kernel_t *k)
{
    uint64_t hash = fnv_text(k->info.arch, k->info.name);

    for (size_t i = 0; i < k->n_code; i++) {
        const inst_t *in = &k->code[i];

        hash = fnv_text(hash, k->text[i]);
        hash = fnv_bytes(hash, in->dst, in->n_dst * sizeof(in->dst[0]));
        hash = fnv_bytes(hash, in->src, in->n_src * sizeof(in->src[0]));
    }
    return hash;
}

void kernel_free(kernel_t *k)
{
    for (size_t i = 0; i < k->n_text; i++)
        free(k->text[i]);
    for (size_t i = 0; i < k->n_expr; i++)
        expr_free(&k->expr[i]);
    for (size_t i = 0; i < k->n_number; i++)
        free(k->number[i].name);
    free(k->number);
    free(k->code);
    free(k->text);
    free(k->expr);
    free(k->step);
    free(k->copy);
    *k = (kernel_t){0};
}
