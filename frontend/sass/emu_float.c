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

/* What the instruction does to each of its sources and to its result, beside the operation. */
typedef struct {
    emu_mods_t mods[3];
    uint32_t flush_below; /* magnitudes that become 0: denormals with .FTZ, else none */
    uint32_t sat;         /* all ones: saturate to 0 .. 1 */
} extras_t;

EMU_INLINE extras_t extras_of(const emu_uop_t *u)
{
    return (extras_t){{emu_mods(u, 0), emu_mods(u, 1), emu_mods(u, 2)},
                      u->ftz ? 0x00800000u : 0,
                      u->sat ? EMU_ALL : 0};
}

EMU_INLINE uint32_t flushed(const extras_t *e, uint32_t bits)
{
    return (bits & 0x7fffffffu) < e->flush_below ? bits & 0x80000000u : bits;
}

/* Source i of the instruction as a number. */
EMU_INLINE float source(const extras_t *e, unsigned i, uint32_t bits)
{
    return emu_float(flushed(e, emu_modified(&e->mods[i], bits)));
}

/* Bits of a result; every NaN is the hardware's. */
EMU_INLINE uint32_t result_bits(float f)
{
    return f == f ? emu_float_bits(f) : (uint32_t)NAN_BITS;
}

/* The same flushed and saturated; saturated, NaN gives 0. */
EMU_INLINE uint32_t finished(const extras_t *e, float f)
{
    uint32_t bits = flushed(e, result_bits(f)), within = f < 1 ? bits : 0x3f800000u;

    return emu_merge(e->sat, f > 0 ? within : 0, bits);
}

/*
 * Defines name, for sources and results as they are and rounding to nearest, and name_all, for
 * everything; the expressions are in x[k], y[k], z[k].
 */
#define ARITHMETIC(name, plain, all)                                                               \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        const emu_f32_t *x = (const emu_f32_t *)emu_src(w, u, 0);                                  \
        const emu_f32_t *y = (const emu_f32_t *)emu_src(w, u, 1);                                  \
        const emu_f32_t *z = (const emu_f32_t *)emu_src(w, u, 2);                                  \
        (void)z;                                                                                   \
        EMU_PUT_EACH(w, u->d, mask, result_bits(plain));                                           \
    }                                                                                              \
    EMU_HOT static void name##_all(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)               \
    {                                                                                              \
        const uint32_t *x = emu_src(w, u, 0), *y = emu_src(w, u, 1), *z = emu_src(w, u, 2);        \
        const extras_t e = extras_of(u);                                                           \
        (void)z;                                                                                   \
        unsigned old = emu_round_begin(u->round);                                                  \
        EMU_PUT_EACH(w, u->d, mask, finished(&e, all));                                            \
        emu_round_end(old);                                                                        \
    }

ARITHMETIC(add32, x[k] + y[k], source(&e, 0, x[k]) + source(&e, 1, y[k]))
ARITHMETIC(mul32, x[k] * y[k], source(&e, 0, x[k]) * source(&e, 1, y[k]))
ARITHMETIC(fma32, __builtin_fmaf(x[k], y[k], z[k]),
           __builtin_fmaf(source(&e, 0, x[k]), source(&e, 1, y[k]), source(&e, 2, z[k])))

/* FMUL with a power of two behind it; the product is rounded once. */
EMU_HOT static void fmul_scaled(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    static const double scales[8] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8};
    const uint32_t *x = emu_src(w, u, 0), *y = emu_src(w, u, 1);
    const extras_t e = extras_of(u);
    const double scale = scales[u->select];

    unsigned old = emu_round_begin(u->round);
    EMU_PUT_EACH(
        w, u->d, mask,
        finished(&e, (float)((double)source(&e, 0, x[k]) * (double)source(&e, 1, y[k]) * scale)));
    emu_round_end(old);
}

/* FMNMX: a number wins over a NaN, and -0 is less than +0. */
EMU_INLINE uint32_t minmax(float x, float y, uint32_t pick_min)
{
    uint32_t a = emu_float_bits(x), b = emu_float_bits(y);
    uint32_t low = x < y ? a : x == y ? a | b : b;
    uint32_t high = x > y ? a : x == y ? a & b : b;
    uint32_t v = emu_merge(pick_min, low, high);

    v = x == x ? v : b;
    v = y == y ? v : a;
    return x != x && y != y ? (uint32_t)NAN_BITS : v;
}

EMU_HOT static void fminmax(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *x = emu_src(w, u, 0), *y = emu_src(w, u, 1), pick_min = emu_pred(w, u, 0);
    const extras_t e = extras_of(u);

    EMU_PUT_EACH(w, u->d, mask,
                 minmax(source(&e, 0, x[k]), source(&e, 1, y[k]), emu_lane(pick_min, k)));
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
    const uint32_t *x = emu_src(w, u, 0);
    const extras_t e = extras_of(u);

    EMU_PUT_EACH(w, u->d, mask, finished(&e, 1.0f / source(&e, 0, x[k])));
}

/* Two roundings: 1 ulp. */
EMU_HOT static void reciprocal_root(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *x = emu_src(w, u, 0);
    const extras_t e = extras_of(u);

    EMU_PUT_EACH(w, u->d, mask, finished(&e, 1.0f / __builtin_sqrtf(source(&e, 0, x[k]))));
}

static void mufu(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *x = emu_src(w, u, 0);
    const extras_t e = extras_of(u);
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = mask >> k & 1 ? finished(&e, mufu_value(u->select, source(&e, 0, x[k]))) : 0;
    emu_put(w, u->d, r, mask);
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
