#include "sim/core/files/sha256.h"

#include <stdatomic.h>
#include <string.h>

#include "sim/core/files/sha256_blocks.h"

/* The fastest implementation for this processor. Threads may detect it concurrently, with one
 * result. */
static sha256_blocks_fn blocks(void)
{
    static _Atomic(sha256_blocks_fn) known;
    sha256_blocks_fn best = atomic_load_explicit(&known, memory_order_relaxed);
    if (best == NULL) {
        best = sha256_blocks_native();
        best = best != NULL ? best : sha256_blocks_portable;
        atomic_store_explicit(&known, best, memory_order_relaxed);
    }
    return best;
}

void sha256_init(sha256_t *s)
{
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, initial, sizeof(initial));
    s->bytes = 0;
}

void sha256_update(sha256_t *s, const void *data, size_t n)
{
    const uint8_t *p = data;
    size_t fill = (size_t)(s->bytes % 64);
    s->bytes += n;
    if (fill && n >= 64 - fill) {
        memcpy(s->block + fill, p, 64 - fill);
        blocks()(s->state, s->block, 1);
        p += 64 - fill;
        n -= 64 - fill;
        fill = 0;
    }
    if (!fill && n >= 64) {
        blocks()(s->state, p, n / 64);
        p += n / 64 * 64;
        n %= 64;
    }
    if (n)
        memcpy(s->block + fill, p, n);
}

void sha256_final(sha256_t *s, uint8_t digest[SHA256_BYTES])
{
    uint64_t bits = s->bytes * 8;
    size_t fill = (size_t)(s->bytes % 64);
    uint8_t tail[128] = {0x80};
    size_t n = (fill < 56 ? 56 : 120) - fill; // 0x80 and zeros up to the length field
    for (size_t i = 0; i < 8; i++)
        tail[n + i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_update(s, tail, n + 8);
    for (size_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_final_text(sha256_t *s, char text[SHA256_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    uint8_t digest[SHA256_BYTES];
    sha256_final(s, digest);
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        text[2 * i] = hex[digest[i] >> 4];
        text[2 * i + 1] = hex[digest[i] & 15];
    }
    text[64] = '\0';
}
