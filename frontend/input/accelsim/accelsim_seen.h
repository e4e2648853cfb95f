/*
 * Which blocks of a launch have been met: a set of their numbers. Grids of 2^40 blocks may be
 * declared, so memory goes by what is there: a byte or less for each block of a whole grid.
 */
#ifndef RUBATO_ACCELSIM_SEEN_H
#define RUBATO_ACCELSIM_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 neighbours. */
typedef struct {
    uint64_t place; /* number / 64 */
    uint64_t bits;  /* 0: not in use */
} seen_word_t;

/* Begins zeroed. */
typedef struct {
    seen_word_t *words; /* owned: a hash table with open addressing */
    size_t n, cap;      /* cap: 0 or a power of two, above 2 n */
} accelsim_seen_t;

/* Takes a number in; false: it is there already. */
bool accelsim_seen_add(accelsim_seen_t *s, uint64_t number);

void accelsim_seen_free(accelsim_seen_t *s);

#endif
