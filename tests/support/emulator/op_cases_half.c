/* Half precision, two at a time. */
#include <math.h>

#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/op_numbers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { H1_H0, F32, H0_H0, H1_H1 };

/* Value h of a source: one of its halves, or the whole register as a float. */
static double source(const op_case_t *c, char which, uint32_t word, unsigned h)
{
    const unsigned half = op_half(c, which);
    const bool upper = half == H1_H1 || (half == H1_H0 && h == 1);
    double v =
        half == F32 ? (double)op_float_of(word) : op_half_value(upper ? word >> 16 : word & 0xffff);

    if (op_abs(c, which))
        v = fabs(v);
    if (op_neg(c, which))
        v = -v;
    return op_bits(c, 80, 1) && fabs(v) < 0x1p-14 ? copysign(0, v) : v;
}

/* Exact sums fit into a long double: 64 bits from 2^16 to 2^-48. */
static void put_halves(const op_case_t *c, op_out_t *out, const long double v[2])
{
    out->d[0] = 0;
    for (unsigned h = 0; h < 2; h++) {
        long double r = v[h];
        if (op_bits(c, 77, 1))
            r = r > 0 ? (r < 1 ? r : 1) : 0;
        uint32_t bits = op_half_bits(r, 0);
        if (op_bits(c, 80, 1) && (bits & 0x7c00) == 0)
            bits &= 0x8000;
        out->d[0] |= bits << (16 * h);
    }
}

static void hadd2(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    long double v[2];

    for (unsigned h = 0; h < 2; h++)
        v[h] = (long double)source(c, 'a', in->a[0], h) + (long double)source(c, 'b', in->b[0], h);
    put_halves(c, out, v);
}

/* .F32: the sum of the lower halves in single precision. */
static void hadd2_f32(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    out->d[0] =
        op_bits_of_float((float)(source(c, 'a', in->a[0], 0) + source(c, 'b', in->b[0], 0)));
}

static void hmul2(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    long double v[2];

    for (unsigned h = 0; h < 2; h++)
        v[h] = (long double)source(c, 'a', in->a[0], h) * (long double)source(c, 'b', in->b[0], h);
    put_halves(c, out, v);
}

static void hfma2(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    long double v[2];

    for (unsigned h = 0; h < 2; h++)
        v[h] = (long double)source(c, 'a', in->a[0], h) * (long double)source(c, 'b', in->b[0], h) +
               (long double)source(c, 'c', in->c[0], h);
    put_halves(c, out, v);
}

static bool compared(const op_case_t *c, const op_in_t *in, unsigned h)
{
    const double x = source(c, 'a', in->a[0], h), y = source(c, 'b', in->b[0], h);
    const unsigned op = op_bits(c, 76, 4);
    const unsigned relation = isnan(x) || isnan(y) ? 8 : x < y ? 1 : x > y ? 4 : 2;

    return op == 7 ? relation != 8 : op == 15 ? true : (op & relation) != 0;
}

static bool combined(const op_case_t *c, bool a, bool b)
{
    const unsigned how = op_bits(c, 69, 2);

    return how == 0 ? a && b : how == 1 ? a || b : a != b;
}

static void hset2(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint32_t yes = op_bits(c, 71, 1) ? 0x3c00 : 0xffff; /* .BF: 1.0 */

    out->d[0] = 0;
    for (unsigned h = 0; h < 2; h++)
        if (combined(c, compared(c, in, h), op_pred(c, in, 0)))
            out->d[0] |= yes << (16 * h);
}

/* .H_AND: whether both hold, and the negation. */
static void hsetp2(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool low = compared(c, in, 0), high = compared(c, in, 1), q = op_pred(c, in, 0);
    const bool both = op_bits(c, 71, 1);

    op_put_pred(c, out, 1, combined(c, both ? !(low && high) : high, q));
    op_put_pred(c, out, 0, combined(c, both ? low && high : low, q));
}

#define FTZ                                                                                        \
    {                                                                                              \
        80, 1, 0                                                                                   \
    }
#define SAT                                                                                        \
    {                                                                                              \
        77, 1, 0                                                                                   \
    }
#define COMPARE {76, 4, 0}, {69, 2, 7}, {71, 1, 0}, FTZ
#define ADD_F32 (1 << 14)

/* HMUL2.F32 and HFMA2.F32 also give halves; here they are those of the exact result. */
static const op_case_t cases[] = {
    {.lo = 0x030, .values = OP_HALVES, .words = 1, .expect = hadd2, .fields = {FTZ, SAT}},
    {.lo = 0x030,
     .hi = ADD_F32,
     .values = OP_HALVES,
     .words = 1,
     .expect = hadd2_f32,
     .fields = {FTZ}},
    {.lo = 0x032,
     .values = OP_HALVES,
     .words = 1,
     .expect = hmul2,
     .fields = {FTZ, SAT, {78, 1, 0}}},
    {.lo = 0x031,
     .values = OP_HALVES,
     .words = 1,
     .expect = hfma2,
     .fields = {FTZ, SAT, {78, 1, 0}}},
    {.lo = 0x035, .values = OP_HALVES, .words = 1, .expect = hfma2, .fields = {FTZ, SAT}},
    {.lo = 0x033, .values = OP_HALVES, .words = 1, .expect = hset2, .fields = {COMPARE}},
    {.lo = 0x034, .values = OP_HALVES, .expect = hsetp2, .fields = {COMPARE}},
};

void op_cases_half(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
