/* The compression function of SHA-256, portable and with special instructions. For sha256.c. */
#ifndef RUBATO_CORE_SHA256_BLOCKS_H
#define RUBATO_CORE_SHA256_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Adds n blocks of 64 bytes to the state. */
typedef void (*sha256_blocks_fn)(uint32_t state[8], const uint8_t *data, size_t n);

void sha256_blocks_portable(uint32_t state[8], const uint8_t *data, size_t n);

/* With the processor's SHA instructions; NULL if it has none that this file knows. */
sha256_blocks_fn sha256_blocks_native(void);

/* Fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
extern const uint32_t sha256_round_constant[64];

#endif
