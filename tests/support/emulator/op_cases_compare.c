/* Comparisons: ISETP, FSETP, FSET, DSETP, FCHK, UISETP. */
#include <math.h>
#include <string.h>

#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/op_numbers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { LT = 1, EQ = 2, GT = 4, UNORDERED = 8 };

static bool combined(unsigned how, bool a, bool b)
{
    return how == 0 ? a && b : how == 1 ? a || b : a != b;
}

static void put_both(const op_case_t *c, const op_in_t *in, op_out_t *out, unsigned how_at, bool r)
{
    const unsigned how = op_bits(c, how_at, 2);
    const bool q = op_pred(c, in, 0);

    op_put_pred(c, out, 1, combined(how, !r, q));
    op_put_pred(c, out, 0, combined(how, r, q));
}

/* With .EX, compares the upper words of numbers whose lower words have been compared; E2 is that
 * result. */
static void isetp(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool is_signed = op_bits(c, 73, 1), ex = op_bits(c, 72, 1);
    const unsigned op = op_bits(c, 76, 3);
    const uint32_t b = op_neg(c, 'b') ? 0u - in->b[0] : in->b[0];
    const int64_t x = is_signed ? (int32_t)in->a[0] : (int64_t)in->a[0];
    const int64_t y = is_signed ? (int32_t)b : (int64_t)b;
    bool r = op == 7;

    if (ex && x == y && op != 0 && op != 7)
        r = op_pred(c, in, 2);
    else if (op != 0 && op != 7)
        r = x < y ? op & LT : x == y ? op & EQ : op & GT;
    put_both(c, in, out, 74, r);
}

/* Result of comparison number op for operands that are LT, EQ, GT or UNORDERED. */
static bool holds(unsigned op, unsigned relation)
{
    return op == 0 ? false : op == 7 ? relation != UNORDERED : op == 15 ? true : op & relation;
}

static unsigned relation(double x, double y)
{
    return isnan(x) || isnan(y) ? UNORDERED : x < y ? LT : x > y ? GT : EQ;
}

static bool compared_floats(const op_case_t *c, const op_in_t *in)
{
    const bool ftz = op_bits(c, 80, 1);
    const float x = op_float_source(c, 'a', in->a[0], ftz),
                y = op_float_source(c, 'b', in->b[0], ftz);

    return holds(op_bits(c, 76, 4), relation((double)x, (double)y));
}

static void fsetp(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    put_both(c, in, out, 74, compared_floats(c, in));
}

static void fset(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool r = combined(op_bits(c, 74, 2), compared_floats(c, in), op_pred(c, in, 0));

    out->d[0] = op_bits_of_float(r ? 1 : 0);
}

static void dsetp(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const double x = op_double_source(c, 'a', in->a), y = op_double_source(c, 'b', in->b);

    put_both(c, in, out, 74, holds(op_bits(c, 76, 4), relation(x, y)));
}

/* .MIN, .MAX: whether the first operand is the result (-0 is less than 0); whether neither is. */
static void dsetp_choice(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const double x = op_double_source(c, 'a', in->a), y = op_double_source(c, 'b', in->b);
    const bool q = op_pred(c, in, 0), max = op_bits(c, 76, 4) == 15;
    const bool less = x < y || (x == y && signbit(x));
    const bool greater = x > y || (x == y && !signbit(x));

    op_put_pred(c, out, 1, isnan(x) && isnan(y) && q);
    op_put_pred(c, out, 0, !isnan(x) && (isnan(y) || (max ? greater : less)) && q);
}

/* The only known property of FCHK: it must find all quotients that the short division would get
 * wrong. */
static void fchk(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const float x = op_float_source(c, 'a', in->a[0], false),
                y = op_float_source(c, 'b', in->b[0], false);
    const int ex = (int)(op_bits_of_float(x) >> 23 & 255),
              ey = (int)(op_bits_of_float(y) >> 23 & 255);

    op_put_pred(c, out, 0,
                ey < 2 || ey > 252 || ex == 255 ||
                    (ex != 0 && (ex - ey > 125 || ex - ey < -125 || ex < 25)));
}

#define EX (1 << 8)
#define BOOLEAN                                                                                    \
    {                                                                                              \
        74, 2, 7                                                                                   \
    }
#define COMPARE                                                                                    \
    {                                                                                              \
        76, 4, 0                                                                                   \
    }

static const op_case_t cases[] = {
    {.lo = 0x00c, .expect = isetp, .fields = {{76, 3, 0}, {73, 1, 0}, BOOLEAN}, .no_signs = true},
    {.lo = 0x00c, .hi = EX, .expect = isetp, .fields = {{76, 3, 0}, {73, 1, 0}, BOOLEAN}},
    {.lo = 0x08c, .expect = isetp, .fields = {{76, 3, 0}, {73, 1, 0}, BOOLEAN}, .no_signs = true},
    {.lo = 0x08c, .hi = EX, .expect = isetp, .fields = {{76, 3, 0}, {73, 1, 0}, BOOLEAN}},
    {.lo = 0x00b, .values = OP_FLOATS, .expect = fsetp, .fields = {COMPARE, BOOLEAN, {80, 1, 0}}},
    {.lo = 0x00a,
     .values = OP_FLOATS,
     .words = 1,
     .expect = fset,
     .fields = {COMPARE, BOOLEAN, {80, 1, 0}}},
    {.lo = 0x02a, .values = OP_DOUBLES, .expect = dsetp, .fields = {{76, 4, 0x7ffe}, BOOLEAN}},
    {.lo = 0x02a, .values = OP_DOUBLES, .expect = dsetp_choice, .fields = {{76, 4, 0x8001}}},
    {.lo = 0x102, .values = OP_FLOATS, .expect = fchk},
};

void op_cases_compare(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
