/* Integer arithmetic: additions with carries, multiplications, shifts, minima, dot products. */
#include "frontend/emulator/exec/emu_state.h"

/* Defines name and name_mod: without and with source modifiers. */
#define TWO_FORMS(name)                                                                            \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        name##_body(w, u, mask, false);                                                            \
    }                                                                                              \
    EMU_HOT static void name##_mod(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)               \
    {                                                                                              \
        name##_body(w, u, mask, true);                                                             \
    }

static void choose(emu_uop_t *u, emu_fn_t plain, emu_fn_t with_modifiers)
{
    u->fn = u->mod ? with_modifiers : plain;
}

/* --- additions ------------------------------------------------------------------------------- */

EMU_INLINE void add3_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool mods)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1), mc = emu_mods(u, 2);

    if (mods)
        EMU_PUT_EACH(w, u->d, mask,
                     emu_modified(&ma, a[k]) + emu_modified(&mb, b[k]) + emu_modified(&mc, c[k]));
    else
        EMU_PUT_EACH(w, u->d, mask, a[k] + b[k] + c[k]);
}
TWO_FORMS(add3)

/*
 * Addition with carries. A negated source enters the adder as its complement plus a carry, so that
 * carries out equal those of the hardware's adder; u->imm is the number of such sources.
 */
EMU_INLINE void carry_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool carry_in)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t xa = u->xm[0], xb = u->xm[1], xc = u->xm[2], ones = u->imm;
    const uint32_t in0 = carry_in ? emu_pred(w, u, 0) : 0, in1 = carry_in ? emu_pred(w, u, 1) : 0;
    uint32_t *out = w->r + u->d, one = 0, two = 0;

    EMU_ANY_ORDER
    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t add = carry_in ? ones - emu_lane(in0, k) - emu_lane(in1, k) : ones;
        uint32_t x = a[k] ^ xa, s = x + (b[k] ^ xb), t = s + (c[k] ^ xc), r = t + add;
        uint32_t c1 = s < x, c2 = t < s, c3 = r < t;
        one |= emu_lane_bit[k] & (0 - (c1 | c2 | c3));
        two |= emu_lane_bit[k] & (0 - ((c1 & c2) | (c1 & c3) | (c2 & c3)));
        out[k] = emu_merge(emu_lane(mask, k), r, out[k]);
    }
    emu_set_pred(w, u->pd[0], one, mask);
    emu_set_pred(w, u->pd[1], two, mask);
}

EMU_HOT static void add3_carry_out(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    carry_body(w, u, mask, false);
}

EMU_HOT static void add3_carry_in(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    carry_body(w, u, mask, true);
}

static void bind_add3(const sass_inst_t *in, emu_uop_t *u)
{
    bool carries = in->extended || u->pd[0] != EMU_PRED_SINK || u->pd[1] != EMU_PRED_SINK;

    choose(u, add3, add3_mod);
    u->imm = u->ad[0] + u->ad[1] + u->ad[2];
    if (carries)
        u->fn = in->extended ? add3_carry_in : add3_carry_out;
}

/* --- multiplications ------------------------------------------------------------------------- */

EMU_INLINE void mad_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool mods)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const emu_mods_t mb = emu_mods(u, 1), mc = emu_mods(u, 2);

    if (mods)
        EMU_PUT_EACH(w, u->d, mask, a[k] * emu_modified(&mb, b[k]) + emu_modified(&mc, c[k]));
    else
        EMU_PUT_EACH(w, u->d, mask, a[k] * b[k] + c[k]);
}
TWO_FORMS(mad)

EMU_HOT static void mad_x(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const emu_mods_t mb = emu_mods(u, 1), mc = emu_mods(u, 2);
    const uint32_t carry = emu_pred(w, u, 0);

    EMU_PUT_EACH(w, u->d, mask,
                 a[k] * emu_modified(&mb, b[k]) + emu_modified(&mc, c[k]) - emu_lane(carry, k));
}

/* Only the addend: compilers write most moves this way. */
static void mad_move(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_put(w, u->d, emu_src(w, u, 2), mask);
}

EMU_INLINE uint64_t product(uint32_t a, uint32_t b, bool is_signed)
{
    return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

EMU_INLINE void wide_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool is_signed)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t *low = w->r + u->d, *high = low + EMU_LANES;

    if (mask == EMU_ALL) {
        EMU_ANY_ORDER
        for (unsigned k = 0; k < EMU_LANES; k++) {
            uint64_t t = product(a[k], b[k], is_signed) + emu_u64(c, (int)k);
            low[k] = (uint32_t)t;
            high[k] = (uint32_t)(t >> 32);
        }
        return;
    }
    EMU_ANY_ORDER
    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint64_t t = product(a[k], b[k], is_signed) + emu_u64(c, (int)k);
        low[k] = emu_merge(emu_lane(mask, k), (uint32_t)t, low[k]);
        high[k] = emu_merge(emu_lane(mask, k), (uint32_t)(t >> 32), high[k]);
    }
}

EMU_HOT static void wide_signed(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    wide_body(w, u, mask, true);
}

EMU_HOT static void wide_unsigned(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    wide_body(w, u, mask, false);
}

/* IMAD.WIDE and IMAD.HI in general: negated sources, carry in and out. */
EMU_HOT static void wide_general(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *c = emu_src(w, u, 2);
    uint32_t b[EMU_LANES], out[EMU_LANES], in[EMU_LANES];
    uint64_t r[EMU_LANES];
    bool high = u->sass->op == SASS_IMAD_HI, negated = u->xm[2] != 0, one = u->ad[2] != 0;

    emu_load(w, u, 1, true, b);
    emu_expand(u->sass->extended ? emu_pred(w, u, 0) : 0, in);
    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t p = product(a[k], b[k], u->is_signed), addend = emu_u64(c, k);
        if (negated)
            addend = ~addend + one;
        uint64_t t = p + addend, sum = t + (in[k] & 1);
        out[k] = t < p || sum < t;
        r[k] = high ? sum >> 32 : sum;
    }
    if (high) {
        uint32_t v[EMU_LANES];
        for (int k = 0; k < EMU_LANES; k++)
            v[k] = (uint32_t)r[k];
        emu_put(w, u->d, v, mask);
    } else {
        emu_put_u64(w, u->d, r, mask);
    }
    emu_set_pred(w, u->pd[0], emu_bits(out), mask);
}

static void bind_mad(const sass_inst_t *in, emu_uop_t *u)
{
    const sass_operand_t *a = &in->operand[1];

    if (in->extended)
        u->fn = mad_x;
    else if (a->num == (in->uniform ? SASS_URZ : SASS_RZ) && !u->mod)
        u->fn = mad_move;
    else
        choose(u, mad, mad_mod);
}

static void bind_wide(const sass_inst_t *in, emu_uop_t *u)
{
    bool simple = in->op == SASS_IMAD_WIDE && !in->extended && !u->mod && u->pd[0] == EMU_PRED_SINK;

    u->fn = !simple ? wide_general : u->is_signed ? wide_signed : wide_unsigned;
}

/* The byte of v at a bit; sign: 0x80 if it is signed, else 0. */
EMU_INLINE uint32_t byte_at(uint32_t v, unsigned bit, uint32_t sign)
{
    return ((v >> bit & 0xff) ^ sign) - sign;
}

EMU_INLINE uint32_t byte_products(uint32_t a, uint32_t b, uint32_t sa, uint32_t sb)
{
    uint32_t sum = byte_at(a, 0, sa) * byte_at(b, 0, sb) + byte_at(a, 8, sa) * byte_at(b, 8, sb);

    return sum + byte_at(a, 16, sa) * byte_at(b, 16, sb) + byte_at(a, 24, sa) * byte_at(b, 24, sb);
}

/* Two products of 16-bit with 8-bit values: the lower two bytes of b, or from bit 16 on the upper
 * ones. */
EMU_INLINE uint32_t half_products(uint32_t a, uint32_t b, uint32_t sa, uint32_t sb)
{
    const uint32_t low = ((a & 0xffff) ^ sa) - sa, high = ((a >> 16) ^ sa) - sa;

    return low * byte_at(b, 0, sb) + high * byte_at(b, 8, sb);
}

/* Sum of four products of bytes and the third source. */
EMU_HOT static void dot4(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t sa = u->select & 1 ? 0x80 : 0, sb = u->select & 2 ? 0x80 : 0;
    const emu_mods_t mc = emu_mods(u, 2);

    EMU_PUT_EACH(w, u->d, mask, emu_modified(&mc, c[k]) + byte_products(a[k], b[k], sa, sb));
}

/* The same for two halves and two bytes. */
EMU_HOT static void dot2(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t sa = u->select & 1 ? 0x8000 : 0, sb = u->select & 2 ? 0x80 : 0, from = u->imm;
    const emu_mods_t mc = emu_mods(u, 2);

    EMU_PUT_EACH(w, u->d, mask,
                 emu_modified(&mc, c[k]) + half_products(a[k], b[k] >> from, sa, sb));
}

static bool bind_dot(const sass_inst_t *in, emu_uop_t *u)
{
    const unsigned kind = sass_bits(in, 76, 2); /* 4A, 2A.LO, -, 2A.HI */

    u->select = (uint8_t)sass_bits(in, 73, 2);
    u->imm = kind == 3 ? 16 : 0;
    u->fn = kind == 0 ? dot4 : dot2;
    return kind != 2;
}

/* --- LEA ------------------------------------------------------------------------------------- */

/*
 * (a << shift) + b, or the upper half of a shifted 64-bit a, with carries. A negated a is its
 * complement plus one, which carries if a is 0: cuBLAS relies on it to subtract 64-bit offsets.
 */
EMU_INLINE void lea_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool high)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const emu_mods_t mb = emu_mods(u, 1);
    const bool x = u->sass->extended, negated = u->xm[0] != 0;
    const uint32_t carry = x ? emu_pred(w, u, 0) : 0, n = u->imm;
    const uint32_t flip = negated ? EMU_ALL : 0, one = negated && !x;
    const uint32_t sign = u->is_signed ? EMU_ALL : 0;
    uint32_t *out = w->r + u->d, over = 0;

    EMU_ANY_ORDER
    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t upper = emu_merge(sign, 0 - (a[k] >> 31), c[k]);
        uint32_t low = ((a[k] << n) ^ flip) + one, v = low, wraps = low < one;
        if (high) { /* two shifts, since a shift by 32 - n is undefined for n = 0 */
            v = ((upper << n | a[k] >> 1 >> (31 - n)) ^ flip) + wraps;
            wraps = v < wraps;
        }
        uint32_t s = v + emu_modified(&mb, b[k]), t = s - emu_lane(carry, k);
        over |= emu_lane_bit[k] & (0 - (wraps | (s < v) | (t < s)));
        out[k] = emu_merge(emu_lane(mask, k), t, out[k]);
    }
    emu_set_pred(w, u->pd[0], over, mask);
}

EMU_HOT static void lea_low(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    lea_body(w, u, mask, false);
}

EMU_HOT static void lea_high(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    lea_body(w, u, mask, true);
}

EMU_HOT static void lea(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), n = u->imm;

    EMU_PUT_EACH(w, u->d, mask, (a[k] << n) + b[k]);
}

static void bind_lea(const sass_inst_t *in, emu_uop_t *u)
{
    bool simple = !u->mod && !in->extended && !sass_bits(in, 80, 1) && !sass_bits(in, 73, 1) &&
                  u->pd[0] == EMU_PRED_SINK;

    u->imm = sass_bits(in, 75, 5);
    u->is_signed = sass_bits(in, 73, 1);
    u->fn = simple ? lea : sass_bits(in, 80, 1) ? lea_high : lea_low;
}

/* --- minima, absolute values ----------------------------------------------------------------- */

/* The smaller value if pick_min is all ones, the larger one if it is 0. */
EMU_INLINE uint32_t pick_one(uint32_t a, uint32_t b, uint32_t flip, uint32_t pick_min)
{
    uint32_t less = 0u - (uint32_t)((a ^ flip) < (b ^ flip));

    return emu_merge(~(less ^ pick_min), a, b);
}

EMU_INLINE uint32_t magnitude(uint32_t v)
{
    return (int32_t)v < 0 ? 0u - v : v;
}

EMU_HOT static void minmax(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), pick_min = emu_pred(w, u, 0);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    const uint32_t flip = u->is_signed ? 0x80000000u : 0; /* makes signed values compare like
                                                           * unsigned ones */

    EMU_PUT_EACH(
        w, u->d, mask,
        pick_one(emu_modified(&ma, a[k]), emu_modified(&mb, b[k]), flip, emu_lane(pick_min, k)));
}

EMU_HOT static void absolute(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    const emu_mods_t ma = emu_mods(u, 0);

    EMU_PUT_EACH(w, u->d, mask, magnitude(emu_modified(&ma, a[k])));
}

EMU_HOT static void abs_difference(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t flip = u->is_signed ? 0x80000000u : 0;

    EMU_PUT_EACH(w, u->d, mask, ((a[k] ^ flip) < (b[k] ^ flip) ? b[k] - a[k] : a[k] - b[k]) + c[k]);
}

/* sign: 0x80 if the bytes are signed, else 0. */
EMU_INLINE uint32_t byte_difference(uint32_t a, uint32_t b, unsigned bit, uint32_t sign)
{
    const uint32_t x = (a >> bit & 0xff) ^ sign, y = (b >> bit & 0xff) ^ sign;

    return x > y ? x - y : y - x;
}

/* VABSDIFF4: the differences of bytes or, with .ACC, their sum plus the third source. */
EMU_HOT static void abs_differences(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), sign = u->is_signed ? 0x80 : 0;

    EMU_PUT_EACH(w, u->d, mask,
                 byte_difference(a[k], b[k], 0, sign) | byte_difference(a[k], b[k], 8, sign) << 8 |
                     byte_difference(a[k], b[k], 16, sign) << 16 |
                     byte_difference(a[k], b[k], 24, sign) << 24);
}

EMU_HOT static void add_abs_differences(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t sign = u->is_signed ? 0x80 : 0;

    EMU_PUT_EACH(w, u->d, mask,
                 byte_difference(a[k], b[k], 0, sign) + byte_difference(a[k], b[k], 8, sign) +
                     byte_difference(a[k], b[k], 16, sign) + byte_difference(a[k], b[k], 24, sign) +
                     c[k]);
}

bool emu_bind_int(const sass_inst_t *in, emu_uop_t *u)
{
    u->is_signed = sass_bits(in, 73, 1);
    switch (in->op) {
    case SASS_IADD3:
        bind_add3(in, u);
        return true;
    case SASS_IMAD:
        bind_mad(in, u);
        return true;
    case SASS_IMAD_WIDE:
    case SASS_IMAD_HI:
        bind_wide(in, u);
        return true;
    case SASS_IDP:
        return bind_dot(in, u);
    case SASS_LEA:
        bind_lea(in, u);
        return true;
    case SASS_IMNMX:
        u->fn = minmax;
        return true;
    case SASS_IABS:
        u->fn = absolute;
        return true;
    case SASS_VABSDIFF:
        u->fn = abs_difference;
        return u->pd[0] == EMU_PRED_SINK;
    case SASS_VABSDIFF4:
        u->fn = sass_bits(in, 75, 1) ? add_abs_differences : abs_differences;
        return u->pd[0] == EMU_PRED_SINK;
    default:
        return false;
    }
}
