/* Conversions: F2F, F2I, I2F, FRND of all sizes and rounding modes; I2I. */
#include <math.h>

#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/op_numbers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Sizes are encoded as log2 of bytes. */
enum { BYTE, HALF, WORD, LONG };

static unsigned from_size(const op_case_t *c)
{
    return op_bits(c, 84, 2);
}

static unsigned to_size(const op_case_t *c)
{
    return op_bits(c, 75, 2);
}

/* The byte or half of a word that the instruction takes. */
static uint32_t selected(const op_case_t *c, uint32_t word, unsigned size)
{
    const unsigned form = op_bits(c, 9, 3), which = form == 4 ? 0 : op_bits(c, 60, 2);

    return size == HALF ? word >> (16 * (which & 1)) & 0xffff : word >> (8 * which) & 0xff;
}

static double float_source(const op_case_t *c, const op_in_t *in)
{
    if (from_size(c) == LONG)
        return op_double_source(c, 'b', in->b);
    if (from_size(c) == WORD)
        return (double)op_float_source(c, 'b', in->b[0], op_bits(c, 80, 1));
    double v = op_half_value(selected(c, in->b[0], HALF));
    v = op_abs(c, 'b') ? fabs(v) : v;
    return op_neg(c, 'b') ? -v : v;
}

static void put_float(const op_case_t *c, op_out_t *out, double v, unsigned mode)
{
    volatile double exact = v;
    volatile float f;

    if (to_size(c) == LONG) {
        op_put_u64(out, op_bits_of_double(v));
    } else if (to_size(c) == HALF) {
        out->d[0] = op_half_bits((long double)v, mode);
    } else {
        op_round(mode);
        f = (float)exact;
        op_round(0);
        if (op_bits(c, 80, 1) && fabsf(f) < 0x1p-126f)
            f = copysignf(0, f);
        out->d[0] = op_bits_of_float(f);
    }
}

static void f2f(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    put_float(c, out, float_source(c, in), op_bits(c, 78, 2));
}

static double rounded(double v, unsigned mode)
{
    const double down = floor(v);

    if (mode != 0)
        return mode == 1 ? down : mode == 2 ? ceil(v) : trunc(v);
    if (v - down != 0.5)
        return v - down < 0.5 ? down : ceil(v);
    return fmod(down, 2) == 0 ? down : ceil(v);
}

static void frnd(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const double v = float_source(c, in);

    put_float(c, out, isfinite(v) ? copysign(rounded(v, op_bits(c, 78, 2)), v) : v, 0);
}

/* PTX ISA, cvt: a value out of range becomes the nearest limit; NaN becomes 0 (.NTZ), otherwise
 * the highest bit. */
static void f2i(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const double v = float_source(c, in);
    const unsigned bits = 8u << to_size(c);
    const bool is_signed = op_bits(c, 72, 1);
    const int64_t low = is_signed ? INT64_MIN >> (64 - bits) : 0;
    const uint64_t high =
        is_signed ? (uint64_t)INT64_MAX >> (64 - bits) : UINT64_MAX >> (64 - bits);
    uint64_t r;

    if (isnan(v)) {
        r = op_bits(c, 77, 1) ? 0 : 1ull << (bits - 1);
    } else {
        const double whole = rounded(v, op_bits(c, 78, 2));
        if (whole <= (double)low)
            r = (uint64_t)low;
        else if (whole >= (double)high)
            r = high;
        else
            r = whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    }
    out->d[0] = (uint32_t)r;
    if (to_size(c) == LONG)
        out->d[1] = (uint32_t)(r >> 32);
}

static void i2f(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned size = from_size(c), mode = op_bits(c, 78, 2), bits = 8u << size;
    const bool is_signed = op_bits(c, 74, 1);
    volatile uint64_t v = size == LONG   ? op_u64(in->b)
                          : size == WORD ? in->b[0]
                                         : selected(c, in->b[0], size);
    volatile double d;
    volatile float f;

    if (op_neg(c, 'b'))
        v = 0 - v;
    v = is_signed ? (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits))
                  : v << (64 - bits) >> (64 - bits);
    op_round(mode);
    /* When rounding down, clang converts an unsigned zero to -0. */
    d = v == 0 ? 0 : is_signed ? (double)(int64_t)v : (double)v;
    f = v == 0 ? 0 : is_signed ? (float)(int64_t)v : (float)v;
    op_round(0);
    if (to_size(c) == LONG)
        op_put_u64(out, op_bits_of_double(d));
    else
        out->d[0] = to_size(c) == WORD ? op_bits_of_float(f) : op_half_bits((long double)d, mode);
}

static void i2i(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    static const int32_t low[] = {0, -128, 0, -32768}, high[] = {255, 127, 65535, 32767};
    const unsigned type = op_bits(c, 76, 2);
    const int32_t v = (int32_t)in->b[0];

    out->d[0] = (uint32_t)(v < low[type] ? low[type] : v > high[type] ? high[type] : v);
}

/* PTX ISA, cvt.pack.sat: b in the low bits, a above it, and the part of c that fits above both. */
static void i2ip(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    static const unsigned sizes[] = {8, 16, 2, 4};
    const unsigned type = op_bits(c, 76, 3), size = sizes[type / 2];
    const int64_t most = (int64_t)((1u << (type % 2 ? size - 1 : size)) - 1),
                  least = type % 2 ? -most - 1 : 0;
    const int32_t sources[2] = {(int32_t)in->b[0], (int32_t)in->a[0]};
    uint64_t bits = (uint64_t)(op_bits(c, 72, 2) == 1 ? in->c[0] >> 16 : in->c[0]) << 2 * size;

    for (unsigned i = 0; i < 2; i++) {
        const int64_t v = sources[i] < least ? least : sources[i] > most ? most : sources[i];
        bits |= ((uint64_t)v & ((1u << size) - 1)) << i * size;
    }
    out->d[0] = (uint32_t)bits;
}

/* PTX ISA, cvt.rn.f16x2.f32 */
static void f2fp(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)c;
    out->d[0] = op_half_bits((long double)op_float_of(in->a[0]), 0) << 16 |
                op_half_bits((long double)op_float_of(in->b[0]), 0);
}

#define PACKING 0x72
#define FTZ                                                                                        \
    {                                                                                              \
        80, 1, 0                                                                                   \
    }
#define RND                                                                                        \
    {                                                                                              \
        78, 2, 0                                                                                   \
    }
#define NTZ                                                                                        \
    {                                                                                              \
        77, 1, 0                                                                                   \
    }
#define PART                                                                                       \
    {                                                                                              \
        60, 2, 0                                                                                   \
    }
#define SIGNED_I                                                                                   \
    {                                                                                              \
        74, 1, 0                                                                                   \
    }
#define SIGNED_F                                                                                   \
    {                                                                                              \
        72, 1, 0                                                                                   \
    }
#define TO(mask)                                                                                   \
    {                                                                                              \
        75, 2, mask                                                                                \
    }
#define FROM(mask)                                                                                 \
    {                                                                                              \
        84, 2, mask                                                                                \
    }
#define LONG_TO     (3 << 11)
#define LONG_FROM   (3 << 20)
#define FROM_WORD   (2 << 20)
#define ANY_FORM    0x72
#define SMALL_FORMS 0x32 /* parts of words: not of uniform registers */

/*
 * Opcodes from 0x110 on have 64 bits on one side. Fields of bytes and halves are tried separately,
 * since constants and immediates do not have them.
 */
static const op_case_t cases[] = {
    {.lo = 0x104,
     .values = OP_FLOATS,
     .words = 1,
     .expect = f2f,
     .fields = {FTZ, RND, TO(6), FROM(4)}},
    {.lo = 0x104,
     .values = OP_HALVES,
     .words = 1,
     .expect = f2f,
     .fields = {RND, TO(6), FROM(2), PART},
     .forms = 0x02},
    {.lo = 0x110,
     .values = OP_DOUBLES,
     .words = 1,
     .expect = f2f,
     .fields = {FTZ, RND, TO(6), FROM(8)}},
    {.lo = 0x110,
     .hi = LONG_TO,
     .values = OP_FLOATS,
     .words = 2,
     .expect = f2f,
     .fields = {FTZ, FROM(4)},
     .same = op_same_double},
    {.lo = 0x110,
     .hi = LONG_TO,
     .values = OP_HALVES,
     .words = 2,
     .expect = f2f,
     .fields = {FROM(2), PART},
     .same = op_same_double,
     .forms = 0x02},
    {.lo = 0x107,
     .values = OP_FLOATS,
     .words = 1,
     .expect = frnd,
     .fields = {FTZ, RND, TO(4), FROM(4)}},
    {.lo = 0x107,
     .values = OP_HALVES,
     .words = 1,
     .expect = frnd,
     .fields = {RND, TO(2), FROM(2), PART},
     .forms = 0x02},
    {.lo = 0x113,
     .hi = LONG_TO | LONG_FROM,
     .values = OP_DOUBLES,
     .words = 2,
     .expect = frnd,
     .fields = {FTZ, RND},
     .same = op_same_double},
    {.lo = 0x105,
     .values = OP_FLOATS,
     .words = 1,
     .expect = f2i,
     .fields = {FTZ, RND, NTZ, SIGNED_F, TO(7), FROM(4)}},
    {.lo = 0x105,
     .values = OP_HALVES,
     .words = 1,
     .expect = f2i,
     .fields = {RND, NTZ, SIGNED_F, TO(7), FROM(2), PART},
     .forms = 0x02},
    {.lo = 0x111,
     .values = OP_DOUBLES,
     .words = 1,
     .expect = f2i,
     .fields = {RND, NTZ, SIGNED_F, TO(7), FROM(8)}},
    {.lo = 0x111,
     .hi = LONG_TO,
     .values = OP_FLOATS,
     .words = 2,
     .expect = f2i,
     .fields = {FTZ, RND, NTZ, SIGNED_F, FROM(4)}},
    {.lo = 0x111,
     .hi = LONG_TO | LONG_FROM,
     .values = OP_DOUBLES,
     .words = 2,
     .expect = f2i,
     .fields = {RND, NTZ, SIGNED_F}},
    {.lo = 0x106, .hi = FROM_WORD, .words = 1, .expect = i2f, .fields = {RND, SIGNED_I, TO(6)}},
    {.lo = 0x106,
     .words = 1,
     .expect = i2f,
     .fields = {RND, SIGNED_I, TO(6), FROM(3), PART},
     .no_signs = true,
     .forms = 0x02},
    {.lo = 0x112, .hi = LONG_TO | FROM_WORD, .words = 2, .expect = i2f, .fields = {RND, SIGNED_I}},
    {.lo = 0x112,
     .hi = LONG_FROM,
     .words = 1,
     .expect = i2f,
     .fields = {RND, SIGNED_I, TO(6)},
     .no_signs = true},
    {.lo = 0x112,
     .hi = LONG_TO | LONG_FROM,
     .words = 2,
     .expect = i2f,
     .fields = {RND, SIGNED_I},
     .no_signs = true},
    {.lo = 0x038, .words = 1, .expect = i2i, .fields = {{76, 2, 0}}},
    {.lo = 0x039, .words = 1, .expect = i2ip, .fields = {{76, 2, 0}, {72, 1, 0}}, .forms = PACKING},
    {.lo = 0x039,
     .hi = 3 << 8,
     .words = 1,
     .expect = i2ip,
     .fields = {{76, 3, 3 << 4}},
     .forms = PACKING},
    {.lo = 0x039,
     .hi = 2 << 8,
     .words = 1,
     .expect = i2ip,
     .fields = {{76, 3, 3 << 6}},
     .forms = PACKING},
    {.lo = 0x03e, .values = OP_FLOATS, .words = 1, .expect = f2fp, .forms = 2},
};

void op_cases_convert(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
