#include "frontend/input/silicon/silicon_expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

/* Each open parenthesis needs at most one value per level and two pending arguments. */
enum { MAX_DEPTH = 64, LEVELS = 6, MAX_STACK = MAX_DEPTH * (LEVELS + 4) };

typedef enum {
    OP_NUMBER,
    OP_VARIABLE,
    OP_CALL,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_EQ,
    OP_NE,
    OP_LE,
    OP_GE,
    OP_LT,
    OP_GT,
    OP_SHL,
    OP_SHR,
    OP_ADD,
    OP_SUB,
    OP_FLOORDIV,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_NEG,
    OP_NOT,
    OP_MIN,
    OP_MAX,
    OP_PERM,
    OP_IF,
    OP_FLOOR,
    OP_MIX,
    OP_SQRT,
} op_t;

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
    {"floor", 1, OP_FLOOR}, {"mix", 1, OP_MIX}, {"sqrt", 1, OP_SQRT},
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

static void put(parser_t *p, op_t op, uint32_t slot, double value)
{
    expr_t *e = p->e;

    rb_grow(&e->steps, &e->cap, e->n + 1, sizeof(e->steps[0]));
    e->steps[e->n++] = (expr_step_t){.op = (uint8_t)op, .slot = slot, .value = value};
}

static rb_code_t parse_level(parser_t *p, unsigned level);

static rb_code_t parse_number(parser_t *p)
{
    char digits[64];
    size_t n = 0;
    static const struct {
        const char *text;
        double factor;
    } units[] = {{"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}};

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
            rest += 2;
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
    if (rc != RB_OK)
        expr_free(e);
    return rc;
}

void expr_free(expr_t *e)
{
    free(e->steps);
    *e = (expr_t){0};
}

/* --- evaluation ------------------------------------------------------------------------------ */

int64_t expr_whole(double v)
{
    const double limit = 9007199254740992.0; /* 2^53 */

    return v > -limit && v < limit ? (int64_t)v : 0;
}

/* A pseudo-random permutation: rounds of invertible steps on the bits of the next power of two,
 * repeated until the image is below n (cycle walking). */
static double permute(double position, double count)
{
    const uint64_t odd[] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u, 0x8cb92ba72f3d8dd7u};
    int64_t signed_n = expr_whole(count), signed_i = expr_whole(position);
    uint64_t n = signed_n > 0 ? (uint64_t)signed_n : 1, i = signed_i > 0 ? (uint64_t)signed_i : 0;
    unsigned bits = 1;

    while (n > UINT64_C(1) << bits)
        bits++;
    uint64_t mask = (UINT64_C(1) << bits) - 1, x = i % n;

    do {
        for (size_t r = 0; r < sizeof(odd) / sizeof(odd[0]); r++) {
            x = (x * odd[r] + r + 1) & mask;
            x ^= x >> (bits + 1) / 2;
        }
    } while (x >= n);
    return (double)x;
}

static double shift_left(int64_t a, int64_t by)
{
    return by >= 0 && by < 63 ? (double)(int64_t)((uint64_t)a << by) : 0;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static double apply(op_t op, double a, double b)
{
    switch (op) {
    case OP_OR:
        return (double)(expr_whole(a) | expr_whole(b));
    case OP_XOR:
        return (double)(expr_whole(a) ^ expr_whole(b));
    case OP_AND:
        return (double)(expr_whole(a) & expr_whole(b));
    case OP_EQ:
        return !(a < b) && !(a > b);
    case OP_NE:
        return a < b || a > b;
    case OP_LE:
        return a <= b;
    case OP_GE:
        return a >= b;
    case OP_LT:
        return a < b;
    case OP_GT:
        return a > b;
    case OP_SHL:
        return shift_left(expr_whole(a), expr_whole(b));
    case OP_SHR:
        return (double)(expr_whole(a) >> (expr_whole(b) & 63));
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return b < 0 || b > 0 ? a / b : 0;
    case OP_FLOORDIV:
        return (double)floor_divide(expr_whole(a), expr_whole(b));
    case OP_MOD:
        return (double)(expr_whole(a) - floor_divide(expr_whole(a), expr_whole(b)) * expr_whole(b));
    case OP_MIN:
        return a < b ? a : b;
    case OP_MAX:
        return a > b ? a : b;
    case OP_PERM:
        return permute(a, b);
    default:
        rb_panic("expression: operator %d does not take two values", (int)op);
    }
}

double expr_eval(const expr_t *e, const expr_env_t *env)
{
    double stack[MAX_STACK];
    size_t top = 0;

    /* The analyzer cannot see that the stack always holds the operands of a step. */
    // NOLINTBEGIN(clang-analyzer-core.CallAndMessage)
    for (size_t i = 0; i < e->n; i++) {
        const expr_step_t *s = &e->steps[i];
        double *v = top > 0 ? &stack[top - 1] : stack;

        switch ((op_t)s->op) {
        case OP_NUMBER:
            stack[top++] = s->value;
            break;
        case OP_VARIABLE:
            stack[top++] = env->vars[s->slot];
            break;
        case OP_CALL:
            *v = env->call(env->ctx, s->slot, *v);
            break;
        case OP_NEG:
            *v = -*v;
            break;
        case OP_NOT:
            *v = (double)~expr_whole(*v);
            break;
        case OP_FLOOR:
            *v = floor(*v);
            break;
        case OP_SQRT:
            *v = *v > 0 ? sqrt(*v) : 0;
            break;
        case OP_MIX:
            *v = (double)(mix64((uint64_t)expr_whole(*v) + MIX64_STEP) & 0xffffffffu);
            break;
        case OP_IF:
            top -= 2;
            stack[top - 1] = stack[top - 1] < 0 || stack[top - 1] > 0 ? stack[top] : stack[top + 1];
            break;
        default:
            top--;
            stack[top - 1] = apply((op_t)s->op, stack[top - 1], stack[top]);
            break;
        }
    }
    // NOLINTEND(clang-analyzer-core.CallAndMessage)
    return stack[0];
}
