/* Binary search, for tables of any kind. */
#ifndef RUBATO_CORE_FIND_FIRST_H
#define RUBATO_CORE_FIND_FIRST_H

#include <stdint.h>

/*
 * Sets i, a size_t or uint64_t, to the first of from, from + 1, ... below to for which holds, an expression
 * in i, is true; where it is for none, to to, or to from if that is larger. Once true it must stay true.
 */
#define FIND_FIRST(i, from, to, holds)                                                             \
    do {                                                                                           \
        uint64_t find_low = (from), find_high = (to);                                              \
        while (find_low < find_high) {                                                             \
            (i) = find_low + (find_high - find_low) / 2;                                           \
            if (holds)                                                                             \
                find_high = (i);                                                                   \
            else                                                                                   \
                find_low = (i) + 1;                                                                \
        }                                                                                          \
        (i) = find_low;                                                                            \
    } while (0)

#endif
