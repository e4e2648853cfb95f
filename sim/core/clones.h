/*
 * Functions that are also compiled for AVX-512 (x86-64-v4) and AVX2 (x86-64-v3); the dynamic linker
 * picks the version that fits the processor. With sanitizers, clang or
 * a C library whose loader cannot choose (musl) there is one version.
 */
#ifndef RUBATO_CORE_CLONES_H
#define RUBATO_CORE_CLONES_H

#include <stdint.h> /* for __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/* For loops over a few vectors, where 512 bits bring no gain. */
#define RB_CLONES_V3 __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define RB_CLONES
#define RB_CLONES_V3
#endif

/* For helpers of such functions: they must be inlined to be compiled for the same processor. */
#define RB_CLONE_PART static inline __attribute__((always_inline))

#endif
