/* Data exchange between the lanes of a warp: SHFL, VOTE, MATCH, REDUX, R2UR. */
#include "frontend/emulator/exec/emu_state.h"

/* In the order of the encoding. */
enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

/*
 * PTX ISA, shfl: bits 8-12 of c select the lanes of a segment, bits 0-4 the bound. The predicate
 * says whether the source lane is in bounds; if not, the lane keeps its own value.
 */
EMU_INLINE void shuffle_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, unsigned mode)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t r[EMU_LANES], ok[EMU_LANES], from[EMU_LANES];

    for (uint32_t k = 0; k < EMU_LANES; k++) {
        uint32_t n = b[k] & 31, segment = c[k] >> 8 & 31, bound = c[k] & 31;
        uint32_t first = k & segment, last = first | (bound & ~segment);
        uint32_t to = mode == SHFL_UP     ? k - n
                      : mode == SHFL_DOWN ? k + n
                      : mode == SHFL_BFLY ? k ^ n
                                          : first | (n & ~segment);
        ok[k] = mode == SHFL_UP ? (int32_t)to >= (int32_t)last : to <= last;
        from[k] = ok[k] ? to & 31 : k;
    }
    for (int k = 0; k < EMU_LANES; k += 4)
        emu_put4(r + k, a[from[k]], a[from[k + 1]], a[from[k + 2]], a[from[k + 3]]);
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], emu_bits(ok), mask);
}

#define SHUFFLE(name, mode)                                                                        \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        shuffle_body(w, u, mask, mode);                                                            \
    }
SHUFFLE(shuffle_idx, SHFL_IDX)
SHUFFLE(shuffle_up, SHFL_UP)
SHUFFLE(shuffle_down, SHFL_DOWN)
SHUFFLE(shuffle_bfly, SHFL_BFLY)

enum { VOTE_ALL, VOTE_ANY, VOTE_EQ };

/* The ballot, and its predicate: all, any, or equal. */
static void vote(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t yes = emu_pred(w, u, 0) & mask, r[EMU_LANES];
    bool all = yes == mask, result = u->select == VOTE_ALL   ? all
                                     : u->select == VOTE_ANY ? yes != 0
                                                             : all || yes == 0;
    uint32_t lanes = u->is_signed ? EMU_ALL : mask; /* is_signed: the result is uniform */

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = yes;
    emu_put(w, u->d, r, lanes);
    emu_set_pred(w, u->pd[0], result ? EMU_ALL : 0, lanes);
}

/* MATCH.ANY: the active lanes with the same value. MATCH.ALL: all active lanes, or none. */
static void match(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    bool wide = sass_bits(u->sass, 73, 1), any = sass_bits(u->sass, 79, 1);
    uint32_t r[EMU_LANES] = {0}, all = 0;

    for (int k = 0; k < EMU_LANES; k++) {
        for (int i = 0; i < EMU_LANES; i++) {
            bool same = a[i] == a[k] && (!wide || a[i + EMU_LANES] == a[k + EMU_LANES]);
            r[k] |= (uint32_t)same << i;
        }
        r[k] &= mask;
        if (r[k] == mask)
            all |= 1u << k;
        else if (!any)
            r[k] = 0;
    }
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], all, mask);
}

/* Copies the value of the first active lane to all lanes. */
static void to_uniform(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    uint32_t r[EMU_LANES], v = a[__builtin_ctz(mask)];

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = v;
    emu_put(w, u->d, r, EMU_ALL);
}

/* The same, and a predicate that is true in the lanes with another value. */
static void to_uniform_once(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    uint32_t r[EMU_LANES], v = a[__builtin_ctz(mask)], others = 0;

    for (unsigned k = 0; k < EMU_LANES; k++) {
        r[k] = v;
        others |= (uint32_t)(a[k] != v) << k;
    }
    emu_put(w, u->d, r, EMU_ALL);
    emu_set_pred(w, u->pd[0], others, mask);
}

/* In the order of the encoding. */
enum { REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_SUM, REDUX_MIN, REDUX_MAX };

static uint32_t reduced(const emu_uop_t *u, uint32_t x, uint32_t y)
{
    const bool below = u->is_signed ? (int32_t)x < (int32_t)y : x < y;

    switch (u->select) {
    case REDUX_AND:
        return x & y;
    case REDUX_OR:
        return x | y;
    case REDUX_XOR:
        return x ^ y;
    case REDUX_SUM:
        return x + y;
    case REDUX_MIN:
        return below ? x : y;
    default:
        return below ? y : x;
    }
}

/* REDUX: combines the values of the active lanes; the result is uniform. */
static void reduce(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    uint32_t r[EMU_LANES], v = a[__builtin_ctz(mask)];

    for (uint32_t left = mask & (mask - 1); left != 0; left &= left - 1)
        v = reduced(u, v, a[__builtin_ctz(left)]);
    for (unsigned k = 0; k < EMU_LANES; k++)
        r[k] = v;
    emu_put(w, u->d, r, EMU_ALL);
}

bool emu_bind_warp(const sass_inst_t *in, emu_uop_t *u)
{
    static const emu_fn_t shuffles[] = {shuffle_idx, shuffle_up, shuffle_down, shuffle_bfly};

    switch (in->op) {
    case SASS_SHFL:
        u->fn = shuffles[sass_bits(in, 58, 2)];
        return true;
    case SASS_VOTE:
        u->select = (uint8_t)sass_bits(in, 72, 2);
        u->is_signed = (in->lo & 0x1ff) == 0x086; /* VOTEU */
        u->fn = vote;
        return u->select < 3;
    case SASS_MATCH:
        u->fn = match;
        return true;
    case SASS_R2UR:
        u->fn = u->pd[0] == EMU_PRED_SINK ? to_uniform : to_uniform_once;
        return true;
    case SASS_REDUX:
        u->select = (uint8_t)sass_bits(in, 78, 3);
        u->is_signed = sass_bits(in, 73, 1);
        u->fn = reduce;
        return u->select <= REDUX_MAX;
    default:
        return false;
    }
}
