/* Half precision (IEEE binary16) as doubles, which hold sums and products of two halves exactly. */
#ifndef RUBATO_EMU_HALF_H
#define RUBATO_EMU_HALF_H

#include <stdint.h>
#include <string.h>

double emu_half_to_double(uint32_t bits);

/* Rounds in a mode of emu_round.h; NaN becomes 0x7fff. */
uint32_t emu_double_to_half(double v, unsigned mode);

/*
 * Converts halves at a bit of 32 words to floats: exact, in loops that the compiler vectorises. The
 * exponent gets its new bias; denormals are computed as fractions above 2^-14.
 */
static inline __attribute__((always_inline)) void
emu_halves_to_floats(const uint32_t v[32], unsigned shift, float out[32])
{
    typedef float __attribute__((may_alias)) view_t;
    uint32_t wide[32], raised[32], r[32];
    const view_t *f = (const view_t *)raised;
    view_t *small = (view_t *)r;

    for (int k = 0; k < 32; k++) {
        wide[k] = ((v[k] >> shift & 0x7fff) << 13) + (112u << 23);
        raised[k] = wide[k] + (1u << 23);
    }
    for (int k = 0; k < 32; k++)
        small[k] = f[k] - 0x1p-14f;
    for (int k = 0; k < 32; k++) {
        uint32_t x = wide[k] < 113u << 23 ? r[k] : wide[k];
        x += wide[k] >= 143u << 23 ? 112u << 23 : 0;
        r[k] = x | (v[k] >> shift & 0x8000) << 16;
    }
    memcpy(out, r, sizeof(r));
}

/* Rounds to nearest: adding and subtracting a power of two leaves 11 bits, or units of 2^-24. */
static inline __attribute__((always_inline)) uint32_t emu_round_to_half(double v)
{
    uint64_t bits, exponent, magic_bits;
    double magnitude = __builtin_fabs(v), magic;

    memcpy(&bits, &magnitude, sizeof(bits));
    exponent = bits >> 52 > 1023 - 14 ? bits >> 52 : 1023 - 14;
    magic_bits = (exponent < 1100 ? exponent + 42 : 1142) << 52;
    memcpy(&magic, &magic_bits, sizeof(magic));
    float f = (float)((magnitude + magic) - magic);
    uint32_t r, sign;
    memcpy(&r, &f, sizeof(r));
    uint32_t half = f < 0x1p-14f ? (uint32_t)(int32_t)(f * 0x1p24f) : (r >> 13) - (112u << 10);
    half = f >= 65536.0f ? 0x7c00 : half;
    memcpy(&bits, &v, sizeof(bits));
    sign = (uint32_t)(bits >> 63) << 15;
    return v == v ? half | sign : 0x7fff;
}

#endif
