/*
 * Eight-bit floats: E5M2, whose bits are the upper ones of a half, and E4M3, which has no infinities
 * and one NaN ("FP8 Formats for Deep Learning", Micikevicius et al., 2022).
 */
#ifndef RUBATO_EMU_FP8_H
#define RUBATO_EMU_FP8_H

#include <math.h>
#include <stdbool.h>

#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_round.h"

enum { EMU_FP8_NAN = 0x7f, EMU_FP8_SIGN = 0x80 };

/* Rounds to nearest even; what is too large becomes the largest number. */
static inline uint32_t emu_double_to_fp8(double v, bool e4m3)
{
    const int mantissa = e4m3 ? 3 : 2, lowest = e4m3 ? -6 : -14;
    const double most = e4m3 ? 448 : 57344, size = fabs(v);
    int exponent;

    if (v != v)
        return EMU_FP8_NAN;
    const uint32_t sign = signbit(v) ? EMU_FP8_SIGN : 0;
    if (size >= most)
        return sign | (e4m3 ? 0x7e : 0x7b);
    frexp(size, &exponent);
    exponent = size == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    /* In units of the last place; a carry goes into the exponent. */
    const double units = ldexp(size, mantissa - exponent) + 0x1p52 - 0x1p52;
    return sign | (((uint32_t)(exponent - lowest) << mantissa) + (uint32_t)units);
}

/* As a half, exactly. */
static inline uint32_t emu_fp8_to_half(uint32_t byte, bool e4m3)
{
    const uint32_t size = byte & EMU_FP8_NAN, sign = (byte & EMU_FP8_SIGN) << 8;

    if (size > (e4m3 ? 0x7e : 0x7c))
        return 0x7fff;
    if (!e4m3)
        return sign | size << 8;
    /* The same fraction, with an exponent that is 8 more. */
    return sign | emu_double_to_half(emu_half_to_double(size << 7) * 256, EMU_RN);
}

#endif
