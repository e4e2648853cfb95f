#include "frontend/input/rbt/rbt_checksum.h"

#include <string.h>

static const uint64_t P1 = 0x9e3779b185ebca87u, P2 = 0xc2b2ae3d27d4eb4fu, P3 = 0x165667b19e3779f9u,
                      P4 = 0x85ebca77c2b2ae63u, P5 = 0x27d4eb2f165667c5u;

static uint64_t rotate(uint64_t v, unsigned n)
{
    return v << n | v >> (64 - n);
}

static uint64_t read_u64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static uint64_t round_of(uint64_t acc, uint64_t v)
{
    return rotate(acc + v * P2, 31) * P1;
}

static uint64_t merge(uint64_t h, uint64_t acc)
{
    return (h ^ round_of(0, acc)) * P1 + P4;
}

/* Adds the bytes after the last full stripe of 32. */
static uint64_t add_rest(uint64_t h, const uint8_t *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8)
        h = rotate(h ^ round_of(0, read_u64(p)), 27) * P1 + P4;
    if (n >= 4) {
        uint32_t v;

        memcpy(&v, p, sizeof(v));
        h = rotate(h ^ v * P1, 23) * P2 + P3;
        p += 4;
        n -= 4;
    }
    for (; n > 0; p++, n--)
        h = rotate(h ^ *p * P5, 11) * P1;
    return h;
}

uint64_t rbt_checksum(const void *data, size_t n)
{
    const uint8_t *p = data;
    size_t left = n;
    uint64_t h = P5;

    if (n >= 32) {
        uint64_t acc[4] = {P1 + P2, P2, 0, 0 - P1};

        for (; left >= 32; left -= 32)
            for (unsigned i = 0; i < 4; i++, p += 8)
                acc[i] = round_of(acc[i], read_u64(p));
        h = rotate(acc[0], 1) + rotate(acc[1], 7) + rotate(acc[2], 12) + rotate(acc[3], 18);
        for (unsigned i = 0; i < 4; i++)
            h = merge(h, acc[i]);
    }
    h = add_rest(h + n, p, left);
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}
