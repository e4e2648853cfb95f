/*
 * Arithmetic in listings: addresses, loop counts, conditions, and the value of a test.
 *
 *   |  ^  &   == != < <= > >=   << >>   + -   * / // %   unary - ~   ( )   names   calls
 *
 * from the weakest to the strongest. Values are doubles, exact for integers up to 2^53; bit
 * operations, // (division rounded down) and % use integers. Numbers are decimal or 0x..., with an
 * optional suffix Ki, Mi or Gi. Calls: min(a, b), max(a, b), if(c, a, b), floor(x), sqrt(x), mix(x)
 * (32 well-mixed bits), perm(i, n) (the image of i under a fixed permutation of 0 .. n-1), and those
 * that the caller defines.
 */
#ifndef RUBATO_SILICON_EXPR_H
#define RUBATO_SILICON_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* Meaning of a name: a constant, a variable of the evaluation, or a function of one value. */
typedef enum { NAME_UNKNOWN, NAME_CONSTANT, NAME_VARIABLE, NAME_FUNCTION } expr_name_kind_t;

typedef struct {
    expr_name_kind_t kind;
    double value;  /* of a constant */
    unsigned slot; /* of a variable or function */
} expr_name_t;

/* name is not zero-terminated. */
typedef expr_name_t (*expr_resolve_fn)(void *ctx, const char *name, size_t len);

typedef struct {
    uint8_t op;
    uint32_t slot;
    double value;
} expr_step_t;

/* A parsed expression in postfix order. */
typedef struct {
    expr_step_t *steps; /* owned */
    size_t n, cap;
} expr_t;

/*
 * Parses all of text[0 .. len). RB_TRACE with the error and its place in the text; the caller adds
 * file and line.
 */
RB_CHECKED rb_code_t expr_parse(expr_t *e, const char *text, size_t len, expr_resolve_fn resolve,
                                void *ctx, rb_err_t *err);

void expr_free(expr_t *e);

/* Values of the variables by slot; call() computes functions and may be NULL if there are none. */
typedef struct {
    const double *vars;
    double (*call)(void *ctx, unsigned slot, double argument);
    void *ctx;
} expr_env_t;

/* Division by zero gives 0, so that a listing cannot crash the program. */
double expr_eval(const expr_t *e, const expr_env_t *env);

/* Converts a double to an integer; 0 if it has no integer value. */
int64_t expr_whole(double v);

#endif
