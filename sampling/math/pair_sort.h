/*
 * Sorting of (key, row) pairs by key; equal keys keep their order. A radix sort, so that 50 million
 * launches take seconds; short ranges are merged.
 */
#ifndef RUBATO_MATH_PAIR_SORT_H
#define RUBATO_MATH_PAIR_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n pairs in place; the scratch arrays have room for n each. */
void pair_sort(uint64_t *key, uint32_t *row, size_t n, uint64_t *key_scratch,
               uint32_t *row_scratch);

/* Key that orders as the number does; -0 and 0 are equal. x is not NaN. */
uint64_t sort_key(double x);

/* The number of a key. */
double sort_value(uint64_t key);

#endif
