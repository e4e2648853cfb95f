/*
 * Functions that are compiled for AVX-512 (v4) and AVX2 (v3) too, of which the right version is
 * taken when the program starts. Sanitizers and clang do without, and C libraries whose loader cannot
 * choose (musl).
 */
#ifndef RUBATO_CORE_CLONES_H
#define RUBATO_CORE_CLONES_H

#include <stdint.h> /* for __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/* For a handful of vectors, where 512 bits bring nothing. */
#define RB_CLONES_V3 __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define RB_CLONES
#define RB_CLONES_V3
#endif

/* Their parts, which must be compiled with them. */
#define RB_CLONE_PART static inline __attribute__((always_inline))

#endif
