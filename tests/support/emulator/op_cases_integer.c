/* Integer arithmetic: IADD3, IMAD, IDP, LEA, IMNMX, IABS, VABSDIFF, and on the uniform datapath. */
#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"

__extension__ typedef unsigned __int128 u128_t;

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* A source of IADD3: with .X, a sign means the complement only. */
static uint32_t addend(const op_case_t *c, char source, uint32_t v)
{
    return op_neg(c, source) ? ~v : v;
}

static void iadd3(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool x = op_bits(c, 74, 1);
    uint64_t sum =
        (uint64_t)addend(c, 'a', in->a[0]) + addend(c, 'b', in->b[0]) + addend(c, 'c', in->c[0]);

    if (x)
        sum += (unsigned)op_pred(c, in, 0) + (unsigned)op_pred(c, in, 1);
    else
        sum += (unsigned)op_neg(c, 'a') + (unsigned)op_neg(c, 'b') + (unsigned)op_neg(c, 'c');
    out->d[0] = (uint32_t)sum;
    /* the first is set by one carry or more, the second by two */
    op_put_pred(c, out, 0, sum >> 32 != 0);
    op_put_pred(c, out, 1, sum >> 32 > 1);
}

static void imad(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool x = op_bits(c, 74, 1);
    const uint32_t b = op_neg(c, 'b') ? (x ? ~in->b[0] : 0u - in->b[0]) : in->b[0];
    const uint32_t addend_c = op_neg(c, 'c') ? (x ? ~in->c[0] : 0u - in->c[0]) : in->c[0];

    out->d[0] = in->a[0] * b + addend_c + (x ? op_pred(c, in, 0) : 0);
}

/* a * b + c with a 64-bit c; the sign of b applies to the product. */
static void wide(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool is_signed = op_bits(c, 73, 1), x = op_bits(c, 74, 1);
    const bool high = (c->lo & 31) == 7;
    const uint32_t b = op_neg(c, 'b') ? (x ? ~in->b[0] : 0u - in->b[0]) : in->b[0];
    const uint64_t p =
        is_signed ? (uint64_t)((int64_t)(int32_t)in->a[0] * (int32_t)b) : (uint64_t)in->a[0] * b;
    uint64_t third = op_u64(in->c);

    if (op_neg(c, 'c'))
        third = x ? ~third : 0 - third;
    const u128_t sum = (u128_t)p + third + (x && op_pred(c, in, 0) ? 1u : 0u);
    if (high)
        out->d[0] = (uint32_t)((uint64_t)sum >> 32);
    else
        op_put_u64(out, (uint64_t)sum);
    op_put_pred(c, out, 0, sum >> 64 != 0);
}

static int32_t part(uint32_t v, unsigned i, unsigned bits, bool is_signed)
{
    const uint32_t field = v >> (i * bits) & ((1u << bits) - 1);

    return (int32_t)(is_signed && field >> (bits - 1) ? field - (1u << bits) : field);
}

static void idp(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool two = op_bits(c, 76, 1), sa = op_bits(c, 73, 1), sb = op_bits(c, 74, 1);
    const unsigned first = two && op_bits(c, 77, 1) ? 2 : 0; /* .HI: the upper bytes of b */
    uint32_t sum = op_neg(c, 'c') ? 0u - in->c[0] : in->c[0];

    for (unsigned i = 0; i < (two ? 2 : 4); i++)
        sum += (uint32_t)(part(in->a[0], i, two ? 16 : 8, sa) * part(in->b[0], first + i, 8, sb));
    out->d[0] = sum;
}

static void lea(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool high = op_bits(c, 80, 1), x = op_bits(c, 74, 1), sign = op_bits(c, 73, 1);
    const unsigned n = op_bits(c, 75, 5);
    uint64_t v = in->a[0], upper = sign ? (uint64_t)((int64_t)(int32_t)in->a[0] >> 32) : in->c[0];
    uint32_t b = in->b[0];

    v = (v | upper << 32) << n;
    /* the complement of 0 plus one carries */
    const bool wraps = op_neg(c, 'a') && !x && (high ? v : v & 0xffffffffu) == 0;
    if (op_neg(c, 'a'))
        v = x ? ~v : 0 - v;
    if (op_neg(c, 'b'))
        b = x ? ~b : 0 - b;
    const uint64_t sum = (high ? v >> 32 : v & 0xffffffffu) + b + (x ? op_pred(c, in, 0) : 0u);
    out->d[0] = (uint32_t)sum;
    op_put_pred(c, out, 0, sum >> 32 != 0 || wraps);
}

static void imnmx(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint32_t a = op_neg(c, 'a') ? 0u - in->a[0] : in->a[0];
    const uint32_t b = op_neg(c, 'b') ? 0u - in->b[0] : in->b[0];
    const bool less = op_bits(c, 73, 1) ? (int32_t)a < (int32_t)b : a < b;

    out->d[0] = less == op_pred(c, in, 0) ? a : b;
}

static void iabs(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const int64_t v = (int32_t)(op_neg(c, 'b') ? 0u - in->b[0] : in->b[0]);

    out->d[0] = (uint32_t)(v < 0 ? -v : v);
}

static void vabsdiff(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool is_signed = op_bits(c, 73, 1);
    const int64_t a = is_signed ? (int32_t)in->a[0] : (int64_t)in->a[0];
    const int64_t b = is_signed ? (int32_t)in->b[0] : (int64_t)in->b[0];

    out->d[0] = (uint32_t)(a > b ? a - b : b - a) + in->c[0];
}

/* Differences of unsigned bytes; with .ACC, their sum is added to the third source. */
static void vabsdiff4(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool adds = op_bits(c, 75, 1), sign = op_bits(c, 73, 1);

    out->d[0] = adds ? in->c[0] : 0;
    for (unsigned i = 0; i < 4; i++) {
        const int32_t d = part(in->a[0], i, 8, sign) - part(in->b[0], i, 8, sign);
        out->d[0] += (uint32_t)(d < 0 ? -d : d) << (adds ? 0 : 8 * i);
    }
}

#define NO_PRED (7 << 17)
#define X                                                                                          \
    {                                                                                              \
        74, 1, 0                                                                                   \
    }
#define S32                                                                                        \
    {                                                                                              \
        73, 1, 0                                                                                   \
    }

static const op_case_t cases[] = {
    {.lo = 0x010, .words = 1, .expect = iadd3, .fields = {X}},
    {.lo = 0x090, .words = 1, .expect = iadd3, .fields = {X}},
    {.lo = 0x011,
     .words = 1,
     .expect = lea,
     .fields = {X, S32, {75, 5, 0}, {80, 1, 0}},
     .forms = 0x72},
    {.lo = 0x091,
     .words = 1,
     .expect = lea,
     .fields = {X, S32, {75, 5, 0}, {80, 1, 0}},
     .forms = 0x12},
    {.lo = 0x024, .words = 1, .expect = imad, .fields = {X, S32}},
    {.lo = 0x0a4, .words = 1, .expect = imad, .fields = {X, S32}},
    {.lo = 0x025, .words = 2, .expect = wide, .fields = {X, S32}},
    {.lo = 0x0a5, .words = 2, .expect = wide, .fields = {X, S32}},
    {.lo = 0x027, .words = 1, .expect = wide, .fields = {X, S32}},
    {.lo = 0x0a7, .words = 1, .expect = wide, .fields = {X, S32}},
    {.lo = 0x026, .words = 1, .expect = idp, .fields = {S32, {74, 1, 0}, {76, 2, 0xb}}},
    {.lo = 0x013, .words = 1, .expect = iabs},
    {.lo = 0x017, .words = 1, .expect = imnmx, .fields = {S32}},
    {.lo = 0x014, .hi = NO_PRED, .words = 1, .expect = vabsdiff, .fields = {S32}},
    {.lo = 0x015,
     .hi = NO_PRED,
     .words = 1,
     .expect = vabsdiff4,
     .fields = {{73, 1, 0}, {75, 1, 0}}},
};

void op_cases_integer(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
