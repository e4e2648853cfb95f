/* Conversions: I2F, F2I, F2F, FRND, I2I. */
#include <math.h>

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/math/emu_bf16.h"
#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_round.h"

/* Sizes as encoded: log2 of the bytes. */
enum { SIZE_8, SIZE_16, SIZE_32, SIZE_64 };

EMU_INLINE double double_of_bits(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

EMU_INLINE uint64_t bits_of_double(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(d));
    return bits;
}

static uint64_t bits_of_float(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(f));
    return isnan(f) ? 0x7fffffffu : bits;
}

/* Lane k of the source: the selected byte or half, or 32 or 64 bits with sign modifiers applied. */
static uint64_t source_bits(const emu_warp_t *w, const emu_uop_t *u, unsigned size, int k)
{
    const uint32_t *s = emu_src(w, u, 0);
    unsigned select = u->imm2;

    if (size == SIZE_64)
        return s[k] | (uint64_t)((s[k + EMU_LANES] & u->am[0]) ^ u->xm[0]) << 32;
    if (size == SIZE_32)
        return ((s[k] & u->am[0]) ^ u->xm[0]) + u->ad[0];
    return size == SIZE_16 ? s[k] >> (16 * (select & 1)) & 0xffff : s[k] >> (8 * select) & 0xff;
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
    unsigned shift = 64 - (8u << size);

    return (int64_t)(v << shift) >> shift;
}

/* A floating-point source as a double, which represents all three formats exactly. */
static double source_float(const emu_warp_t *w, const emu_uop_t *u, unsigned size, int k)
{
    uint64_t bits = source_bits(w, u, size, k);

    if (size == SIZE_64)
        return double_of_bits(bits);
    if (size == SIZE_16) {
        double v = emu_half_to_double((uint32_t)bits);
        v = u->am[0] != EMU_ALL ? fabs(v) : v;
        return u->xm[0] != 0 ? -v : v;
    }
    if (u->ftz && (bits & 0x7f800000u) == 0)
        bits &= 0x80000000u;
    return (double)emu_float((uint32_t)bits);
}

static void put_result(emu_warp_t *w, const emu_uop_t *u, uint64_t v[EMU_LANES], bool wide,
                       uint32_t mask)
{
    uint32_t low[EMU_LANES];

    if (wide) {
        emu_put_u64(w, u->d, v, mask);
        return;
    }
    for (int k = 0; k < EMU_LANES; k++)
        low[k] = (uint32_t)v[k];
    emu_put(w, u->d, low, mask);
}

/* --- integer to float ------------------------------------------------------------------------ */

/* Called between the switches of the rounding mode. */
static uint64_t convert_int(uint64_t v, bool is_signed, unsigned to, unsigned mode)
{
    volatile uint64_t in = v;
    uint64_t out;

    if (v == 0) /* in round-down mode, clang converts an unsigned zero to -0 */
        return 0;
    unsigned old = emu_round_begin(mode);

    if (to == SIZE_64)
        out = bits_of_double(is_signed ? (double)(int64_t)in : (double)in);
    else
        out = bits_of_float(is_signed ? (float)(int64_t)in : (float)in);
    volatile uint64_t kept = out;
    emu_round_end(old);
    return kept;
}

static void int_to_float(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    unsigned from = u->select & 3, to = u->select >> 2;
    uint64_t r[EMU_LANES] = {0};

    for (int k = 0; k < EMU_LANES; k++) {
        if (!(mask >> k & 1))
            continue;
        uint64_t v = source_bits(w, u, from, k);
        if (u->is_signed)
            v = (uint64_t)sign_extend(v, from);
        if (to == SIZE_16) /* a double represents every integer up to the largest half */
            r[k] = emu_double_to_half(u->is_signed ? (double)(int64_t)v : (double)v, u->round);
        else
            r[k] = convert_int(v, u->is_signed, to, u->round);
    }
    put_result(w, u, r, to == SIZE_64, mask);
}

EMU_HOT static void s32_to_f32(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const emu_s32_t *s = (const emu_s32_t *)emu_src(w, u, 0);

    EMU_PUT_EACH(w, u->d, mask, emu_float_bits((float)s[k]));
}

/* Through double precision, which represents every 32-bit integer: one rounding. */
EMU_HOT static void u32_to_f32(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *s = emu_src(w, u, 0);

    EMU_PUT_EACH(w, u->d, mask,
                 emu_float_bits((float)((double)(int32_t)(s[k] ^ 0x80000000u) + 0x1p31)));
}

/* The same to double precision: exact. */
EMU_INLINE void put_doubles(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, uint32_t flip,
                            double add)
{
    const uint32_t *s = emu_src(w, u, 0);
    uint64_t r[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++)
        r[k] = bits_of_double((double)(int32_t)(s[k] ^ flip) + add);
    emu_put_u64(w, u->d, r, mask);
}

EMU_HOT static void s32_to_f64(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    put_doubles(w, u, mask, 0, 0);
}

EMU_HOT static void u32_to_f64(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    put_doubles(w, u, mask, 0x80000000u, 0x1p31);
}

/* Single to double precision: exact. */
EMU_HOT static void f32_to_f64(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *s = emu_src(w, u, 0);
    const emu_mods_t m = emu_mods(u, 0);
    const uint32_t flush_below = u->ftz ? 0x00800000u : 0;
    uint64_t r[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t bits = emu_modified(&m, s[k]);
        bits = (bits & 0x7fffffffu) < flush_below ? bits & 0x80000000u : bits;
        r[k] = bits_of_double((double)emu_float(bits));
    }
    emu_put_u64(w, u->d, r, mask);
}

/* --- float to integer ------------------------------------------------------------------------ */

static double round_to_integer(double v, unsigned mode)
{
    switch (mode) {
    case EMU_RM:
        return floor(v);
    case EMU_RP:
        return ceil(v);
    case EMU_RZ:
        return trunc(v);
    default:
        return nearbyint(v);
    }
}

/*
 * Clamps to the range of the type. NaN becomes 0 with .NTZ, otherwise only the highest bit is set
 * (PTX ISA, cvt; the compiler uses .NTZ if neither type has 64 bits).
 */
static uint64_t clamp(double v, unsigned size, bool is_signed, bool nan_is_zero)
{
    unsigned bits = 8u << size;
    double limit = ldexp(1, (int)bits - is_signed);
    uint64_t top = is_signed    ? (1ull << (bits - 1)) - 1
                   : bits == 64 ? UINT64_MAX
                                : (1ull << bits) - 1;

    if (isnan(v))
        return nan_is_zero ? 0 : 1ull << (bits - 1);
    if (v >= limit)
        return top;
    if (v <= (is_signed ? -limit : 0.0))
        return is_signed ? ~top : 0;
    return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/*
 * From single precision to 32 bits. The limits are integers, so clamping before rounding gives the
 * same result; after adding 1.5 * 2^52, the low word is the rounded integer.
 */
EMU_INLINE void float_to_word(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, unsigned mode)
{
    const uint32_t *s = emu_src(w, u, 0);
    const emu_mods_t m = emu_mods(u, 0);
    const uint32_t flush_below = u->ftz ? 0x00800000u : 0;
    const uint32_t nan = u->sat ? 0 : 0x80000000u;
    const double least = u->is_signed ? -0x1p31 : 0, most = u->is_signed ? 0x1p31 - 1 : 0x1p32 - 1;
    uint32_t r[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t bits = emu_modified(&m, s[k]);
        double v = (double)emu_float((bits & 0x7fffffffu) < flush_below ? 0 : bits);
        const uint32_t number = v == v ? EMU_ALL : 0;
        v = v > least ? v : least;
        v = v > most ? most : v;
        v = mode == EMU_RN   ? __builtin_rint(v)
            : mode == EMU_RM ? __builtin_floor(v)
            : mode == EMU_RP ? __builtin_ceil(v)
                             : __builtin_trunc(v);
        uint64_t sum = bits_of_double(v + 0x1.8p52);
        r[k] = emu_merge(number, (uint32_t)sum, nan);
    }
    emu_put(w, u->d, r, mask);
}

#define FLOAT_TO_WORD(name, mode)                                                                  \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        float_to_word(w, u, mask, mode);                                                           \
    }
FLOAT_TO_WORD(float_to_word_rn, EMU_RN)
FLOAT_TO_WORD(float_to_word_rm, EMU_RM)
FLOAT_TO_WORD(float_to_word_rp, EMU_RP)
FLOAT_TO_WORD(float_to_word_rz, EMU_RZ)

static void float_to_int(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    unsigned from = u->select & 3, to = u->select >> 2;
    uint64_t r[EMU_LANES] = {0};

    for (int k = 0; k < EMU_LANES; k++)
        if (mask >> k & 1)
            r[k] = clamp(round_to_integer(source_float(w, u, from, k), u->round), to, u->is_signed,
                         u->sat);
    put_result(w, u, r, to == SIZE_64, mask);
}

/* --- float to float -------------------------------------------------------------------------- */

static uint64_t narrow(double v, unsigned size, unsigned mode)
{
    volatile double in = v;

    if (size == SIZE_64)
        return bits_of_double(v);
    if (size == SIZE_16)
        return emu_double_to_half(v, mode);
    unsigned old = emu_round_begin(mode);
    volatile float out = (float)in;
    emu_round_end(old);
    return bits_of_float(out);
}

static void float_to_float(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    unsigned from = u->select & 3, to = u->select >> 2;
    uint64_t r[EMU_LANES] = {0};

    for (int k = 0; k < EMU_LANES; k++) {
        if (!(mask >> k & 1))
            continue;
        r[k] = narrow(source_float(w, u, from, k), to, u->round);
        if (u->ftz && to == SIZE_32 && (r[k] & 0x7f800000u) == 0)
            r[k] &= 0x80000000u;
    }
    put_result(w, u, r, to == SIZE_64, mask);
}

static void round_float(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    unsigned from = u->select & 3, to = u->select >> 2;
    uint64_t r[EMU_LANES] = {0};

    for (int k = 0; k < EMU_LANES; k++)
        if (mask >> k & 1)
            r[k] = narrow(round_to_integer(source_float(w, u, from, k), u->round), to, EMU_RN);
    put_result(w, u, r, to == SIZE_64, mask);
}

/* --- integer to integer ---------------------------------------------------------------------- */

EMU_INLINE uint32_t clamped(uint32_t bits, int32_t least, int32_t most)
{
    const int32_t v = (int32_t)bits;

    return (uint32_t)(v < least ? least : v > most ? most : v);
}

/* I2I: saturates a 32-bit integer to 8 or 16 bits. */
EMU_HOT static void saturate(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *s = emu_src(w, u, 0);
    const int32_t span = u->select & 2 ? 0xffff : 0xff;
    const int32_t least = u->select & 1 ? -(span / 2) - 1 : 0, most = least + span;

    EMU_PUT_EACH(w, u->d, mask, clamped(s[k], least, most));
}

/*
 * I2IP (PTX ISA, cvt.pack.sat): saturates a and b to 16, 8, 4 or 2 bits and packs a above b; the
 * lower bits of c, or of its upper half, go above both.
 */
static void pack(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    static const uint8_t bits_of[4] = {8, 16, 2, 4};
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const unsigned bits = bits_of[u->select >> 1];
    const uint32_t ones = (1u << bits) - 1;
    const int32_t least = u->select & 1 ? -(int32_t)(ones / 2) - 1 : 0;
    const int32_t most = least + (int32_t)ones;

    EMU_PUT_EACH(w, u->d, mask,
                 (clamped(b[k], least, most) & ones) | (clamped(a[k], least, most) & ones) << bits |
                     (uint32_t)((uint64_t)(c[k] >> u->imm2) << 2 * bits));
}

/* A float as an integer of 8 bits; not a number: 0. */
static uint32_t float_to_byte(uint32_t bits, bool truncate, int32_t least)
{
    const float f = emu_float(bits);

    if (f != f)
        return 0;
    const float rounded = truncate ? truncf(f) : rintf(f);
    if (rounded <= (float)least)
        return (uint32_t)least & 0xff;
    return rounded >= (float)(least + 0xff) ? (uint32_t)(least + 0xff)
                                            : (uint32_t)(int32_t)rounded & 0xff;
}

/* F2IP.NTZ (PTX ISA, cvt.sat and cvt.pack): a above b, each converted to 8 bits with saturation; the
 * lower bits of c, or of its upper half, go above both. */
static void pack_floats(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const bool truncate = u->round == EMU_RZ;
    const int32_t least = u->is_signed ? -0x80 : 0;

    EMU_PUT_EACH(w, u->d, mask,
                 float_to_byte(b[k], truncate, least) | float_to_byte(a[k], truncate, least) << 8 |
                     (c[k] >> u->imm2) << 16);
}

/* F2F.BF16.F32. */
static void float_to_bf16(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES];

    emu_load(w, u, 0, true, a);
    for (unsigned k = 0; k < EMU_LANES && u->ftz; k++)
        a[k] = (a[k] & 0x7f800000u) == 0 ? a[k] & 0x80000000u : a[k];
    EMU_PUT_EACH(w, u->d, mask, emu_round_to_bf16(a[k], u->round));
}

/* F2FP.PACK_AB: two halves, a above b. */
static void pack_halves(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);

    EMU_PUT_EACH(w, u->d, mask,
                 emu_double_to_half((double)emu_float(a[k]), EMU_RN) << 16 |
                     emu_double_to_half((double)emu_float(b[k]), EMU_RN));
}

bool emu_bind_convert(const sass_inst_t *in, emu_uop_t *u)
{
    static const emu_fn_t to_word[] = {float_to_word_rn, float_to_word_rm, float_to_word_rp,
                                       float_to_word_rz};
    unsigned from = sass_bits(in, 84, 2), to = sass_bits(in, 75, 2);

    u->select = (uint8_t)(to << 2 | from);
    u->imm2 = in->operand[1].select;
    u->round = (uint8_t)sass_bits(in, 78, 2);
    u->ftz = sass_bits(in, 80, 1);
    switch (in->op) {
    case SASS_I2F:
        u->is_signed = sass_bits(in, 74, 1);
        u->fn = int_to_float;
        if (from == SIZE_32 && to == SIZE_32 && u->round == EMU_RN && !u->mod)
            u->fn = u->is_signed ? s32_to_f32 : u32_to_f32;
        if (from == SIZE_32 && to == SIZE_64 && !u->mod)
            u->fn = u->is_signed ? s32_to_f64 : u32_to_f64;
        return to != SIZE_8 && !(from != SIZE_32 && u->mod);
    case SASS_F2I:
        u->is_signed = sass_bits(in, 72, 1);
        u->sat = sass_bits(in, 77, 1); /* .NTZ */
        u->fn = from == SIZE_32 && to == SIZE_32 ? to_word[u->round] : float_to_int;
        return from != SIZE_8;
    case SASS_I2FP: /* I2F.F32 of 32 bits in another pipe */
        u->select = SIZE_32 << 2 | SIZE_32;
        u->imm2 = 0;
        u->is_signed = sass_bits(in, 74, 1);
        u->fn = u->round != EMU_RN ? int_to_float : u->is_signed ? s32_to_f32 : u32_to_f32;
        return true;
    case SASS_F2F:
        if (in->arch >= SASS_AMPERE && to == SIZE_8 && from == SIZE_32) {
            u->fn = float_to_bf16;
            return true;
        }
        u->fn = from == SIZE_32 && to == SIZE_64 ? f32_to_f64 : float_to_float;
        return from != SIZE_8 && to != SIZE_8;
    case SASS_I2I:
        u->select = (uint8_t)sass_bits(in, 76, 2); /* U8, S8, U16, S16 */
        u->fn = saturate;
        return true;
    case SASS_F2FP:
        u->fn = pack_halves;
        return true;
    case SASS_F2IP: /* U8 and S8, with .NTZ and without .RELU */
        u->is_signed = sass_bits(in, 76, 1);
        u->imm2 = sass_bits(in, 72, 1) ? 16 : 0;
        u->fn = pack_floats;
        return !sass_bits(in, 77, 1) && sass_bits(in, 74, 1) && !sass_bits(in, 75, 1) &&
               (u->round == EMU_RN || u->round == EMU_RZ);
    case SASS_I2IP:
        u->select = (uint8_t)sass_bits(in, 76, 3); /* as for I2I, then U2, S2, U4, S4 */
        u->imm2 = sass_bits(in, 72, 2) == 1 ? 16 : 0;
        u->fn = pack;
        return true;
    case SASS_FRND:
        u->fn = round_float;
        return from != SIZE_8 && to != SIZE_8;
    default:
        return false;
    }
}
