/*
 * Single precision: FADD, FMUL, FFMA, FMNMX, MUFU.
 *
 * Results are those of IEEE 754 in the instruction's rounding mode; denormals are kept unless the
 * instruction says .FTZ. Every NaN that comes out is the hardware's, 0x7fffffff. MUFU computes in
 * double precision and rounds: at most 1 ulp from the exact result, where the hardware's tables
 * are documented to be within 1 to 2 ulp.
 */
#include <math.h>

#include "frontend/sass/emu_round.h"
#include "frontend/sass/emu_state.h"

enum { NAN_BITS = 0x7fffffff };

EMU_INLINE void flush(uint32_t v[EMU_LANES])
{
    for (int k = 0; k < EMU_LANES; k++)
        v[k] = (v[k] & 0x7f800000u) == 0 ? v[k] & 0x80000000u : v[k];
}

EMU_INLINE void load_float(const emu_warp_t *w, const emu_uop_t *u, unsigned i, bool all,
                           uint32_t v[EMU_LANES])
{
    emu_load(w, u, i, all, v);
    if (all && u->ftz)
        flush(v);
}

/* NaN, flushing and saturation of a result, then the register. */
EMU_INLINE void put_float(emu_warp_t *w, const emu_uop_t *u, uint32_t r[EMU_LANES], uint32_t mask,
                          bool all)
{
    const emu_f32_t *f = (const emu_f32_t *)r;

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = f[k] == f[k] ? r[k] : (uint32_t)NAN_BITS;
    if (all && u->ftz)
        flush(r);
    if (all && u->sat)
        for (int k = 0; k < EMU_LANES; k++)
            r[k] = f[k] > 0 ? (f[k] < 1 ? r[k] : 0x3f800000u) : 0; /* NaN gives 0 */
    emu_put(w, u->d, r, mask);
}

EMU_INLINE void add32_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool all)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a, *y = (const emu_f32_t *)b;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, all, a);
    load_float(w, u, 1, all, b);
    unsigned old = all ? emu_round_begin(u->round) : 0;
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = x[k] + y[k];
    if (all)
        emu_round_end(old);
    put_float(w, u, r, mask, all);
}

EMU_INLINE void mul32_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool all)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a, *y = (const emu_f32_t *)b;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, all, a);
    load_float(w, u, 1, all, b);
    unsigned old = all ? emu_round_begin(u->round) : 0;
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = x[k] * y[k];
    if (all)
        emu_round_end(old);
    put_float(w, u, r, mask, all);
}

EMU_INLINE void fma32_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, bool all)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a, *y = (const emu_f32_t *)b;
    const emu_f32_t *v = (const emu_f32_t *)c;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, all, a);
    load_float(w, u, 1, all, b);
    load_float(w, u, 2, all, c);
    unsigned old = all ? emu_round_begin(u->round) : 0;
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = __builtin_fmaf(x[k], y[k], v[k]);
    if (all)
        emu_round_end(old);
    put_float(w, u, r, mask, all);
}

#define TWO_FORMS(name)                                                                            \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        name##_body(w, u, mask, false);                                                            \
    }                                                                                              \
    EMU_HOT static void name##_all(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)               \
    {                                                                                              \
        name##_body(w, u, mask, true);                                                             \
    }

TWO_FORMS(add32)
TWO_FORMS(mul32)
TWO_FORMS(fma32)

/* FMUL with a power of two behind it; the product is rounded once. */
EMU_HOT static void fmul_scaled(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    static const double scales[8] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8};
    uint32_t a[EMU_LANES], b[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a, *y = (const emu_f32_t *)b;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, true, a);
    load_float(w, u, 1, true, b);
    unsigned old = emu_round_begin(u->round);
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = (float)((double)x[k] * (double)y[k] * scales[u->select]);
    emu_round_end(old);
    put_float(w, u, r, mask, true);
}

/* FMNMX: a number wins over a NaN, and -0 is less than +0. */
EMU_HOT static void fminmax(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], b[EMU_LANES], pick_min[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a, *y = (const emu_f32_t *)b;

    load_float(w, u, 0, true, a);
    load_float(w, u, 1, true, b);
    emu_expand(emu_pred(w, u, 0), pick_min);
    for (int k = 0; k < EMU_LANES; k++) {
        uint32_t low = x[k] < y[k] ? a[k] : x[k] == y[k] ? a[k] | b[k] : b[k];
        uint32_t high = x[k] > y[k] ? a[k] : x[k] == y[k] ? a[k] & b[k] : b[k];
        uint32_t v = pick_min[k] ? low : high;
        v = x[k] == x[k] ? v : b[k];
        r[k] = y[k] == y[k] ? v : a[k];
    }
    put_float(w, u, r, mask, false);
}

static void bind_arithmetic(const sass_inst_t *in, emu_uop_t *u, emu_fn_t plain, emu_fn_t all)
{
    u->ftz = sass_bits(in, 80, 1);
    u->sat = sass_bits(in, 77, 1);
    u->round = (uint8_t)sass_bits(in, 78, 2);
    u->fn = u->mod || u->ftz || u->sat || u->round != 0 ? all : plain;
}

/* --- MUFU ------------------------------------------------------------------------------------ */

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

static float mufu_value(unsigned function, float x)
{
    const double turn = 6.283185307179586476925;

    switch (function) {
    case MUFU_COS:
        return (float)cos((double)x * turn);
    case MUFU_SIN:
        return (float)sin((double)x * turn);
    case MUFU_EX2:
        return exp2f(x);
    case MUFU_LG2:
        return log2f(x);
    case MUFU_SQRT:
        return sqrtf(x);
    default:
        return tanhf(x);
    }
}

EMU_HOT static void reciprocal(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, true, a);
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = 1.0f / x[k];
    put_float(w, u, r, mask, true);
}

/* Two roundings: 1 ulp. */
EMU_HOT static void reciprocal_root(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, true, a);
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = 1.0f / __builtin_sqrtf(x[k]);
    put_float(w, u, r, mask, true);
}

static void mufu(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t a[EMU_LANES], r[EMU_LANES];
    const emu_f32_t *x = (const emu_f32_t *)a;
    emu_f32_t *z = (emu_f32_t *)r;

    load_float(w, u, 0, true, a);
    for (int k = 0; k < EMU_LANES; k++)
        z[k] = mask >> k & 1 ? mufu_value(u->select, x[k]) : 0.0f;
    put_float(w, u, r, mask, true);
}

/* The upper word of a double in, the upper word of the approximation out. */
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

static bool bind_mufu(const sass_inst_t *in, emu_uop_t *u)
{
    u->select = (uint8_t)sass_bits(in, 74, 4);
    u->ftz = true; /* denormals in and out are zero */
    u->fn = u->select == MUFU_RCP64H || u->select == MUFU_RSQ64H ? mufu_double
            : u->select == MUFU_RCP                              ? reciprocal
            : u->select == MUFU_RSQ                              ? reciprocal_root
                                                                 : mufu;
    return u->select < MUFU_COUNT;
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
    case SASS_MUFU:
        return bind_mufu(in, u);
    default:
        return false;
    }
}
