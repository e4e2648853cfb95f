/* Prefetches host memory that is about to be used. No result depends on it. */
#ifndef RUBATO_CORE_PREFETCH_H
#define RUBATO_CORE_PREFETCH_H

#include <stddef.h>

/* Prefetches the lines of [p, p + bytes) for writing. bytes is mostly constant: then there is no
 * loop. */
static inline __attribute__((always_inline)) void prefetch_range(const void *p, size_t bytes)
{
    enum { HOST_LINE = 64 };
#pragma GCC unroll 32
    for (size_t i = 0; i < bytes; i += HOST_LINE)
        __builtin_prefetch((const char *)p + i, 1);
}

#endif
