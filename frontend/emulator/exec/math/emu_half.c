/* Half precision: HADD2, HMUL2, HFMA2, HSET2, HSETP2 on pairs of 16-bit values. */
#include "frontend/emulator/exec/math/emu_half.h"

#include <math.h>

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/math/emu_round.h"

enum { HALF_NAN = 0x7fff, HALF_INF = 0x7c00, HALF_MAX = 0x7bff };

double emu_half_to_double(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023, v;

    if (exponent == 31)
        v = fraction != 0 ? (double)NAN : (double)INFINITY;
    else
        v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -v : v;
}

/* Whether a magnitude between two representable values rounds up; rest: the remainder. */
static bool rounds_up(double rest, bool odd, bool negative, unsigned mode)
{
    switch (mode) {
    case EMU_RM:
        return negative && rest > 0;
    case EMU_RP:
        return !negative && rest > 0;
    case EMU_RZ:
        return false;
    default:
        return rest > 0.5 || (rest == 0.5 && odd);
    }
}

uint32_t emu_double_to_half(double v, unsigned mode)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double magnitude = fabs(v);
    int exponent;

    if (isnan(v))
        return HALF_NAN;
    if (isinf(v))
        return sign | HALF_INF;
    if (magnitude == 0)
        return sign;
    frexp(magnitude, &exponent); /* magnitude < 2^exponent */
    int scale = exponent - 11 < -24 ? -24 : exponent - 11;
    double units = ldexp(magnitude, -scale), whole = floor(units);
    uint32_t bits = (uint32_t)whole + rounds_up(units - whole, (uint32_t)whole & 1, sign, mode);
    if (exponent > 16) /* 2^16 and above */
        return sign | (rounds_up(0.75, true, sign, mode) ? HALF_INF : HALF_MAX);
    uint32_t r = bits + ((uint32_t)(scale + 24) << 10);
    return sign | (r >= HALF_INF && !rounds_up(0.75, true, sign, mode) ? HALF_MAX : r);
}

/* Both values of source i in a lane, from its halves (or a 32-bit float), with sign modifiers. */
static void load_pair(const emu_warp_t *w, const emu_uop_t *u, unsigned i, int k, double v[2])
{
    uint32_t word = emu_src(w, u, i)[k];
    unsigned half = u->imm >> (2 * i) & 3;
    float f;

    memcpy(&f, &word, sizeof(f));
    v[0] = emu_half_to_double(half == SASS_H1_H1 ? word >> 16 : word & 0xffff);
    v[1] = emu_half_to_double(half == SASS_H0_H0 ? word & 0xffff : word >> 16);
    if (half == SASS_F32_HALF)
        v[0] = v[1] = (double)f;
    for (unsigned h = 0; h < 2; h++) {
        if (u->am[i] != EMU_ALL)
            v[h] = fabs(v[h]);
        if (u->xm[i] != 0)
            v[h] = -v[h];
        if (u->ftz && fabs(v[h]) < 0x1p-14)
            v[h] = copysign(0, v[h]);
    }
}

enum { HALF_ADD, HALF_MUL, HALF_FMA };

/* Source i as two vectors of floats, from its halves (or a 32-bit float), with sign modifiers. */
EMU_INLINE void load_halves(const emu_warp_t *w, const emu_uop_t *u, unsigned i,
                            float v[2][EMU_LANES])
{
    const uint32_t *s = emu_src(w, u, i);
    const unsigned half = u->imm >> (2 * i) & 3;
    const unsigned low = half == SASS_H1_H1 ? 16 : 0, high = half == SASS_H0_H0 ? 0 : 16;
    const uint32_t keep = u->am[i] != EMU_ALL ? 0x7fffffffu : EMU_ALL;
    const uint32_t flip = u->xm[i] != 0 ? 0x80000000u : 0;

    emu_halves_to_floats(s, low, v[0]);
    emu_halves_to_floats(s, high, v[1]);
    if (half == SASS_F32_HALF)
        for (int k = 0; k < EMU_LANES; k++)
            memcpy(&v[0][k], &s[k], sizeof(v[0][k]));
    if (half == SASS_F32_HALF)
        memcpy(v[1], v[0], sizeof(v[1]));
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < EMU_LANES; k++) {
            uint32_t bits;
            memcpy(&bits, &v[h][k], sizeof(bits));
            bits = (bits & keep) ^ flip;
            if (u->ftz && (bits & 0x7fffffffu) < 0x38800000u) /* 2^-14 */
                bits &= 0x80000000u;
            memcpy(&v[h][k], &bits, sizeof(bits));
        }
}

EMU_INLINE uint32_t finish_half(const emu_uop_t *u, double v)
{
    if (u->sat)
        v = v > 0 ? (v < 1 ? v : 1) : 0;
    uint32_t bits = emu_round_to_half(v);
    return u->ftz && (bits & HALF_INF) == 0 ? bits & 0x8000 : bits;
}

static uint32_t finish_float(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(f));
    return isnan(f) ? 0x7fffffffu : bits;
}

/* Sums and products of halves are exact in double precision and rounded once. */
EMU_INLINE void half_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, unsigned operation)
{
    float a[2][EMU_LANES], b[2][EMU_LANES], c[2][EMU_LANES];
    uint32_t r[EMU_LANES];
    double v[2][EMU_LANES];

    load_halves(w, u, 0, a);
    load_halves(w, u, 1, b);
    if (operation == HALF_FMA)
        load_halves(w, u, 2, c);
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < EMU_LANES; k++)
            v[h][k] = operation == HALF_ADD   ? (double)a[h][k] + (double)b[h][k]
                      : operation == HALF_MUL ? (double)a[h][k] * (double)b[h][k]
                                              : (double)a[h][k] * (double)b[h][k] + (double)c[h][k];
    if (u->select) {
        for (int k = 0; k < EMU_LANES; k++)
            r[k] = finish_float(v[0][k]);
    } else {
        for (int k = 0; k < EMU_LANES; k++)
            r[k] = finish_half(u, v[0][k]);
        for (int k = 0; k < EMU_LANES; k++)
            r[k] |= finish_half(u, v[1][k]) << 16;
    }
    emu_put(w, u->d, r, mask);
}

EMU_HOT static void half_add(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    half_body(w, u, mask, HALF_ADD);
}

EMU_HOT static void half_mul(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    half_body(w, u, mask, HALF_MUL);
}

EMU_HOT static void half_fma(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    half_body(w, u, mask, HALF_FMA);
}

static bool compare(unsigned op, double x, double y)
{
    bool unordered = isnan(x) || isnan(y);

    if (op == 7)
        return !unordered;
    if (op == 15)
        return true;
    return ((op & 1) && x < y) || ((op & 2) && x == y) || ((op & 4) && x > y) ||
           ((op & 8) && unordered);
}

static bool combine(unsigned how, bool a, bool b)
{
    return how == 0 ? a && b : how == 1 ? a || b : a != b;
}

static void half_compare(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t q = emu_pred(w, u, 0), bits[2] = {0, 0}, r[EMU_LANES] = {0};
    uint32_t one = u->sass->op == SASS_HSET2 && u->select ? 0x3c00 : 0xffff;
    double x[2], y[2];

    for (int k = 0; k < EMU_LANES; k++) {
        load_pair(w, u, 0, k, x);
        load_pair(w, u, 1, k, y);
        bool c[2] = {compare(u->imm2, x[0], y[0]), compare(u->imm2, x[1], y[1])};
        bool horizontal = u->sass->op == SASS_HSETP2 && u->select; /* .H_AND: both halves, and the
                                                                    * complement */
        bool first = horizontal ? c[0] && c[1] : c[0], second = horizontal ? !first : c[1];
        first = combine(u->round, first, q >> k & 1);
        second = combine(u->round, second, q >> k & 1);
        bits[0] |= (uint32_t)first << k;
        bits[1] |= (uint32_t)second << k;
        r[k] = (first ? one : 0) | (second ? one << 16 : 0);
    }
    if (u->sass->op == SASS_HSET2) {
        emu_put(w, u->d, r, mask);
        return;
    }
    emu_set_pred(w, u->pd[0], bits[0], mask);
    emu_set_pred(w, u->pd[1], bits[1], mask);
}

void emu_note_halves(const sass_inst_t *in, emu_uop_t *u)
{
    unsigned source = 0;

    u->imm = 0;
    for (unsigned i = 0; i < in->n_operands; i++)
        if (in->operand[i].style == SASS_HALF)
            u->imm |= (uint32_t)in->operand[i].half << (2 * source++);
}

bool emu_bind_half(const sass_inst_t *in, emu_uop_t *u)
{
    emu_note_halves(in, u);
    u->ftz = sass_bits(in, 80, 1);
    switch (in->op) {
    case SASS_HADD2:
    case SASS_HMUL2:
    case SASS_HFMA2:
        u->sat = sass_bits(in, 77, 1);
        /* HFMA2.F32 accumulates in single precision but writes halves: not understood well
         * enough */
        u->select = in->op == SASS_HADD2 && sass_bits(in, 78, 1);
        u->fn = in->op == SASS_HADD2 ? half_add : in->op == SASS_HMUL2 ? half_mul : half_fma;
        /* .FMZ; .RELU of Ampere, which emu_pair.c knows */
        return !sass_bits(in, 76, 1) &&
               !(in->op == SASS_HFMA2 && in->arch >= SASS_AMPERE && sass_bits(in, 79, 1));
    case SASS_HSET2:
    case SASS_HSETP2:
        u->imm2 = sass_bits(in, 76, 4);
        u->round = (uint8_t)sass_bits(in, 69, 2);
        u->select = (uint8_t)sass_bits(in, 71, 1);
        u->fn = half_compare;
        return u->round < 3;
    default:
        return false;
    }
}
