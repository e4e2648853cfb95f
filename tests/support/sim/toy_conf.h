/* A table of parameters of every type, for tests of the machinery of configurations. */
#ifndef RUBATO_TESTS_TOY_CONF_H
#define RUBATO_TESTS_TOY_CONF_H

#include "sim/conf/conf.h"

#define TOY_PARAMS(P, E, T)                                                                        \
    T(label, "toy \"one\"", "a name")                                                              \
    P(U32, ways, "16", 1, 64, "ways", "associativity")                                             \
    P(U32, wide, "4000000000", 0, 4294967295u, "", "needs all 32 bits")                            \
    P(U64, total, "5000000000", 0, 1e18, "items", "needs more than 32 bits")                       \
    P(SIZE, size, "1.5MiB", 1024, 1ull << 40, "bytes", "capacity")                                 \
    P(F64, clock, "877.5", 1, 100000, "MHz", "clock")                                              \
    P(BOOL, fast, "true", 0, 1, "", "")                                                            \
    P(SIZES, cuts, "0,8KiB,64KiB", 0, 1 << 20, "bytes", "legal cuts")                              \
    E(policy, policy_choices, "srrip", "victim")
PARAM_STRUCT(toy_t, TOY_PARAMS);

#define OTHER_PARAMS(P, E, T) P(U32, depth, "1", 0, 10, "levels", "")
PARAM_STRUCT(other_t, OTHER_PARAMS);

typedef struct {
    toy_t toy;
    other_t other;
} toy_conf_t;

/* Fills *out from the loaded and set values. */
RB_CHECKED rb_code_t toy_apply(conf_t *c, toy_conf_t *out, rb_err_t *err);

#endif
