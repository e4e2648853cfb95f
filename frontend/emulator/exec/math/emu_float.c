/*
 * Single precision: FADD, FMUL, FFMA, FMNMX.
 *
 * Results follow IEEE 754 in the instruction's rounding mode; denormals are kept unless the
 * instruction has .FTZ.
 */
#include "frontend/emulator/exec/math/emu_float.h"
#include "frontend/emulator/exec/math/emu_round.h"

/*
 * Defines name, for unmodified sources and results and rounding to nearest, and name_all, for all
 * cases; the expressions use x[k], y[k], z[k].
 */
#define ARITHMETIC(name, plain, all)                                                               \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        const emu_f32_t *x = (const emu_f32_t *)emu_src(w, u, 0);                                  \
        const emu_f32_t *y = (const emu_f32_t *)emu_src(w, u, 1);                                  \
        const emu_f32_t *z = (const emu_f32_t *)emu_src(w, u, 2);                                  \
        (void)z;                                                                                   \
        EMU_PUT_EACH(w, u->d, mask, emu_result_bits(plain));                                       \
    }                                                                                              \
    EMU_HOT static void name##_all(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)               \
    {                                                                                              \
        const uint32_t *x = emu_src(w, u, 0), *y = emu_src(w, u, 1), *z = emu_src(w, u, 2);        \
        const emu_extras_t e = emu_extras_of(u);                                                   \
        (void)z;                                                                                   \
        unsigned old = emu_round_begin(u->round);                                                  \
        EMU_PUT_EACH(w, u->d, mask, emu_finished(&e, all));                                        \
        emu_round_end(old);                                                                        \
    }

ARITHMETIC(add32, x[k] + y[k], emu_source(&e, 0, x[k]) + emu_source(&e, 1, y[k]))
ARITHMETIC(mul32, x[k] * y[k], emu_source(&e, 0, x[k]) * emu_source(&e, 1, y[k]))
ARITHMETIC(fma32, __builtin_fmaf(x[k], y[k], z[k]),
           __builtin_fmaf(emu_source(&e, 0, x[k]), emu_source(&e, 1, y[k]),
                          emu_source(&e, 2, z[k])))

/* FMUL followed by a multiplication with a power of two; the product is rounded once. */
EMU_HOT static void fmul_scaled(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    static const double scales[8] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8};
    const uint32_t *x = emu_src(w, u, 0), *y = emu_src(w, u, 1);
    const emu_extras_t e = emu_extras_of(u);
    const double scale = scales[u->select];

    unsigned old = emu_round_begin(u->round);
    EMU_PUT_EACH(w, u->d, mask,
                 emu_finished(&e, (float)((double)emu_source(&e, 0, x[k]) *
                                          (double)emu_source(&e, 1, y[k]) * scale)));
    emu_round_end(old);
}

/* FMNMX: prefers a number to a NaN; -0 is less than +0. */
EMU_INLINE uint32_t minmax(float x, float y, uint32_t pick_min)
{
    uint32_t a = emu_float_bits(x), b = emu_float_bits(y);
    uint32_t low = x < y ? a : x == y ? a | b : b;
    uint32_t high = x > y ? a : x == y ? a & b : b;
    uint32_t v = emu_merge(pick_min, low, high);

    v = x == x ? v : b;
    v = y == y ? v : a;
    return x != x && y != y ? (uint32_t)EMU_NAN_BITS : v;
}

EMU_HOT static void fminmax(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *x = emu_src(w, u, 0), *y = emu_src(w, u, 1), pick_min = emu_pred(w, u, 0);
    const emu_extras_t e = emu_extras_of(u);

    EMU_PUT_EACH(w, u->d, mask,
                 minmax(emu_source(&e, 0, x[k]), emu_source(&e, 1, y[k]), emu_lane(pick_min, k)));
}

static void bind_arithmetic(const sass_inst_t *in, emu_uop_t *u, emu_fn_t plain, emu_fn_t all)
{
    u->ftz = sass_bits(in, 80, 1);
    u->sat = sass_bits(in, 77, 1);
    u->round = (uint8_t)sass_bits(in, 78, 2);
    u->fn = u->mod || u->ftz || u->sat || u->round != 0 ? all : plain;
}

bool emu_bind_float(const sass_inst_t *in, emu_uop_t *u)
{
    switch (in->op) {
    case SASS_FADD:
        bind_arithmetic(in, u, add32, add32_all);
        return true;
    case SASS_FMUL:
        u->select = (uint8_t)sass_bits(in, 84, 3);
        bind_arithmetic(in, u, mul32, mul32_all);
        if (u->select != 4)
            u->fn = fmul_scaled;
        return u->select != 0;
    case SASS_FFMA:
        bind_arithmetic(in, u, fma32, fma32_all);
        return true;
    case SASS_FMNMX:
        u->ftz = sass_bits(in, 80, 1);
        u->fn = fminmax;
        return true;
    default:
        return false;
    }
}
