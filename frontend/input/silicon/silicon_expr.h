/*
 * Arithmetic in listings: addresses, loop counts, conditions, and the value of a test.
 *
 *   |  ^  &   == != < <= > >=   << >>   + -   * / // %   unary - ~   ( )   names   calls
 *
 * from the weakest to the strongest. Values are doubles, exact for integers up to 2^53; bit
 * operations, // (division rounded down) and % use integers. Numbers are decimal or 0x..., with an
 * optional suffix Ki, Mi, Gi, k, M or G. Calls: min(a, b), max(a, b), if(c, a, b), floor(x), ceil(x),
 * abs(x), sqrt(x), cbrt(x), mix(x) (32 well-mixed bits), perm(i, n) (the image of i under a fixed permutation of
 * 0 .. n-1), and those that the caller defines.
 */
#ifndef RUBATO_SILICON_EXPR_H
#define RUBATO_SILICON_EXPR_H

#include <math.h>
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

enum { EXPR_LANES = 32 };

/* A value in each lane of a warp: base + lane * stride, or one for each. */
typedef struct {
    bool affine;
    double base, stride;
    double lane[EXPR_LANES]; /* unless affine */
} lane_value_t;

/* The variables by slot: one of the two; call() computes functions and may be NULL if there are none. */
typedef struct {
    const double *vars;
    const lane_value_t *lane_vars;
    double (*call)(void *ctx, unsigned slot, double argument);
    void *ctx;
} expr_env_t;

/* Division by zero gives 0, so that a listing cannot crash the program. */
double expr_eval(const expr_t *e, const expr_env_t *env);

/* The value in the lanes of the mask, of which there is at least one; other lanes are undefined. */
void expr_eval_lanes(const expr_t *e, const expr_env_t *env, uint32_t mask, lane_value_t *out);

/* The value of one lane. */
static inline double lane_value_at(const lane_value_t *v, unsigned lane)
{
    return v->affine ? v->base + v->stride * lane : v->lane[lane];
}

/* Keeps one value for each lane. */
void lane_value_spread(lane_value_t *v);

/* The same in all lanes. */
static inline bool lane_value_is_uniform(const lane_value_t *v)
{
    return v->affine && !(v->stride < 0 || v->stride > 0);
}

static inline void lane_value_set(lane_value_t *v, double base, double stride)
{
    v->affine = true;
    v->base = base;
    v->stride = stride;
}

/* Converts a double to an integer; 0 if it has no integer value. */
static inline int64_t expr_whole(double v)
{
    return v > -0x1p53 && v < 0x1p53 ? (int64_t)v : 0;
}

static inline bool expr_is_whole(double v)
{
    return !(v < floor(v) || v > floor(v));
}

#endif
