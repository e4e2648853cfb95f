/*
 * Uneven lengths, of the blocks of a launch or of the launches of a program. All come from one
 * rank, so that the order alone says where the long ones stand. Only arithmetic that is the same
 * on every host.
 */
#ifndef RUBATO_GEN_UNEVEN_H
#define RUBATO_GEN_UNEVEN_H

#include <stdint.h>

enum { GEN_MAX_TAIL = 4, GEN_UNEVEN_MAX = 100000 };

typedef enum {
    GEN_ORDER_RANDOM,
    GEN_ORDER_LONG_FIRST,
    GEN_ORDER_LONG_LAST,
    GEN_ORDER_LONG_MIDDLE,
    GEN_N_ORDERS
} gen_order_t;

typedef struct {
    uint64_t usual;  /* length of the shortest; with spread: of the middle one */
    uint64_t spread; /* % of it by which lengths differ evenly in both directions */
    /* 0, or a power law: one in x is (x to the power of tail / 4) times as long. */
    uint64_t tail;
    uint64_t share; /* per mille that are ratio times as long; 0: one of all */
    uint64_t ratio;
    gen_order_t order;
    uint64_t seed;
} gen_uneven_t;

/* Length of item i of n: 1 .. GEN_UNEVEN_MAX. */
uint64_t gen_uneven_length(const gen_uneven_t *u, uint64_t i, uint64_t n);

#endif
