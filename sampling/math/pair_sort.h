/*
 * Sorts (key, row) pairs by key; stable. A radix sort, so that 50 million launches take seconds;
 * short ranges use merge sort.
 */
#ifndef RUBATO_MATH_PAIR_SORT_H
#define RUBATO_MATH_PAIR_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n pairs in place; the scratch arrays have room for n each. */
void pair_sort(uint64_t *key, uint32_t *row, size_t n, uint64_t *key_scratch,
               uint32_t *row_scratch);

/* A key with the same order as the numbers; -0 and 0 are equal. x must not be NaN. */
uint64_t sort_key(double x);

/* The number of a key. */
double sort_value(uint64_t key);

#endif
