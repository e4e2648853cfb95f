/* Evaluation of expressions for the lanes of a warp at a time. */
#include <math.h>
#include <string.h>

#include "frontend/input/silicon/silicon_ops.h"
#include "sim/core/mix64.h"

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

static double apply_unary(op_t op, double v, const expr_env_t *env, unsigned slot)
{
    switch (op) {
    case OP_CALL:
        return env->call(env->ctx, slot, v);
    case OP_NEG:
        return -v;
    case OP_NOT:
        return (double)~expr_whole(v);
    case OP_FLOOR:
        return floor(v);
    case OP_CEIL:
        return ceil(v);
    case OP_ABS:
        return fabs(v);
    case OP_SQRT:
        return v > 0 ? sqrt(v) : 0;
    case OP_CBRT:
        return cbrt(v);
    case OP_MIX:
        return (double)(mix64((uint64_t)expr_whole(v) + MIX64_STEP) & 0xffffffffu);
    default:
        rb_panic("expression: operator %d does not take one value", (int)op);
    }
}

/* --- lanes ----------------------------------------------------------------------------------- */

void lane_value_spread(lane_value_t *v)
{
    if (!v->affine)
        return;
    v->affine = false;
    for (unsigned k = 0; k < EXPR_LANES; k++)
        v->lane[k] = v->base + v->stride * k;
}

/* base + lane * stride */
typedef struct {
    double base, stride;
} affine_t;

static bool is_uniform(const affine_t *v)
{
    return !(v->stride < 0 || v->stride > 0);
}

static double at_lane(const affine_t *v, unsigned lane)
{
    return v->base + v->stride * lane;
}

/* The quotient or rest of an affine value, if the quotient is the same from lane `first` to `last`. */
static bool divide_affine(op_t op, affine_t *a, double by, unsigned first, unsigned last)
{
    if (!expr_is_whole(a->base) || !expr_is_whole(a->stride) || !expr_is_whole(by) || by < 1)
        return false;
    int64_t q = floor_divide(expr_whole(at_lane(a, first)), expr_whole(by));

    if (q != floor_divide(expr_whole(at_lane(a, last)), expr_whole(by)))
        return false;
    if (op == OP_FLOORDIV)
        *a = (affine_t){(double)q, 0};
    else
        a->base -= (double)q * by;
    return true;
}

/* False: the result is not affine. */
static bool binary_affine(op_t op, affine_t *a, const affine_t *b, uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask), last = 31 - (unsigned)__builtin_clz(mask);
    double x, y;

    switch (op) {
    case OP_ADD:
        *a = (affine_t){a->base + b->base, a->stride + b->stride};
        return true;
    case OP_SUB:
        *a = (affine_t){a->base - b->base, a->stride - b->stride};
        return true;
    case OP_MUL:
        if (!is_uniform(a) && !is_uniform(b))
            return false;
        *a = (affine_t){a->base * b->base, a->base * b->stride + a->stride * b->base};
        return true;
    case OP_DIV:
        if (!is_uniform(b) || !(b->base < 0 || b->base > 0))
            break;
        *a = (affine_t){a->base / b->base, a->stride / b->base};
        return true;
    default:
        break;
    }
    if (is_uniform(a) && is_uniform(b)) {
        a->base = apply(op, a->base, b->base);
        return true;
    }
    switch (op) {
    case OP_MOD:
    case OP_FLOORDIV:
        return is_uniform(b) && divide_affine(op, a, b->base, first, last);
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE: /* changes at most once from the first lane to the last */
        x = apply(op, at_lane(a, first), at_lane(b, first));
        y = apply(op, at_lane(a, last), at_lane(b, last));
        if (x < y || x > y)
            return false;
        *a = (affine_t){x, 0};
        return true;
    default:
        return false;
    }
}

static bool unary_affine(const expr_step_t *s, affine_t *v, const expr_env_t *env)
{
    if (s->op == OP_NEG)
        *v = (affine_t){-v->base, -v->stride};
    else if (is_uniform(v))
        v->base = apply_unary((op_t)s->op, v->base, env, s->slot);
    else
        return false;
    return true;
}

/* Without arrays of lanes. False: the value, or one on the way to it, is not affine. */
static bool evaluate_affine(const expr_t *e, const expr_env_t *env, uint32_t mask,
                            lane_value_t *out)
{
    affine_t stack[OPS_MAX_STACK], *v = stack; /* v: after the last value */
    stack[0] = (affine_t){0};
    bool single = (mask & (mask - 1)) == 0;
    unsigned first = (unsigned)__builtin_ctz(mask);

    for (size_t i = 0; i < e->n; i++) {
        const expr_step_t *s = &e->steps[i];
        op_t op = (op_t)s->op;

        if (op == OP_NUMBER) {
            *v++ = (affine_t){s->value, 0};
        } else if (op == OP_VARIABLE && env->lane_vars == NULL) {
            *v++ = (affine_t){env->vars[s->slot], 0};
        } else if (op == OP_VARIABLE) {
            const lane_value_t *var = &env->lane_vars[s->slot];

            if (single)
                *v++ = (affine_t){lane_value_at(var, first), 0};
            else if (var->affine)
                *v++ = (affine_t){var->base, var->stride};
            else
                return false;
        } else if (op == OP_IF) {
            v -= 2;
            if (!is_uniform(&v[-1]))
                return false;
            v[-1] = v[-1].base < 0 || v[-1].base > 0 ? v[0] : v[1];
        } else if (ops_is_unary(op)) {
            if (!unary_affine(s, &v[-1], env))
                return false;
        } else {
            v--;
            if (!binary_affine(op, &v[-1], v, mask))
                return false;
        }
    }
    lane_value_set(out, stack[0].base, stack[0].stride);
    return true;
}

/* --- lanes that differ ----------------------------------------------------------------------- */

/* A value on the stack: affine, or one for each lane, of a variable or in the buffer of its place. */
typedef struct {
    const double *lane; /* NULL: affine */
    affine_t affine;
    double own[EXPR_LANES];
} operand_t;

static const double *lanes_of(operand_t *v)
{
    if (v->lane == NULL) {
        for (unsigned k = 0; k < EXPR_LANES; k++)
            v->own[k] = v->affine.base + v->affine.stride * k;
        v->lane = v->own;
    }
    return v->lane;
}

/* The lanes, to be changed. */
static double *own_lanes(operand_t *v)
{
    const double *lane = lanes_of(v);

    if (lane != v->own)
        memcpy(v->own, lane, sizeof(v->own));
    v->lane = v->own;
    return v->own;
}

/* The frequent operations, also on lanes that do not count: compilers vectorise the loops. False: another. */
static bool binary_all(op_t op, double *restrict a, const double *restrict b)
{
    switch (op) {
#define EACH(case_, value)                                                                         \
    case case_:                                                                                    \
        for (unsigned k = 0; k < EXPR_LANES; k++)                                                  \
            a[k] = (value);                                                                        \
        return true;
        EACH(OP_ADD, a[k] + b[k])
        EACH(OP_SUB, a[k] - b[k])
        EACH(OP_MUL, a[k] * b[k])
        EACH(OP_LT, a[k] < b[k] ? 1 : 0)
        EACH(OP_GT, a[k] > b[k] ? 1 : 0)
        EACH(OP_LE, a[k] <= b[k] ? 1 : 0)
        EACH(OP_GE, a[k] >= b[k] ? 1 : 0)
        EACH(OP_OR, (double)(expr_whole(a[k]) | expr_whole(b[k])))
        EACH(OP_AND, (double)(expr_whole(a[k]) & expr_whole(b[k])))
#undef EACH
    default:
        return false;
    }
}

static void binary(op_t op, operand_t *a, operand_t *b, uint32_t mask)
{
    if (a->lane == NULL && b->lane == NULL && binary_affine(op, &a->affine, &b->affine, mask))
        return;
    double *x = own_lanes(a);
    const double *y = lanes_of(b);

    if (binary_all(op, x, y))
        return;
    for (unsigned k = 0; k < EXPR_LANES; k++)
        x[k] = mask >> k & 1 ? apply(op, x[k], y[k]) : 0;
}

static void unary(const expr_step_t *s, operand_t *v, const expr_env_t *env, uint32_t mask)
{
    if (v->lane == NULL && unary_affine(s, &v->affine, env))
        return;
    double *x = own_lanes(v);

    for (unsigned k = 0; k < EXPR_LANES; k++)
        x[k] = mask >> k & 1 ? apply_unary((op_t)s->op, x[k], env, s->slot) : 0;
}

/* v[0] becomes v[1] where it is not 0, and v[2] elsewhere. */
static void choose(operand_t *v)
{
    double *x = own_lanes(&v[0]);
    const double *yes = lanes_of(&v[1]), *no = lanes_of(&v[2]);

    for (unsigned k = 0; k < EXPR_LANES; k++)
        x[k] = x[k] < 0 || x[k] > 0 ? yes[k] : no[k];
}

static void push_variable(const lane_value_t *var, operand_t *out)
{
    out->lane = var->affine ? NULL : var->lane;
    out->affine = (affine_t){var->base, var->stride};
}

void expr_eval_lanes(const expr_t *e, const expr_env_t *env, uint32_t mask, lane_value_t *out)
{
    operand_t stack[OPS_MAX_STACK], *v = stack; /* v: after the last value */

    if (evaluate_affine(e, env, mask, out))
        return;
    for (size_t i = 0; i < e->n; i++) {
        const expr_step_t *s = &e->steps[i];
        op_t op = (op_t)s->op;

        if (op == OP_NUMBER) {
            v->lane = NULL;
            v++->affine = (affine_t){s->value, 0};
        } else if (op == OP_VARIABLE) {
            push_variable(&env->lane_vars[s->slot], v++);
        } else if (op == OP_IF) {
            v -= 2;
            choose(&v[-1]);
        } else if (ops_is_unary(op)) {
            unary(s, &v[-1], env, mask);
        } else {
            v--;
            binary(op, &v[-1], v, mask);
        }
    }
    if (stack[0].lane == NULL) {
        lane_value_set(out, stack[0].affine.base, stack[0].affine.stride);
        return;
    }
    out->affine = false;
    memcpy(out->lane, stack[0].lane, sizeof(out->lane));
}

double expr_eval(const expr_t *e, const expr_env_t *env)
{
    lane_value_t v;

    expr_eval_lanes(e, env, 1, &v);
    return lane_value_at(&v, 0);
}
