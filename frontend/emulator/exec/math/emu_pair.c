/*
 * Pairs of halves or bf16 values, as Ampere adds them: HFMA2 of bf16, with .RELU and with the sign of
 * one half changed, HMNMX2; packing of floats by F2FP, also of eight bits.
 */
#include <math.h>

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/math/emu_bf16.h"
#include "frontend/emulator/exec/math/emu_fp8.h"
#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_round.h"
#include "frontend/emulator/sass/sass_operands.h"

enum { NOT_A_NUMBER = 0x7fff, SIGN = 0x8000 };

/* Both values of source i in a lane, as bits of 16, without signs and absolute values. */
static void read_pair(const emu_warp_t *w, const emu_uop_t *u, unsigned i, unsigned k,
                      uint32_t bits[2])
{
    const uint32_t word = emu_src(w, u, i)[k];
    const unsigned half = u->imm >> (2 * i) & 3;

    bits[0] = half == SASS_H1_H1 ? word >> 16 : word & 0xffff;
    bits[1] = half == SASS_H0_H0 ? word & 0xffff : word >> 16;
}

static double value_of(uint32_t bits, bool bf16)
{
    return bf16 ? (double)emu_bf16_to_float(bits, 0) : emu_half_to_double(bits);
}

static double modified(const emu_uop_t *u, unsigned i, unsigned half, double v)
{
    if (u->am[i] != EMU_ALL)
        v = fabs(v);
    if (u->xm[i] != 0)
        v = -v;
    if (i == 1 && half == 1 && u->is_signed) /* .H0_NH1 */
        v = -v;
    return u->ftz && fabs(v) < 0x1p-14 ? copysign(0, v) : v;
}

/* a * b + c with a last bit that tells whether it is exact, so that rounding it again is right. */
static double sum_to_odd(double product, double c)
{
    const double sum = product + c, back = sum - product;
    const double rest = (product - (sum - back)) + (c - back);
    uint64_t bits;

    if (rest == 0 || isnan(rest) || isinf(sum))
        return sum;
    memcpy(&bits, &sum, sizeof(bits));
    if ((bits & 1) == 0)
        bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
    double odd;
    memcpy(&odd, &bits, sizeof(odd));
    return odd;
}

/* Rounds to 8 significant bits, fewer below 2^-126. */
static uint32_t double_to_bf16(double v)
{
    int exponent;

    if (isnan(v))
        return NOT_A_NUMBER;
    if (v == 0 || isinf(v))
        return emu_float_bits((float)v) >> 16;
    frexp(v, &exponent);
    const int unit = exponent < -125 ? -133 : exponent - 8;
    return emu_float_bits((float)ldexp(nearbyint(ldexp(v, -unit)), unit)) >> 16;
}

static uint32_t to_bits(const emu_uop_t *u, double v, bool bf16, bool relu)
{
    if (u->sat)
        v = v > 0 ? (v < 1 ? v : 1) : 0;
    uint32_t bits = bf16 ? double_to_bf16(v) : emu_double_to_half(v, EMU_RN);
    if (u->ftz && (bits & 0x7c00) == 0)
        bits &= SIGN;
    return relu && bits & SIGN ? 0 : bits;
}

static void fma_pair(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const bool bf16 = u->sass->op == SASS_HFMA2_BF16, relu = u->select;
    uint32_t r[EMU_LANES], a[2], b[2], c[2];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        r[k] = 0;
        read_pair(w, u, 0, k, a);
        read_pair(w, u, 1, k, b);
        read_pair(w, u, 2, k, c);
        for (unsigned h = 0; h < 2; h++) {
            const double product =
                modified(u, 0, h, value_of(a[h], bf16)) * modified(u, 1, h, value_of(b[h], bf16));
            const double v = sum_to_odd(product, modified(u, 2, h, value_of(c[h], bf16)));
            r[k] |= to_bits(u, v, bf16, relu) << 16 * h;
        }
    }
    emu_put(w, u->d, r, mask);
}

/* --- minimum and maximum --------------------------------------------------------------------- */

/* PTX ISA, min and max: -0 is below 0; one NaN is left out, unless .NaN. */
static uint32_t smaller(uint32_t x, uint32_t y, const double v[2], bool minimum, bool nan_wins)
{
    const bool nan0 = isnan(v[0]), nan1 = isnan(v[1]);

    if ((nan0 && nan1) || (nan_wins && (nan0 || nan1)))
        return NOT_A_NUMBER;
    if (nan0 || nan1)
        return nan0 ? y : x;
    const bool below = v[0] < v[1] || (v[0] == v[1] && signbit(v[0]));
    return below == minimum ? x : y;
}

static void min_pair(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const bool bf16 = sass_is_bf16(u->sass), nan_wins = u->select & 1, sign_apart = u->select & 2;
    const uint32_t minimum = emu_pred(w, u, 0);
    uint32_t r[EMU_LANES], bits[2][2];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        r[k] = 0;
        read_pair(w, u, 0, k, bits[0]);
        read_pair(w, u, 1, k, bits[1]);
        for (unsigned h = 0; h < 2; h++) {
            uint32_t x[2];
            double v[2];
            for (unsigned i = 0; i < 2; i++) {
                v[i] = modified(u, i, h, value_of(bits[i][h], bf16));
                x[i] = bf16 ? double_to_bf16(v[i]) : emu_double_to_half(v[i], EMU_RN);
            }
            uint32_t one = smaller(x[0], x[1], v, minimum >> k & 1, nan_wins);
            if (sign_apart && one != NOT_A_NUMBER)
                one = (one & ~(uint32_t)SIGN) | ((bits[0][h] ^ bits[1][h]) & SIGN);
            r[k] |= one << 16 * h;
        }
    }
    emu_put(w, u->d, r, mask);
}

/* FMNMX.NAN and .XORSIGN. */
static void min_float(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const bool nan_wins = u->select & 1, sign_apart = u->select & 2;
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), minimum = emu_pred(w, u, 0);
    uint32_t x[EMU_LANES], y[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, true, x);
    emu_load(w, u, 1, true, y);
    for (unsigned k = 0; k < EMU_LANES; k++) {
        if (u->ftz && (x[k] & 0x7f800000u) == 0)
            x[k] &= 0x80000000u;
        if (u->ftz && (y[k] & 0x7f800000u) == 0)
            y[k] &= 0x80000000u;
        const float v[2] = {emu_float(x[k]), emu_float(y[k])};
        const bool nan0 = isnan(v[0]), nan1 = isnan(v[1]);
        const bool below = v[0] < v[1] || (v[0] == v[1] && signbit(v[0]));
        const bool none = (nan0 && nan1) || (nan_wins && (nan0 || nan1));
        r[k] = nan0 ? y[k] : nan1 ? x[k] : below == (minimum >> k & 1) ? x[k] : y[k];
        if (sign_apart)
            r[k] = (r[k] & 0x7fffffffu) | ((a[k] ^ b[k]) & 0x80000000u);
        r[k] = none ? 0x7fffffffu : r[k];
    }
    emu_put(w, u->d, r, mask);
}

/* --- packing --------------------------------------------------------------------------------- */

/* Bits of u->select. */
enum { PACK_RELU = 1, PACK_BF16 = 2, PACK_MERGE = 4, PACK_RZ = 8 };

EMU_INLINE uint32_t packed(uint32_t word, unsigned how)
{
    const uint32_t bits = how & PACK_BF16 ? emu_float_to_bf16(word, (how & PACK_RZ) != 0)
                                          : emu_double_to_half((double)emu_float(word),
                                                               how & PACK_RZ ? EMU_RZ : EMU_RN);

    return how & PACK_RELU && bits & SIGN ? 0 : bits;
}

/* F2FP: a above b; or, merged, b below the upper half of c. */
EMU_HOT static void pack_pair(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const unsigned how = u->select;
    uint32_t x[EMU_LANES], y[EMU_LANES];

    emu_load(w, u, 0, true, x);
    emu_load(w, u, 1, true, y);
    if (how & PACK_MERGE)
        EMU_PUT_EACH(w, u->d, mask, packed(x[k], how) | (y[k] & 0xffff0000u));
    else if (how == PACK_BF16)
        EMU_PUT_EACH(w, u->d, mask,
                     emu_float_to_bf16(x[k], false) << 16 | emu_float_to_bf16(y[k], false));
    else
        EMU_PUT_EACH(w, u->d, mask, packed(x[k], how) << 16 | packed(y[k], how));
}

/* Bits of u->select, with PACK_RELU. */
enum { FP8_E4M3 = 2, FP8_UPPER = 4 };

EMU_INLINE uint32_t to_fp8(double v, unsigned how)
{
    const uint32_t byte = emu_double_to_fp8(v, (how & FP8_E4M3) != 0);

    return how & PACK_RELU && byte & EMU_FP8_SIGN ? 0 : byte;
}

/* a above b, below the lower half of c. */
static void pack_fp8(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t v[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++)
        v[k] = c[k] << 16 | to_fp8((double)emu_float(a[k]), u->select) << 8 |
               to_fp8((double)emu_float(b[k]), u->select);
    emu_put(w, u->d, v, mask);
}

/* The same of both halves of a register. */
static void pack_halves_as_fp8(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *b = emu_src(w, u, 0), *c = emu_src(w, u, 1);
    uint32_t v[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++)
        v[k] = c[k] << 16 | to_fp8(emu_half_to_double(b[k] >> 16), u->select) << 8 |
               to_fp8(emu_half_to_double(b[k] & 0xffff), u->select);
    emu_put(w, u->d, v, mask);
}

EMU_INLINE uint32_t from_fp8(uint32_t byte, unsigned how)
{
    const uint32_t half = emu_fp8_to_half(byte, (how & FP8_E4M3) != 0);

    return how & PACK_RELU && half & SIGN ? 0 : half;
}

static void unpack_fp8(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *b = emu_src(w, u, 0);
    const unsigned shift = u->select & FP8_UPPER ? 16 : 0;
    uint32_t v[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++)
        v[k] = from_fp8(b[k] >> shift >> 8 & 0xff, u->select) << 16 |
               from_fp8(b[k] >> shift & 0xff, u->select);
    emu_put(w, u->d, v, mask);
}

static bool bind_f2fp(const sass_inst_t *in, emu_uop_t *u)
{
    const unsigned relu = sass_bits(in, 75, 1);

    u->ftz = false;
    switch (sass_f2fp(in)) {
    case SASS_F2FP_PAIR:
        u->select = (uint8_t)(relu | sass_bits(in, 76, 1) << 1 | sass_bits(in, 78, 1) << 2 |
                              (sass_bits(in, 79, 2) == 3 ? 8u : 0u));
        u->fn = pack_pair;
        return true;
    case SASS_F2FP_TO_FP8:
    case SASS_F2FP_HALF_TO_FP8:
        u->select = (uint8_t)(relu | sass_bits(in, 76, 1) << 1);
        u->fn = sass_f2fp(in) == SASS_F2FP_TO_FP8 ? pack_fp8 : pack_halves_as_fp8;
        return true;
    case SASS_F2FP_FROM_FP8:
        u->select = (uint8_t)(relu | sass_bits(in, 73, 1) << 1 | sass_bits(in, 88, 1) << 2);
        u->fn = unpack_fp8;
        return true;
    default:
        return false;
    }
}

static bool bind_fma(const sass_inst_t *in, emu_uop_t *u)
{
    u->select = (uint8_t)sass_bits(in, 79, 1);
    u->is_signed = in->operand[2].high_neg;
    u->sat = sass_bits(in, 77, 1);
    u->fn = fma_pair;
    /* .F32 of halves rounds the exact result once, as without .RELU. */
    if (in->op == SASS_HFMA2_BF16)
        return !sass_bits(in, 76, 1) && !sass_bits(in, 78, 1);
    return !sass_bits(in, 76, 1) && (u->select || u->is_signed);
}

bool emu_bind_pair(const sass_inst_t *in, emu_uop_t *u)
{
    if (in->arch < SASS_AMPERE)
        return false;
    emu_note_halves(in, u);
    u->ftz = sass_bits(in, 80, 1);
    switch (in->op) {
    case SASS_HFMA2_BF16:
    case SASS_HFMA2:
        return bind_fma(in, u);
    case SASS_HMNMX2:
        u->select = (uint8_t)sass_bits(in, 81, 2);
        u->fn = min_pair;
        return true;
    case SASS_FMNMX:
        u->select = (uint8_t)sass_bits(in, 81, 2);
        u->fn = min_float;
        return u->select != 0;
    case SASS_F2FP:
        return bind_f2fp(in, u);
    default:
        return false;
    }
}
