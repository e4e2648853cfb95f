/*
 * FNV-1a, 64 bits (Fowler, Noll, Vo): for hash tables and identity numbers. It does not resist
 * deliberate collisions.
 */
#ifndef RUBATO_CORE_FNV_H
#define RUBATO_CORE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* Continues from hash; start with FNV_START. */
static inline uint64_t fnv_bytes(uint64_t hash, const void *data, size_t n)
{
    const uint8_t *byte = data;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same for a string, without its NUL. */
static inline uint64_t fnv_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = fnv_bytes(hash, text, 1);
    return hash;
}

#endif
