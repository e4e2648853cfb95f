/* Integer arithmetic: additions with carries, multiplications, shifts, minima, dot products. */
#include "frontend/sass/emu_state.h"

/* Defines name and name_mod: without and with modifiers of the sources. */
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
    uint32_t a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, mods, a);
    emu_load(w, u, 1, mods, b);
    emu_load(w, u, 2, mods, c);
    for (int k = 0; k < EMU_LANES; k++)
        r[k] = a[k] + b[k] + c[k];
    emu_put(w, u->d, r, mask);
}
TWO_FORMS(add3)

/*
 * With carries. A negated source goes into the adder as its complement and a carry, so that the
 * carries out are those of the hardware's adder; u->imm is the number of such sources.
 */
EMU_HOT static void add3_carry(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *s[3] = {emu_src(w, u, 0), emu_src(w, u, 1), emu_src(w, u, 2)};
    uint32_t in0[EMU_LANES], in1[EMU_LANES];
    uint32_t r[EMU_LANES], c1[EMU_LANES], c2[EMU_LANES];
    bool x = u->sass->extended;

    emu_expand(x ? emu_pred(w, u, 0) : 0, in0);
    emu_expand(x ? emu_pred(w, u, 1) : 0, in1);
    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t t = (uint64_t)(s[0][k] ^ u->xm[0]) + (s[1][k] ^ u->xm[1]) + (s[2][k] ^ u->xm[2]) +
                     u->imm + (in0[k] & 1) + (in1[k] & 1);
        r[k] = (uint32_t)t;
        c1[k] = (uint32_t)(t >> 32) >= 1;
        c2[k] = (uint32_t)(t >> 32) >= 2;
    }
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], emu_bits(c1), mask);
    emu_set_pred(w, u->pd[1], emu_bits(c2), mask);
}

static void bind_add3(const sass_inst_t *in, emu_uop_t *u)
{
    bool carries = in->extended || u->pd[0] != EMU_PRED_SINK || u->pd[1] != EMU_PRED_SINK;

    choose(u, add3, add3_mod);
    u->imm = u->ad[0] + u->ad[1] + u->ad[2];
    if (carries)
        u->fn = add3_carry;
}

/* --- multiplications ------------------------------------------------------------------------- */

EMU_INLINE void mad_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool mods)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, false, a);
    emu_load(w, u, 1, mods, b);
    emu_load(w, u, 2, mods, c);
    for (int k = 0; k < EMU_LANES; k++)
        r[k] = a[k] * b[k] + c[k];
    emu_put(w, u->d, r, mask);
}
TWO_FORMS(mad)

EMU_HOT static void mad_x(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], carry[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, false, a);
    emu_load(w, u, 1, true, b);
    emu_load(w, u, 2, true, c);
    emu_expand(emu_pred(w, u, 0), carry);
    for (int k = 0; k < EMU_LANES; k++)
        r[k] = a[k] * b[k] + c[k] + (carry[k] & 1);
    emu_put(w, u->d, r, mask);
}

/* The addend alone: how the compiler writes most moves. */
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
    uint32_t low[EMU_LANES], high[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t t = product(a[k], b[k], is_signed) + emu_u64(c, k);
        low[k] = (uint32_t)t;
        high[k] = (uint32_t)(t >> 32);
    }
    emu_put(w, u->d, low, mask);
    emu_put(w, u->d + EMU_LANES, high, mask);
}

EMU_HOT static void wide_signed(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    wide_body(w, u, mask, true);
}

EMU_HOT static void wide_unsigned(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    wide_body(w, u, mask, false);
}

/* IMAD.WIDE and IMAD.HI with everything: negated sources, carry in and out. */
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

/* Sum of the products of four bytes (or of two halves and two bytes) and the third source. */
EMU_HOT static void dot(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    bool sa = u->select & 1, sb = u->select & 2;
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        r[k] = c[k];
        for (int i = 0; i < 32; i += 8) {
            int32_t x = sa ? (int8_t)(a[k] >> i) : (uint8_t)(a[k] >> i);
            int32_t y = sb ? (int8_t)(b[k] >> i) : (uint8_t)(b[k] >> i);
            r[k] += (uint32_t)(x * y);
        }
    }
    emu_put(w, u->d, r, mask);
}

/* --- LEA ------------------------------------------------------------------------------------- */

/* (a << shift) + b, or the upper half of a 64-bit a shifted, with carries. */
EMU_HOT static void lea_general(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *c = emu_src(w, u, 2);
    uint32_t b[EMU_LANES], r[EMU_LANES], out[EMU_LANES], in[EMU_LANES];
    bool high = sass_bits(u->sass, 80, 1), sign = u->is_signed, x = u->sass->extended;
    bool negated = u->xm[0] != 0;

    emu_load(w, u, 1, true, b);
    emu_expand(x ? emu_pred(w, u, 0) : 0, in);
    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t v = sign   ? (uint64_t)(int64_t)(int32_t)a[k]
                     : high ? a[k] | (uint64_t)c[k] << 32
                            : a[k];
        v <<= u->imm;
        if (negated)
            v = x ? ~v : ~v + 1;
        uint64_t t = (high ? v >> 32 : v & EMU_ALL) + b[k] + (in[k] & 1);
        r[k] = (uint32_t)t;
        out[k] = (uint32_t)(t >> 32);
    }
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], emu_bits(out), mask);
}

EMU_HOT static void lea(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = (a[k] << u->imm) + b[k];
    emu_put(w, u->d, r, mask);
}

static void bind_lea(const sass_inst_t *in, emu_uop_t *u)
{
    bool simple = !u->mod && !in->extended && !sass_bits(in, 80, 1) && !sass_bits(in, 73, 1) &&
                  u->pd[0] == EMU_PRED_SINK;

    u->imm = sass_bits(in, 75, 5);
    u->is_signed = sass_bits(in, 73, 1);
    u->fn = simple ? lea : lea_general;
}

/* --- minima, absolute values ----------------------------------------------------------------- */

EMU_HOT static void minmax(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], pick_min[EMU_LANES], r[EMU_LANES];
    uint32_t flip = u->is_signed ? 0x80000000u : 0; /* orders signed as unsigned */

    emu_load(w, u, 0, true, a);
    emu_load(w, u, 1, true, b);
    emu_expand(emu_pred(w, u, 0), pick_min);
    for (int k = 0; k < EMU_LANES; k++) {
        bool less = (a[k] ^ flip) < (b[k] ^ flip);
        r[k] = less == (pick_min[k] != 0) ? a[k] : b[k];
    }
    emu_put(w, u->d, r, mask);
}

EMU_HOT static void absolute(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, true, a);
    for (int k = 0; k < EMU_LANES; k++)
        r[k] = (int32_t)a[k] < 0 ? 0u - a[k] : a[k];
    emu_put(w, u->d, r, mask);
}

EMU_HOT static void abs_difference(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t flip = u->is_signed ? 0x80000000u : 0, r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = ((a[k] ^ flip) < (b[k] ^ flip) ? b[k] - a[k] : a[k] - b[k]) + c[k];
    emu_put(w, u->d, r, mask);
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
        u->select = (uint8_t)sass_bits(in, 73, 2);
        u->fn = dot;
        return !sass_bits(in, 75, 1); /* .2A is not known well enough */
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
        return true;
    default:
        return false;
    }
}
