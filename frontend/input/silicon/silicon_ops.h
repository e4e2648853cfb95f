/* The operations of parsed expressions: for the parser and the evaluation of silicon_expr.h. */
#ifndef RUBATO_SILICON_OPS_H
#define RUBATO_SILICON_OPS_H

#include "frontend/input/silicon/silicon_expr.h"

enum { OPS_MAX_STACK = 64 };

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
    OP_CEIL,
    OP_ABS,
    OP_MIX,
    OP_SQRT,
    OP_CBRT,
} op_t;

static inline bool ops_is_unary(op_t op)
{
    return op == OP_CALL || op == OP_NEG || op == OP_NOT || op >= OP_FLOOR;
}

#endif
