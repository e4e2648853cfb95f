#include "tests/support/emulator/op_numbers.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

float op_float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

uint32_t op_bits_of_float(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return isnan(f) ? 0x7fffffffu : bits;
}

double op_double_of(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

uint64_t op_bits_of_double(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

float op_float_source(const op_case_t *c, char source, uint32_t bits, bool ftz)
{
    if (op_abs(c, source))
        bits &= 0x7fffffffu;
    if (op_neg(c, source))
        bits ^= 0x80000000u;
    if (ftz && (bits & 0x7f800000u) == 0)
        bits &= 0x80000000u;
    return op_float_of(bits);
}

double op_double_source(const op_case_t *c, char source, const uint32_t *words)
{
    uint64_t bits = op_u64(words);

    if (op_abs(c, source))
        bits &= ~(1ull << 63);
    if (op_neg(c, source))
        bits ^= 1ull << 63;
    return op_double_of(bits);
}

double op_half_value(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = (double)fraction / 1024;

    if (exponent == 31)
        v = fraction != 0 ? (double)NAN : (double)INFINITY;
    else
        v = exponent == 0 ? ldexp(v, -14) : ldexp(1 + v, (int)exponent - 15);
    return bits & 0x8000 ? -v : v;
}

/* Finds the two neighbours by search, then takes the nearer one, or the one in the direction of
 * the mode. */
uint32_t op_half_bits(long double v, unsigned mode)
{
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    const long double m = fabsl(v);
    uint32_t low = 0, high = 0x7c00;

    if (isnan(v))
        return 0x7fff;
    while (high - low > 1) { /* low <= m < high, except for an infinite m */
        const uint32_t middle = (low + high) / 2;
        if ((long double)op_half_value(middle) <= m)
            low = middle;
        else
            high = middle;
    }
    if (isinf(v))
        return sign | 0x7c00;
    if ((long double)op_half_value(low) == m)
        return sign | low;
    const bool up = mode == (sign != 0 ? 1u : 2u);
    if (mode != 0)
        return sign | (up ? high : low);
    const long double above = high == 0x7c00 ? 65536 : (long double)op_half_value(high);
    const long double to_low = m - (long double)op_half_value(low), to_high = above - m;
    if (m >= 65536)
        return sign | 0x7c00;
    return sign | (to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high);
}

void op_round(unsigned mode)
{
    static const int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

    fesetround(modes[mode]);
}

bool op_same_double(const op_out_t *expected, const op_out_t *got)
{
    return isnan(op_double_of(op_u64(expected->d))) && isnan(op_double_of(op_u64(got->d))) &&
           memcmp(expected->d + 2, got->d + 2, 8) == 0 && expected->preds == got->preds;
}
