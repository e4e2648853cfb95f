/* Single and double precision: arithmetic in all rounding modes, MUFU to its bounds. */
#include <math.h>
#include <string.h>

#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/op_numbers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static float source(const op_case_t *c, char which, const uint32_t *words)
{
    return op_float_source(c, which, words[0], op_bits(c, 80, 1));
}

/* .SAT and .FTZ of a result. */
static void finish(const op_case_t *c, op_out_t *out, float v)
{
    if (op_bits(c, 77, 1))
        v = v > 0 ? (v < 1 ? v : 1) : 0;
    if (op_bits(c, 80, 1) && fabsf(v) < 0x1p-126f)
        v = copysignf(0, v);
    out->d[0] = op_bits_of_float(v);
}

/* Operands and results are volatile, because the compiler does not know about rounding modes. */
static void expect_fadd(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    volatile float x = source(c, 'a', in->a), y = source(c, 'b', in->b), v;

    op_round(op_bits(c, 78, 2));
    v = x + y;
    op_round(0);
    finish(c, out, v);
}

/* The exact product times a power of two, rounded once. */
static void expect_fmul(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    volatile double x = (double)source(c, 'a', in->a), y = (double)source(c, 'b', in->b);
    volatile double scaled = ldexp(x * y, (int)op_bits(c, 84, 3) - 4);
    volatile float v;

    op_round(op_bits(c, 78, 2));
    v = (float)scaled;
    op_round(0);
    finish(c, out, v);
}

static void expect_ffma(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    volatile float x = source(c, 'a', in->a), y = source(c, 'b', in->b), z = source(c, 'c', in->c),
                   v;

    op_round(op_bits(c, 78, 2));
    v = fmaf(x, y, z);
    op_round(0);
    finish(c, out, v);
}

/* A number wins over a NaN; -0 is less than 0. */
static void fmnmx(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const float x = source(c, 'a', in->a), y = source(c, 'b', in->b);
    const bool less = x < y || (x == y && signbit(x) && !signbit(y));

    if (isnan(x) || isnan(y))
        out->d[0] = op_bits_of_float(isnan(x) ? y : x);
    else
        out->d[0] = op_bits_of_float(less == op_pred(c, in, 0) ? x : y);
}

/* Bits of a NaN are kept. */
static void fsel(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool first = op_pred(c, in, 0);
    const float v = first ? source(c, 'a', in->a) : source(c, 'b', in->b);

    memcpy(&out->d[0], &v, sizeof(v));
}

static void expect_dadd(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    volatile double x = op_double_source(c, 'a', in->a), y = op_double_source(c, 'c', in->c), v;

    op_round(op_bits(c, 78, 2));
    v = x + y;
    op_round(0);
    op_put_u64(out, op_bits_of_double(v));
}

static void expect_dmul(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    volatile double x = op_double_source(c, 'a', in->a), y = op_double_source(c, 'b', in->b), v;

    op_round(op_bits(c, 78, 2));
    v = x * y;
    op_round(0);
    op_put_u64(out, op_bits_of_double(v));
}

static void expect_dfma(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    volatile double x = op_double_source(c, 'a', in->a), y = op_double_source(c, 'b', in->b),
                    z = op_double_source(c, 'c', in->c), v;

    op_round(op_bits(c, 78, 2));
    v = fma(x, y, z);
    op_round(0);
    op_put_u64(out, op_bits_of_double(v));
}

/* --- MUFU ------------------------------------------------------------------------------------ */

enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };

static double turned(double turns, bool sine)
{
    const double angle = 6.283185307179586476925 * remainder(turns, 1);

    return sine ? sin(angle) : cos(angle);
}

static double function_of(unsigned which, double x)
{
    switch (which) {
    case COS:
        return turned(x, false);
    case SIN:
        return turned(x, true);
    case EX2:
        return exp2(x);
    case LG2:
        return log2(x);
    case RCP:
        return 1 / x;
    case RSQ:
        return 1 / sqrt(x);
    case SQRT:
        return sqrt(x);
    default:
        return tanh(x);
    }
}

static void mufu(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const double x = (double)op_float_source(c, 'b', in->b[0], true);
    float v = (float)function_of(op_bits(c, 74, 4), x);

    if (fabsf(v) < 0x1p-126f)
        v = copysignf(0, v);
    out->d[0] = op_bits_of_float(v);
}

/* Of a half; in the constant and in registers. */
static void mufu_half(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    double x = op_half_value(in->b[0] >> (16 * op_bits(c, 60, 1)) & 0xffff);

    x = op_abs(c, 'b') ? fabs(x) : x;
    x = op_neg(c, 'b') ? -x : x;
    out->d[0] = op_half_bits((long double)function_of(op_bits(c, 74, 4), x), 0);
}

static bool near_half(const op_out_t *expected, const op_out_t *got)
{
    return expected->d[0] - got->d[0] + 1 <= 2;
}

/* The upper words of a double and of its reciprocal (root). */
static void mufu_double(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint32_t words[2] = {0, (op_abs(c, 'b') ? in->b[0] & 0x7fffffffu : in->b[0]) ^
                                      (op_neg(c, 'b') ? 0x80000000u : 0)};
    const double x = op_double_of(op_u64(words));
    const double v = op_bits(c, 74, 4) == RCP64H ? 1 / x : 1 / sqrt(x);

    out->d[0] = (uint32_t)(op_bits_of_double(v) >> 32);
}

/* At most one unit in the last place apart in single precision; 2^-22 where cosines vanish. */
static bool near_float(const op_out_t *expected, const op_out_t *got)
{
    const float x = op_float_of(expected->d[0]), y = op_float_of(got->d[0]);
    const uint32_t apart = expected->d[0] - got->d[0];

    return apart + 1 <= 2 || fabsf(x - y) <= 0x1p-22f * fmaxf(fabsf(x), 0x1p-20f);
}

/* The same for upper words; all NaNs are equal. */
static bool near_upper(const op_out_t *expected, const op_out_t *got)
{
    const double x = op_double_of((uint64_t)expected->d[0] << 32);
    const double y = op_double_of((uint64_t)got->d[0] << 32);

    return expected->d[0] - got->d[0] + 1 <= 2 || (isnan(x) && isnan(y));
}

#define FTZ                                                                                        \
    {                                                                                              \
        80, 1, 0                                                                                   \
    }
#define SAT                                                                                        \
    {                                                                                              \
        77, 1, 0                                                                                   \
    }
#define RND                                                                                        \
    {                                                                                              \
        78, 2, 0                                                                                   \
    }

static const op_case_t cases[] = {
    {.lo = 0x021,
     .values = OP_FLOATS,
     .words = 1,
     .expect = expect_fadd,
     .fields = {FTZ, SAT, RND}},
    {.lo = 0x020,
     .values = OP_FLOATS,
     .words = 1,
     .expect = expect_fmul,
     .fields = {FTZ, SAT, RND, {84, 3, 0xfe}}},
    {.lo = 0x023,
     .values = OP_FLOATS,
     .words = 1,
     .expect = expect_ffma,
     .fields = {FTZ, SAT, RND}},
    {.lo = 0x009, .values = OP_FLOATS, .words = 1, .expect = fmnmx, .fields = {FTZ}},
    {.lo = 0x008, .values = OP_FLOATS, .words = 1, .expect = fsel, .fields = {FTZ}},
    {.lo = 0x029,
     .values = OP_DOUBLES,
     .words = 2,
     .expect = expect_dadd,
     .fields = {RND},
     .same = op_same_double},
    {.lo = 0x028,
     .values = OP_DOUBLES,
     .words = 2,
     .expect = expect_dmul,
     .fields = {RND},
     .same = op_same_double},
    {.lo = 0x02b,
     .values = OP_DOUBLES,
     .words = 2,
     .expect = expect_dfma,
     .fields = {RND},
     .same = op_same_double},
    {.lo = 0x108,
     .values = OP_FLOATS,
     .words = 1,
     .expect = mufu,
     .fields = {{74, 4, 0x33f}},
     .same = near_float},
    {.lo = 0x108,
     .hi = 1 << 9,
     .values = OP_HALVES,
     .words = 1,
     .expect = mufu_half,
     .fields = {{74, 4, 1 << EX2 | 1 << TANH}, {60, 1, 0}},
     .forms = 0x62,
     .same = near_half},
    {.lo = 0x108,
     .values = OP_FLOATS,
     .words = 1,
     .expect = mufu_double,
     .fields = {{74, 4, 1 << RCP64H | 1 << RSQ64H}},
     .same = near_upper},
};

void op_cases_float(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
