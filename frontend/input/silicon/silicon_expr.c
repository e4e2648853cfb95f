#include "frontend/input/silicon/silicon_ops.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { MAX_DEPTH = 64, LEVELS = 6 };

typedef struct {
    expr_t *e;
    const char *text, *p, *end;
    expr_resolve_fn resolve;
    void *ctx;
    rb_err_t *err;
    unsigned depth;
} parser_t;

static const struct {
    const char *text;
    unsigned level; /* 0 binds weakest */
    op_t op;
} binary[] = {
    /* Longer operators precede their prefixes. */
    {"==", 3, OP_EQ},  {"!=", 3, OP_NE},  {"<=", 3, OP_LE},       {">=", 3, OP_GE},
    {"<<", 4, OP_SHL}, {">>", 4, OP_SHR}, {"//", 6, OP_FLOORDIV}, {"<", 3, OP_LT},
    {">", 3, OP_GT},   {"|", 0, OP_OR},   {"^", 1, OP_XOR},       {"&", 2, OP_AND},
    {"+", 5, OP_ADD},  {"-", 5, OP_SUB},  {"*", 6, OP_MUL},       {"/", 6, OP_DIV},
    {"%", 6, OP_MOD},
};

static const struct {
    const char *name;
    unsigned n_arguments;
    op_t op;
} functions[] = {
    {"min", 2, OP_MIN},     {"max", 2, OP_MAX}, {"perm", 2, OP_PERM}, {"if", 3, OP_IF},
    {"floor", 1, OP_FLOOR}, {"mix", 1, OP_MIX}, {"sqrt", 1, OP_SQRT}, {"cbrt", 1, OP_CBRT},
    {"ceil", 1, OP_CEIL},   {"abs", 1, OP_ABS},
};

static rb_code_t wrong(parser_t *p, const char *what)
{
    return rb_fail(p->err, RB_TRACE, "%s at '%.*s' in '%.*s'", what, (int)(p->end - p->p), p->p,
                   (int)(p->end - p->text), p->text);
}

static void skip_blanks(parser_t *p)
{
    while (p->p < p->end && isspace((unsigned char)*p->p))
        p->p++;
}

static bool take(parser_t *p, const char *text)
{
    size_t n = strlen(text);

    skip_blanks(p);
    if ((size_t)(p->end - p->p) < n || memcmp(p->p, text, n) != 0)
        return false;
    p->p += n;
    return true;
}

/* Appends a step; one whose operands are numbers becomes a number. */
static void put(parser_t *p, op_t op, uint32_t slot, double value)
{
    expr_t *e = p->e;
    size_t n = op <= OP_VARIABLE ? 0 : op == OP_IF ? 3 : ops_is_unary(op) ? 1 : 2;
    bool folds = n > 0 && op != OP_CALL;

    rb_grow(&e->steps, &e->cap, e->n + 1, sizeof(e->steps[0]));
    e->steps[e->n++] = (expr_step_t){.op = (uint8_t)op, .slot = slot, .value = value};
    for (size_t i = 0; i < n; i++)
        folds = folds && e->steps[e->n - 2 - i].op == OP_NUMBER;
    if (!folds)
        return;
    expr_step_t *first = &e->steps[e->n - 1 - n];
    double result = expr_eval(&(expr_t){.steps = first, .n = n + 1}, &(expr_env_t){.vars = NULL});

    *first = (expr_step_t){.op = OP_NUMBER, .value = result};
    e->n -= n;
}

/* How many values the steps need at the same time. */
static unsigned stack_depth(const expr_t *e)
{
    unsigned depth = 0, most = 0;

    for (size_t i = 0; i < e->n; i++) {
        op_t op = (op_t)e->steps[i].op;

        if (op == OP_NUMBER || op == OP_VARIABLE)
            depth++;
        else if (op == OP_IF)
            depth -= 2;
        else if (!ops_is_unary(op))
            depth--;
        most = depth > most ? depth : most;
    }
    return most;
}

static rb_code_t parse_level(parser_t *p, unsigned level);

static rb_code_t parse_number(parser_t *p)
{
    char digits[64];
    size_t n = 0;
    static const struct {
        const char *text;
        double factor;
    } units[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},
                 {"k", 1e3},     {"M", 1e6},     {"G", 1e9}};

    while (p->p + n < p->end && n < sizeof(digits) - 1 &&
           (isalnum((unsigned char)p->p[n]) || p->p[n] == '.')) {
        digits[n] = p->p[n];
        n++;
    }
    digits[n] = '\0';
    char *rest;
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    double value = hex ? (double)strtoull(digits, &rest, 16) : strtod(digits, &rest);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(rest, units[i].text) == 0) {
            value *= units[i].factor;
            rest += strlen(rest);
        }
    if (*rest != '\0' || !isfinite(value))
        return wrong(p, "not a number");
    p->p += n;
    put(p, OP_NUMBER, 0, value);
    return RB_OK;
}

static rb_code_t parse_arguments(parser_t *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i > 0 && !take(p, ","))
            return wrong(p, "',' is missing");
        RB_TRY(parse_level(p, 0));
    }
    return take(p, ")") ? RB_OK : wrong(p, "')' is missing");
}

static rb_code_t parse_name(parser_t *p)
{
    const char *name = p->p;

    while (p->p < p->end && (isalnum((unsigned char)*p->p) || *p->p == '_' || *p->p == '.'))
        p->p++;
    size_t len = (size_t)(p->p - name);

    if (take(p, "(")) {
        for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
            if (strlen(functions[i].name) == len && memcmp(functions[i].name, name, len) == 0) {
                RB_TRY(parse_arguments(p, functions[i].n_arguments));
                put(p, functions[i].op, 0, 0);
                return RB_OK;
            }
    } else {
        skip_blanks(p);
    }
    bool call = p->p > name + len && p->p[-1] == '(';
    expr_name_t found = p->resolve(p->ctx, name, len);

    if (call && found.kind == NAME_FUNCTION) {
        RB_TRY(parse_arguments(p, 1));
        put(p, OP_CALL, found.slot, 0);
    } else if (!call && found.kind == NAME_CONSTANT) {
        put(p, OP_NUMBER, 0, found.value);
    } else if (!call && found.kind == NAME_VARIABLE) {
        put(p, OP_VARIABLE, found.slot, 0);
    } else {
        return rb_fail(p->err, RB_TRACE, "'%.*s' in '%.*s' is not a %s", (int)len, name,
                       (int)(p->end - p->text), p->text,
                       call ? "function" : "number, parameter or variable");
    }
    return RB_OK;
}

static rb_code_t parse_primary(parser_t *p)
{
    if (take(p, "-")) {
        RB_TRY(parse_level(p, LEVELS + 1));
        put(p, OP_NEG, 0, 0);
        return RB_OK;
    }
    if (take(p, "~")) {
        RB_TRY(parse_level(p, LEVELS + 1));
        put(p, OP_NOT, 0, 0);
        return RB_OK;
    }
    if (take(p, "(")) {
        RB_TRY(parse_level(p, 0));
        return take(p, ")") ? RB_OK : wrong(p, "')' is missing");
    }
    if (p->p < p->end && isdigit((unsigned char)*p->p))
        return parse_number(p);
    if (p->p < p->end && (isalpha((unsigned char)*p->p) || *p->p == '_'))
        return parse_name(p);
    return wrong(p, "a value is missing");
}

/* Consumes an operator of this level; -1 if there is none. */
static int take_operator(parser_t *p, unsigned level)
{
    skip_blanks(p);
    for (size_t i = 0; i < sizeof(binary) / sizeof(binary[0]); i++) {
        size_t n = strlen(binary[i].text);

        if ((size_t)(p->end - p->p) >= n && memcmp(p->p, binary[i].text, n) == 0) {
            if (binary[i].level != level)
                return -1;
            p->p += n;
            return (int)binary[i].op;
        }
    }
    return -1;
}

static rb_code_t parse_level(parser_t *p, unsigned level)
{
    if (level > LEVELS) {
        if (++p->depth > MAX_DEPTH)
            return wrong(p, "too deeply nested");
        rb_code_t rc = parse_primary(p);

        p->depth--;
        return rc;
    }
    RB_TRY(parse_level(p, level + 1));
    for (int op; (op = take_operator(p, level)) >= 0;) {
        RB_TRY(parse_level(p, level + 1));
        put(p, (op_t)op, 0, 0);
    }
    return RB_OK;
}

rb_code_t expr_parse(expr_t *e, const char *text, size_t len, expr_resolve_fn resolve, void *ctx,
                     rb_err_t *err)
{
    parser_t p = {
        .e = e, .text = text, .p = text, .end = text + len, .resolve = resolve, .ctx = ctx};

    p.err = err;
    *e = (expr_t){0};
    rb_code_t rc = parse_level(&p, 0);

    skip_blanks(&p);
    if (rc == RB_OK && p.p != p.end)
        rc = wrong(&p, "cannot go on");
    if (rc == RB_OK && stack_depth(e) > OPS_MAX_STACK)
        rc = wrong(&p, "too deeply nested");
    if (rc != RB_OK)
        expr_free(e);
    return rc;
}

void expr_free(expr_t *e)
{
    free(e->steps);
    *e = (expr_t){0};
}
