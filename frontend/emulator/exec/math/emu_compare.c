/* Comparisons that write predicates: ISETP, FSETP, DSETP, and FSET, FCHK. */
#include <math.h>

#include "frontend/emulator/exec/emu_state.h"

enum { DOUBLE_MIN = 0, DOUBLE_MAX = 15 }; /* codes that have another meaning in DSETP */

/* Writes the comparison combined with a predicate; the second result uses the complement. */
static void set_both(emu_warp_t *w, const emu_uop_t *u, uint32_t result, uint32_t mask)
{
    uint32_t q = emu_pred(w, u, 0), both[2] = {result, ~result};

    for (unsigned i = 0; i < 2; i++)
        both[i] = u->select == 0 ? both[i] & q : u->select == 1 ? both[i] | q : both[i] ^ q;
    emu_set_pred(w, u->pd[0], both[0], mask);
    emu_set_pred(w, u->pd[1], both[1], mask);
}

/* --- integers -------------------------------------------------------------------------------- */

#define INT_COMPARE(name, type, operator)                                                          \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);                               \
        uint32_t r;                                                                                \
        EMU_WHERE(r, (type)a[k] operator(type) b[k]);                                              \
        set_both(w, u, r, mask);                                                                   \
    }

INT_COMPARE(lt_s, int32_t, <)
INT_COMPARE(le_s, int32_t, <=)
INT_COMPARE(gt_s, int32_t, >)
INT_COMPARE(ge_s, int32_t, >=)
INT_COMPARE(lt_u, uint32_t, <)
INT_COMPARE(le_u, uint32_t, <=)
INT_COMPARE(gt_u, uint32_t, >)
INT_COMPARE(ge_u, uint32_t, >=)
INT_COMPARE(eq, uint32_t, ==)
INT_COMPARE(ne, uint32_t, !=)

static void always_false(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    set_both(w, u, 0, mask);
}

static void always_true(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    set_both(w, u, EMU_ALL, mask);
}

/*
 * Compares the upper words of 64-bit values; predicate 1 is the result for the lower words. Sources
 * may be negated (carry chain of a subtraction).
 */
EMU_HOT static void compare_extended(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    uint32_t flip = u->is_signed ? 0x80000000u : 0, low = emu_pred(w, u, 1), r, lt, eq_bits;

    EMU_WHERE(lt, (emu_modified(&ma, a[k]) ^ flip) < (emu_modified(&mb, b[k]) ^ flip));
    EMU_WHERE(eq_bits, emu_modified(&ma, a[k]) == emu_modified(&mb, b[k]));
    uint32_t gt = ~lt & ~eq_bits;
    switch (u->imm) {
    case 1: /* LT */
    case 3: /* LE */
        r = lt | (eq_bits & low);
        break;
    case 4: /* GT */
    case 6: /* GE */
        r = gt | (eq_bits & low);
        break;
    case 2: /* EQ */
        r = eq_bits & low;
        break;
    case 5: /* NE */
        r = ~eq_bits | low;
        break;
    default:
        r = u->imm == 7 ? EMU_ALL : 0;
    }
    set_both(w, u, r, mask);
}

static bool bind_int_compare(const sass_inst_t *in, emu_uop_t *u)
{
    static const emu_fn_t fns[2][8] = {
        {always_false, lt_u, eq, le_u, gt_u, ne, ge_u, always_true},
        {always_false, lt_s, eq, le_s, gt_s, ne, ge_s, always_true},
    };

    u->is_signed = sass_bits(in, 73, 1);
    u->imm = sass_bits(in, 76, 3);
    u->fn = in->extended ? compare_extended : fns[u->is_signed][u->imm];
    return in->extended || !u->mod;
}

/* --- floating point -------------------------------------------------------------------------- */

/* Operation codes: 0-7 ordered, 8 NAN, 9-15 like 1-7 or unordered. */
enum { CMP_NUM = 7, CMP_NAN = 8, CMP_TRUE = 15 };

/* The result of operation op, given where the operands are less, equal and unordered. */
static uint32_t combine(unsigned op, uint32_t less, uint32_t equal, uint32_t unordered)
{
    uint32_t greater = ~(less | equal | unordered), r = 0;

    if (op == CMP_NUM)
        return ~unordered;
    if (op == CMP_NAN)
        return unordered;
    if (op == CMP_TRUE)
        return EMU_ALL;
    if (op & 1)
        r |= less;
    if (op & 2)
        r |= equal;
    if (op & 4)
        r |= greater;
    if (op & 8)
        r |= unordered;
    return r;
}

/* Magnitudes below flush_below become 0. */
EMU_INLINE float comparand(const emu_mods_t *m, uint32_t flush_below, uint32_t bits)
{
    bits = emu_modified(m, bits);
    return emu_float((bits & 0x7fffffffu) < flush_below ? 0 : bits);
}

EMU_INLINE uint32_t compare_floats(emu_warp_t *w, const emu_uop_t *u)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    const uint32_t ftz = u->ftz ? 0x00800000u : 0;
    uint32_t less = 0, equal = 0, unordered = 0;

    for (unsigned k = 0; k < EMU_LANES; k++) {
        float x = comparand(&ma, ftz, a[k]), y = comparand(&mb, ftz, b[k]);
        less |= x < y ? emu_lane_bit[k] : 0;
        equal |= x == y ? emu_lane_bit[k] : 0;
        unordered |= __builtin_isunordered(x, y) ? emu_lane_bit[k] : 0;
    }
    return combine(u->imm, less, equal, unordered);
}

EMU_HOT static void float_setp(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    set_both(w, u, compare_floats(w, u), mask);
}

EMU_HOT static void float_set(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t r = compare_floats(w, u), q = emu_pred(w, u, 0);

    r = u->select == 0 ? r & q : u->select == 1 ? r | q : r ^ q;
    EMU_PUT_EACH(w, u->d, mask, emu_lane(r, k) & 0x3f800000u); /* 1.0 */
}

EMU_INLINE double as_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

EMU_HOT static void double_setp(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    uint32_t less = 0, equal = 0, unordered = 0;

    for (unsigned k = 0; k < EMU_LANES; k++) {
        double x = as_double(a[k] | (uint64_t)emu_modified(&ma, a[k + EMU_LANES]) << 32);
        double y = as_double(b[k] | (uint64_t)emu_modified(&mb, b[k + EMU_LANES]) << 32);
        less |= x < y ? emu_lane_bit[k] : 0;
        equal |= x == y ? emu_lane_bit[k] : 0;
        unordered |= __builtin_isunordered(x, y) ? emu_lane_bit[k] : 0;
    }
    set_both(w, u, combine(u->imm, less, equal, unordered), mask);
}

/*
 * FCHK: whether the quotient a / b needs the slow path of the division routine. The hardware's
 * condition on exponents is undocumented; this is the range in which the fast path is exact.
 */
EMU_INLINE bool needs_slow_path(uint32_t a, uint32_t b)
{
    int32_t ea = (int32_t)(a >> 23 & 255), eb = (int32_t)(b >> 23 & 255), d = ea - eb;
    bool far = (d > 125) | (d < -125) | (ea < 25);

    return (eb < 2) | (eb > 252) | (ea == 255) | ((ea != 0) & far);
}

EMU_HOT static void division_check(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    uint32_t slow;

    EMU_WHERE(slow, needs_slow_path(emu_modified(&ma, a[k]), emu_modified(&mb, b[k])));
    emu_set_pred(w, u->pd[0], slow, mask);
}

/*
 * DSETP.MIN and .MAX: the first predicate says whether the first source is the result of fmin() or
 * fmax(), the second whether the result is a NaN. -0 is less than +0.
 */
static void double_choice(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    const emu_mods_t ma = emu_mods(u, 0), mb = emu_mods(u, 1);
    uint32_t first = 0, nan = 0, q = emu_pred(w, u, 0);
    bool min = u->imm == DOUBLE_MIN;

    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t high = emu_modified(&ma, a[k + EMU_LANES]);
        double x = as_double(a[k] | (uint64_t)high << 32);
        double y = as_double(b[k] | (uint64_t)emu_modified(&mb, b[k + EMU_LANES]) << 32);
        bool less = x < y || (x == y && high >> 31 != 0);
        bool takes = min ? less : x > y || (x == y && high >> 31 == 0);
        bool x_nan = x != x, y_nan = y != y;
        first |= (uint32_t)(y_nan ? !x_nan : takes) << k;
        nan |= (uint32_t)(x_nan && y_nan) << k;
    }
    emu_set_pred(w, u->pd[0], first & q, mask);
    emu_set_pred(w, u->pd[1], nan & q, mask);
}

bool emu_bind_compare(const sass_inst_t *in, emu_uop_t *u)
{
    u->select = (uint8_t)sass_bits(in, 74, 2);
    switch (in->op) {
    case SASS_ISETP:
        return bind_int_compare(in, u) && u->select < 3;
    case SASS_FSETP:
    case SASS_FSET:
        u->imm = sass_bits(in, 76, 4);
        u->ftz = sass_bits(in, 80, 1);
        u->fn = in->op == SASS_FSETP ? float_setp : float_set;
        return u->select < 3;
    case SASS_DSETP:
        u->imm = sass_bits(in, 76, 4);
        if (u->imm == DOUBLE_MIN || u->imm == DOUBLE_MAX) {
            u->fn = double_choice;
            return u->select == 0;
        }
        u->fn = double_setp;
        return u->select < 3;
    case SASS_FCHK:
        u->fn = division_check;
        return true;
    default:
        return false;
    }
}
