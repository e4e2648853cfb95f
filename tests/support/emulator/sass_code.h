/* Encodings of instructions for sm_70 and sm_75, for kernels that a test assembles itself. */
#ifndef RUBATO_TESTS_SASS_CODE_H
#define RUBATO_TESTS_SASS_CODE_H

#include "tests/support/emulator/sass_lab.h"

static inline sass_code_t sass_code_tid_to(unsigned d)
{
    return (sass_code_t){0x7919 | (uint64_t)d << 16, 0x2100};
}

static inline sass_code_t sass_code_number_to(unsigned d, uint32_t v)
{
    return (sass_code_t){0x7802 | (uint64_t)d << 16 | (uint64_t)v << 32, 0xf00};
}

/* d = a * b + c[0][offset], 64 bits */
static inline sass_code_t sass_code_address_to(unsigned d, unsigned a, unsigned b, unsigned offset)
{
    return (sass_code_t){0x7625 | (uint64_t)d << 16 | (uint64_t)a << 24 |
                             (uint64_t)(offset / 4) << 40,
                         0x078e0200 | b};
}

/* A byte without a sign, two bytes with one, or words. */
static inline uint64_t sass_code_size(unsigned width)
{
    return (width == 1 ? 0u : width == 2 ? 3u : width == 4 ? 4u : width == 8 ? 5u : 6u) << 9;
}

static inline sass_code_t sass_code_load_to(unsigned d, unsigned a, unsigned width)
{
    return (sass_code_t){0x7381 | (uint64_t)d << 16 | (uint64_t)a << 24,
                         0x1ee100 | sass_code_size(width)};
}

static inline sass_code_t sass_code_store_from(unsigned d, unsigned a, unsigned width)
{
    return (sass_code_t){0x7386 | (uint64_t)a << 24 | (uint64_t)d << 32,
                         0x10e100 | sass_code_size(width)};
}

/* MUFU: function in the order of the encoding. */
static inline sass_code_t sass_code_mufu(unsigned function, unsigned d, unsigned b)
{
    return (sass_code_t){0x7308 | (uint64_t)d << 16 | (uint64_t)b << 32, (uint64_t)function << 10};
}

#endif
