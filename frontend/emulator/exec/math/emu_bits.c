/* Moves, logic, shifts, bit counting, predicate logic, comparisons of integers. */
#include "frontend/emulator/exec/emu_state.h"

/* --- moves ----------------------------------------------------------------------------------- */

static void move(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_put(w, u->d, emu_src(w, u, 0), mask);
}

EMU_HOT static void select_by_pred(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), first = emu_pred(w, u, 0);

    EMU_PUT_EACH(w, u->d, mask, emu_merge(emu_lane(first, k), a[k], b[k]));
}

EMU_INLINE uint32_t flush_below(uint32_t limit, uint32_t bits)
{
    return (bits & 0x7fffffffu) < limit ? bits & 0x80000000u : bits;
}

/* The same with sign modifiers: FSEL. */
EMU_HOT static void select_float(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), first = emu_pred(w, u, 0);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    const uint32_t flushed = u->ftz ? 0x00800000u : 0; /* smaller magnitudes become 0 */

    EMU_PUT_EACH(w, u->d, mask,
                 flush_below(flushed, emu_merge(emu_lane(first, k), emu_modified(&ma, a[k]),
                                                emu_modified(&mb, b[k]))));
}

/* --- logic ----------------------------------------------------------------------------------- */

#define LOGIC(name, expression)                                                                    \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);        \
        (void)a, (void)c;                                                                          \
        EMU_PUT_EACH(w, u->d, mask, expression);                                                   \
    }

LOGIC(logic_and, a[k] & b[k])
LOGIC(logic_or, a[k] | b[k])
LOGIC(logic_xor, a[k] ^ b[k])
LOGIC(logic_not_b, ~b[k])
LOGIC(logic_xor3, a[k] ^ b[k] ^ c[k])
LOGIC(logic_and_or, (a[k] & b[k]) | c[k])

/* Any function of three bits, given by its truth table; the predicate result is "not zero". */
EMU_HOT static void logic_any(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t in = emu_pred(w, u, 0);
    uint32_t t[8], *out = w->r + u->d, any = 0;

    for (unsigned i = 0; i < 8; i++)
        t[i] = 0u - (u->imm >> i & 1);
    EMU_ANY_ORDER
    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t low = emu_merge(b[k], emu_merge(c[k], t[3], t[2]), emu_merge(c[k], t[1], t[0]));
        uint32_t high = emu_merge(b[k], emu_merge(c[k], t[7], t[6]), emu_merge(c[k], t[5], t[4]));
        uint32_t r = emu_merge(a[k], high, low);
        any |= emu_lane_bit[k] & (0 - (uint32_t)(r != 0));
        out[k] = emu_merge(emu_lane(mask, k), r, out[k]);
    }
    emu_set_pred(w, u->pd[0], u->select ? any & in : any | in, mask);
}

static void bind_logic(const sass_inst_t *in, emu_uop_t *u)
{
    static const struct {
        uint8_t lut;
        emu_fn_t fn;
    } common[] = {
        {0xc0, logic_and},   {0xfc, logic_or},   {0x3c, logic_xor},
        {0x33, logic_not_b}, {0x96, logic_xor3}, {0xea, logic_and_or},
    };

    u->imm = sass_bits(in, 72, 8);
    u->select = (uint8_t)sass_bits(in, 80, 1); /* PAND */
    u->fn = logic_any;
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        if (common[i].lut == u->imm && u->pd[0] == EMU_PRED_SINK)
            u->fn = common[i].fn;
}

/* Two functions of three bits in each lane. */
static void bit_logic(emu_warp_t *w, const emu_uop_t *u, const uint32_t p[3], uint32_t mask)
{
    uint32_t luts[2] = {u->imm, u->imm2}, r[2] = {0, 0};

    for (unsigned i = 0; i < 8; i++) {
        uint32_t term = (i & 4 ? p[0] : ~p[0]) & (i & 2 ? p[1] : ~p[1]) & (i & 1 ? p[2] : ~p[2]);
        for (unsigned j = 0; j < 2; j++)
            r[j] |= luts[j] >> i & 1 ? term : 0;
    }
    emu_set_pred(w, u->pd[0], r[0], mask);
    emu_set_pred(w, u->pd[1], r[1], mask);
}

/* Of three predicates. */
static void pred_logic(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    bit_logic(w, u, (uint32_t[]){emu_pred(w, u, 0), emu_pred(w, u, 1), emu_pred(w, u, 2)}, mask);
}

/* Of the signs of three words: whether a sum overflows, for additions that saturate. */
static void sign_logic(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t p[3] = {0};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            p[i] |= (emu_src(w, u, i)[k] >> 31) << k;
    bit_logic(w, u, p, mask);
}

/* Whether the first predicate is P0 or UP0. */
static unsigned first_pred(const emu_uop_t *u)
{
    return u->sass->uniform ? EMU_PRED_UNIFORM : 0;
}

/* Copies predicates 0 to 6 to a byte of a register, as bits. */
static void preds_to_register(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *select = emu_src(w, u, 1);
    const uint32_t *preds = w->p + first_pred(u);
    unsigned shift = 8u * u->select;
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint32_t bits = 0, m = select[k] << shift;
        for (unsigned p = 0; p < SASS_PT; p++)
            bits |= (preds[p] >> k & 1) << (p + shift);
        r[k] = (a[k] & ~m) | (bits & m);
    }
    emu_put(w, u->d, r, mask);
}

static void register_to_preds(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *select = emu_src(w, u, 1);
    unsigned shift = 8u * u->select;

    for (unsigned p = 0; p < SASS_PT; p++) {
        uint32_t value = 0, chosen = 0;
        for (int k = 0; k < EMU_LANES; k++) {
            value |= (a[k] >> (p + shift) & 1) << k;
            chosen |= (select[k] >> p & 1) << k;
        }
        emu_set_pred(w, first_pred(u) + p, value, mask & chosen);
    }
}

/* --- shifts ---------------------------------------------------------------------------------- */

/* SHF: shifts the 64-bit value (c, a); returns its low or high word. */
EMU_HOT static void funnel(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    bool right = sass_bits(u->sass, 76, 1), wrap = sass_bits(u->sass, 75, 1);
    bool wide = sass_bits(u->sass, 73, 2) < 2, sign = !(sass_bits(u->sass, 73, 1));
    bool high = sass_bits(u->sass, 80, 1);
    uint32_t limit = wide ? 64 : 32, r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint32_t n = wrap ? b[k] & (limit - 1) : b[k] < limit ? b[k] : limit;
        uint64_t v = a[k] | (uint64_t)c[k] << 32, out = sign && right ? 0 - (v >> 63) : 0;
        if (n < 64)
            out = !right ? v << n : sign ? (uint64_t)((int64_t)v >> n) : v >> n;
        r[k] = (uint32_t)(high ? out >> 32 : out);
    }
    emu_put(w, u->d, r, mask);
}

/* The usual shifts: by a constant below 32, with one half of the 64 bits zero. */
EMU_HOT static void shift_left(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), n = u->imm;

    EMU_PUT_EACH(w, u->d, mask, a[k] << n);
}

EMU_HOT static void shift_right(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *c = emu_src(w, u, 2), n = u->imm;

    EMU_PUT_EACH(w, u->d, mask, c[k] >> n);
}

EMU_HOT static void shift_right_signed(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *c = emu_src(w, u, 2), n = u->imm;

    EMU_PUT_EACH(w, u->d, mask, (uint32_t)((int32_t)c[k] >> n));
}

static void bind_shift(const sass_inst_t *in, emu_uop_t *u)
{
    const sass_operand_t *n = &in->operand[2];
    bool right = sass_bits(in, 76, 1), high = sass_bits(in, 80, 1);
    unsigned type = sass_bits(in, 73, 2);

    u->fn = funnel;
    if (n->kind != SASS_OPERAND_IMM || n->value < 0 || n->value > 31)
        return;
    u->imm = (uint32_t)n->value;
    if (!right && !high)
        u->fn = shift_left;
    else if (right && high && (type == 3 || type == 1))
        u->fn = shift_right;
    else if (right && high)
        u->fn = shift_right_signed;
}

EMU_HOT static void permute(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t v = a[k] | (uint64_t)c[k] << 32;
        r[k] = 0;
        for (unsigned i = 0; i < 4; i++) {
            unsigned n = b[k] >> (4 * i) & 15;
            uint32_t byte = (uint32_t)(v >> (8 * (n & 7))) & 255;
            if (n & 8)
                byte = byte & 128 ? 255 : 0;
            r[k] |= byte << (8 * i);
        }
    }
    emu_put(w, u->d, r, mask);
}

/* The special modes of PRMT (PTX ISA, prmt): the selector's two low bits n choose the bytes. */
static void permute_mode(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint64_t v = a[k] | (uint64_t)c[k] << 32;
        unsigned n = b[k] & 3;
        r[k] = 0;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned from[7] = {0,
                                      (n + i) & 7,            /* F4E */
                                      (n + 8 - i) & 7,        /* B4E */
                                      n,                      /* RC8 */
                                      i > n ? i : n,          /* ECL */
                                      i < n ? i : n,          /* ECR */
                                      2 * (n & 1) + (i & 1)}; /* RC16 */
            r[k] |= ((uint32_t)(v >> (8 * from[u->select])) & 255) << (8 * i);
        }
    }
    emu_put(w, u->d, r, mask);
}

/* BMSK: b ones from bit a on. */
static void bit_mask(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    bool wrap = sass_bits(u->sass, 75, 1);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint32_t at = wrap ? a[k] & 31 : a[k], n = wrap ? b[k] & 31 : b[k];
        uint32_t ones = n >= 32 ? EMU_ALL : (1u << n) - 1;
        r[k] = at >= 32 ? 0 : ones << at;
    }
    emu_put(w, u->d, r, mask);
}

/* SGXT: the low b bits of a, with sign or zero extension. */
static void extend(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    bool sign = sass_bits(u->sass, 73, 1), wrap = sass_bits(u->sass, 75, 1);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        uint32_t n = wrap ? b[k] & 31 : b[k];
        if (n >= 32)
            r[k] = a[k];
        else if (n == 0)
            r[k] = 0;
        else
            r[k] =
                sign ? (uint32_t)((int32_t)(a[k] << (32 - n)) >> (32 - n)) : a[k] & ((1u << n) - 1);
    }
    emu_put(w, u->d, r, mask);
}

/* --- counting -------------------------------------------------------------------------------- */

static void count_ones(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], r[EMU_LANES];

    emu_load(w, u, 0, true, a);
    for (int k = 0; k < EMU_LANES; k++)
        r[k] = (uint32_t)__builtin_popcount(a[k]);
    emu_put(w, u->d, r, mask);
}

static uint32_t reversed(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}

static void reverse_bits(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = reversed(a[k]);
    emu_put(w, u->d, r, mask);
}

/*
 * FLO: position of the highest one (signed: of the highest bit that differs from the sign), or its
 * distance from bit 31 (.SH); all ones if there is none. The predicate says whether there is
 * one.
 */
static void find_leading_one(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    bool sign = sass_bits(u->sass, 73, 1), shift = sass_bits(u->sass, 74, 1);
    uint32_t a[EMU_LANES], r[EMU_LANES], found = 0;

    emu_load(w, u, 0, true, a);
    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t v = sign && (int32_t)a[k] < 0 ? ~a[k] : a[k];
        uint32_t zeros = v != 0 ? (uint32_t)__builtin_clz(v) : 0;
        r[k] = v == 0 ? EMU_ALL : shift ? zeros : 31 - zeros;
        found |= v != 0 ? emu_lane_bit[k] : 0;
    }
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], found, mask);
}

bool emu_bind_bits(const sass_inst_t *in, emu_uop_t *u)
{
    switch (in->op) {
    case SASS_MOV:
        u->fn = move;
        return true;
    case SASS_SEL:
        u->fn = select_by_pred;
        return true;
    case SASS_FSEL:
        u->ftz = sass_bits(in, 80, 1);
        u->fn = u->mod || u->ftz ? select_float : select_by_pred;
        return true;
    case SASS_LOP3:
        bind_logic(in, u);
        return true;
    case SASS_PLOP3:
        u->imm = sass_bits(in, 72, 5) << 3 | sass_bits(in, 64, 3);
        u->imm2 = sass_bits(in, 16, 8);
        u->fn = pred_logic;
        return true;
    case SASS_PLOP3_SIGN:
        u->imm = sass_bits(in, 72, 8);
        u->imm2 = sass_bits(in, 16, 8);
        u->fn = sign_logic;
        return true;
    case SASS_P2R:
    case SASS_R2P:
        u->select = (uint8_t)sass_bits(in, 76, 2);
        u->fn = in->op == SASS_P2R ? preds_to_register : register_to_preds;
        return true;
    case SASS_SHF:
        bind_shift(in, u);
        return true;
    case SASS_PRMT:
        u->select = (uint8_t)sass_bits(in, 72, 3);
        u->fn = u->select == 0 ? permute : permute_mode;
        return u->select < 7;
    case SASS_BMSK:
        u->fn = bit_mask;
        return true;
    case SASS_SGXT:
        u->fn = extend;
        return true;
    case SASS_POPC:
        u->fn = count_ones;
        return true;
    case SASS_BREV:
        u->fn = reverse_bits;
        return true;
    case SASS_FLO:
        u->fn = find_leading_one;
        return true;
    default:
        return false;
    }
}
