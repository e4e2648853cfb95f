/*
 * SHA-256 (FIPS 180-4): identity of traces and configurations in the results.
 */
#ifndef RUBATO_CORE_SHA256_H
#define RUBATO_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_TEXT = 65 };

typedef struct {
    uint32_t state[8];
    uint64_t bytes; /* hashed so far */
    uint8_t block[64];
} sha256_t;

void sha256_init(sha256_t *s);

/* May be called any number of times; data may be NULL if n is 0. */
void sha256_update(sha256_t *s, const void *data, size_t n);

/* Finishes the hash. s must be initialised again before the next one. */
void sha256_final(sha256_t *s, uint8_t digest[SHA256_BYTES]);

/* As sha256_final(), as 64 lower-case hexadecimal digits and a NUL. */
void sha256_final_text(sha256_t *s, char text[SHA256_TEXT]);

#endif
