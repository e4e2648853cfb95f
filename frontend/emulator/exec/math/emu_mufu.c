/*
 * MUFU: functions that the hardware approximates. They are computed in double precision, with
 * relative errors below 2^-40, and rounded: within 0.51 ulp of the exact result. The hardware's
 * tables are documented to be within 1 to 2 ulp. Denormal arguments and results are zero.
 */
#include <math.h>

#include "frontend/emulator/exec/math/emu_float.h"
#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_round.h"

/* In the order of the encoding. The arguments of COS and SIN are in turns. */
typedef enum {
    MUFU_COS,
    MUFU_SIN,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_SQRT,
    MUFU_TANH,
    MUFU_COUNT
} mufu_t;

EMU_INLINE uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

EMU_INLINE double double_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* 2^n times the power series of 2^r, where n is the nearest integer and |r| at most 1/2. */
EMU_INLINE float exp2_of(float x)
{
    const double ln2 = 0x1.62e42fefa39efp-1;
    double v = (double)x, sum;

    v = v > 200 ? 200 : v;
    v = v < -200 ? -200 : v;
    const double n = __builtin_rint(v), t = (v - n) * ln2;
    sum = 1.0 / 3628800;
    sum = sum * t + 1.0 / 362880;
    sum = sum * t + 1.0 / 40320;
    sum = sum * t + 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1;
    sum = sum * t + 1;
    return (float)(sum * double_of((bits_of(n + 0x1.8p52) + 1023) << 52));
}

/* x = 2^e m with m near 1, and ln m = 2 artanh s, s = (m - 1) / (m + 1). */
EMU_INLINE float log2_of(float x)
{
    const double per_ln2 = 0x1.71547652b82fep0;
    const uint64_t bits = bits_of((double)x);
    /* the exponent of x / sqrt(1/2) puts m between sqrt(1/2) and sqrt(2) */
    const uint64_t e = (bits - 0x3fe6a09e667f3bcdull) & 0xfff0000000000000ull;
    const double m = double_of(bits - e), s = (m - 1) / (m + 1), q = s * s;
    double sum = 1.0 / 17;

    sum = sum * q + 1.0 / 15;
    sum = sum * q + 1.0 / 13;
    sum = sum * q + 1.0 / 11;
    sum = sum * q + 1.0 / 9;
    sum = sum * q + 1.0 / 7;
    sum = sum * q + 1.0 / 5;
    sum = sum * q + 1.0 / 3;
    sum = sum * q + 1;
    double exponent = (double)((int32_t)(e >> 32) >> 20), r = exponent + 2 * s * sum * per_ln2;
    r = x == 0 ? -(double)INFINITY : r;
    r = x > 0x1.fffffep127f ? (double)INFINITY : r;
    return x >= 0 ? (float)r : NAN;
}

/* Single precision plus a Newton step in double precision; 0, infinities and NaN need none. */
EMU_INLINE float reciprocal_root_of(float x)
{
    const double y = (double)(1.0f / __builtin_sqrtf(x)), v = (double)x;

    return y > 0 && y < (double)INFINITY ? (float)(y * (1.5 - 0.5 * v * y * y)) : (float)y;
}

/* The sine of at most a quarter turn. */
EMU_INLINE float sine_of_turns(double t)
{
    const double y = t * 0x1.921fb54442d18p2, q = y * y;
    double sum = -1.0 / 121645100408832000;

    sum = sum * q + 1.0 / 355687428096000;
    sum = sum * q - 1.0 / 1307674368000;
    sum = sum * q + 1.0 / 6227020800;
    sum = sum * q - 1.0 / 39916800;
    sum = sum * q + 1.0 / 362880;
    sum = sum * q - 1.0 / 5040;
    sum = sum * q + 1.0 / 120;
    sum = sum * q - 1.0 / 6;
    return (float)(y + y * q * sum);
}

EMU_INLINE float sine_of(float x)
{
    const double v = (double)x, t = v - __builtin_rint(v);
    const double folded = t > 0.25 ? 0.5 - t : t < -0.25 ? -0.5 - t : t;

    return sine_of_turns(folded == 0 ? v * 0.0 : folded); /* zero keeps its sign */
}

EMU_INLINE float cosine_of(float x)
{
    const double v = (double)x, t = v - __builtin_rint(v);

    return sine_of_turns(0.25 - __builtin_fabs(t));
}

#define MUFU(name, value)                                                                          \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        const uint32_t *s = emu_src(w, u, 0);                                                      \
        const emu_extras_t e = emu_extras_of(u);                                                   \
        uint32_t r[EMU_LANES];                                                                     \
        for (unsigned k = 0; k < EMU_LANES; k++) {                                                 \
            const float x = emu_source(&e, 0, s[k]);                                               \
            r[k] = emu_finished(&e, (value));                                                      \
        }                                                                                          \
        emu_put(w, u->d, r, mask);                                                                 \
    }

MUFU(cosine, cosine_of(x))
MUFU(sine, sine_of(x))
MUFU(exp2_all, exp2_of(x))
MUFU(log2_all, log2_of(x))
MUFU(reciprocal, 1.0f / x)
MUFU(reciprocal_root, reciprocal_root_of(x))
MUFU(root, __builtin_sqrtf(x))
MUFU(tangent, (float)tanh((double)x))

/* Takes the upper word of a double and returns the upper word of the approximation. */
static void mufu_double(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, true, a);
    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t bits = (uint64_t)a[k] << 32;
        double d;
        memcpy(&d, &bits, sizeof(d));
        d = u->select == MUFU_RCP64H ? 1.0 / d : 1.0 / sqrt(d);
        memcpy(&bits, &d, sizeof(d));
        r[k] = (uint32_t)(bits >> 32);
    }
    emu_put(w, u->d, r, mask);
}

/* A half of a register as source; the result is a half. */
static void mufu_half(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t r[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        const uint32_t word = emu_src(w, u, 0)[k], bits = u->imm2 ? word >> 16 : word & 0xffff;
        const float sign = u->xm[0] != 0 ? -1.0f : 1.0f;
        float x = (float)emu_half_to_double(bits);
        x = sign * (u->am[0] != EMU_ALL ? fabsf(x) : x);
        r[k] = emu_double_to_half((double)(u->select == MUFU_EX2 ? exp2_of(x) : tanhf(x)), EMU_RN);
    }
    emu_put(w, u->d, r, mask);
}

bool emu_bind_mufu(const sass_inst_t *in, emu_uop_t *u)
{
    static const emu_fn_t functions[MUFU_COUNT] = {
        cosine,          sine,        exp2_all,    log2_all, reciprocal,
        reciprocal_root, mufu_double, mufu_double, root,     tangent};

    u->select = (uint8_t)sass_bits(in, 74, 4);
    u->ftz = true;
    if (in->op != SASS_MUFU || u->select >= MUFU_COUNT)
        return false;
    u->fn = functions[u->select];
    if (sass_bits(in, 73, 1)) {
        u->imm2 = in->operand[1].select == 1;
        u->fn = mufu_half;
        return u->select == MUFU_EX2 || u->select == MUFU_TANH;
    }
    return true;
}
