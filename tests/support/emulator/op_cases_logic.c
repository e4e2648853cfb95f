/* Moves, logic, shifts, bytes, bits, predicates as data; the same on the uniform datapath. */
#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void mov(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)c;
    out->d[0] = in->b[0];
}

static void sel(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    out->d[0] = op_pred(c, in, 0) ? in->a[0] : in->b[0];
}

static bool lut(unsigned table, bool a, bool b, bool c)
{
    return table >> (4 * a + 2 * b + c) & 1;
}

static void lop3(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned table = op_bits(c, 72, 8);
    const bool q = op_pred(c, in, 0);

    out->d[0] = 0;
    for (unsigned i = 0; i < 32; i++)
        out->d[0] |= (uint32_t)lut(table, in->a[0] >> i & 1, in->b[0] >> i & 1, in->c[0] >> i & 1)
                     << i;
    op_put_pred(c, out, 0, op_bits(c, 80, 1) ? out->d[0] != 0 && q : out->d[0] != 0 || q);
}

static void plop3(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool p = op_pred(c, in, 0), q = op_pred(c, in, 1), r = op_pred(c, in, 2);

    op_put_pred(c, out, 1, lut(op_bits(c, 16, 8), p, q, r));
    op_put_pred(c, out, 0, lut(op_bits(c, 72, 5) << 3 | op_bits(c, 64, 3), p, q, r));
}

static void plop3_sign(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool p = in->a[0] >> 31, q = in->b[0] >> 31, r = in->c[0] >> 31;

    op_put_pred(c, out, 1, lut(op_bits(c, 16, 8), p, q, r));
    op_put_pred(c, out, 0, lut(op_bits(c, 72, 8), p, q, r));
}

/* b selects predicates, or bits of the byte that the modifier names. */
static void p2r(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned shift = 8 * op_bits(c, 76, 2);

    out->d[0] = in->a[0];
    for (unsigned i = 0; i + shift < 32; i++)
        if (in->b[0] >> i & 1) {
            out->d[0] &= ~(1u << (i + shift));
            out->d[0] |= (i < 7 ? in->preds >> i & 1 : 0) << (i + shift);
        }
}

static void r2p(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned shift = 8 * op_bits(c, 76, 2);

    for (unsigned i = 0; i < 7; i++)
        if (in->b[0] >> i & 1)
            out->preds = (out->preds & ~(1u << i)) | (in->a[0] >> (i + shift) & 1) << i;
}

/* One bit after the other; the types of 32 bits stop at a shift by 32. */
static void shf(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool right = op_bits(c, 76, 1), high = op_bits(c, 80, 1), sign = !op_bits(c, 73, 1);
    const unsigned size = op_bits(c, 73, 2) < 2 ? 64 : 32;
    uint64_t v = in->a[0] | (uint64_t)in->c[0] << 32;
    uint32_t n = in->b[0];

    n = op_bits(c, 75, 1) ? n % size : n > size ? size : n;
    for (; n > 0; n--)
        v = right ? v >> 1 | (sign ? v & 1ull << 63 : 0) : v << 1;
    out->d[0] = (uint32_t)(high ? v >> 32 : v);
}

static uint32_t byte_of(const op_in_t *in, unsigned i)
{
    return (i < 4 ? in->a[0] >> (8 * i) : in->c[0] >> (8 * (i - 4))) & 255;
}

/* PTX ISA, prmt: its table of which bytes each mode takes. */
static void prmt(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    static const uint8_t modes[7][4][4] = {
        {{0}},
        {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}, /* F4E: bytes 3 to 0 */
        {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}, /* B4E */
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, /* RC8 */
        {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}, /* ECL */
        {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}, /* ECR */
        {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}, /* RC16 */
    };
    const unsigned mode = op_bits(c, 72, 3);

    out->d[0] = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned nibble = in->b[0] >> (4 * i) & 15;
        uint32_t byte = byte_of(in, mode == 0 ? nibble & 7 : modes[mode][in->b[0] & 3][3 - i]);
        if (mode == 0 && nibble >= 8)
            byte = byte >= 128 ? 255 : 0;
        out->d[0] |= byte << (8 * i);
    }
}

static void bmsk(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool wrap = op_bits(c, 75, 1);
    const uint64_t at = wrap ? in->a[0] % 32 : in->a[0], n = wrap ? in->b[0] % 32 : in->b[0];

    out->d[0] = 0;
    for (uint64_t i = 0; i < 32; i++)
        if (i >= at && i < at + n)
            out->d[0] |= 1u << i;
}

static void sgxt(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint32_t n = op_bits(c, 75, 1) ? in->b[0] % 32 : in->b[0];
    const bool sign = op_bits(c, 73, 1) && n > 0 && n < 32 && (in->a[0] >> (n - 1) & 1) != 0;

    out->d[0] = 0;
    for (unsigned i = 0; i < 32; i++)
        out->d[0] |= i < n ? in->a[0] & 1u << i : (uint32_t)sign << i;
}

static uint32_t complemented(const op_case_t *c, const op_in_t *in)
{
    return op_neg(c, 'b') ? ~in->b[0] : in->b[0];
}

static void flo(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    uint32_t v = complemented(c, in);
    int at = 31;

    if (op_bits(c, 73, 1) && v >> 31 != 0)
        v = ~v;
    while (at >= 0 && (v >> at & 1) == 0)
        at--;
    out->d[0] = at < 0 ? 0xffffffffu : (uint32_t)(op_bits(c, 74, 1) ? 31 - at : at);
    op_put_pred(c, out, 0, at >= 0);
}

static void brev(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)c;
    out->d[0] = 0;
    for (unsigned i = 0; i < 32; i++)
        out->d[0] |= (in->b[0] >> i & 1) << (31 - i);
}

static void popc(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    out->d[0] = 0;
    for (uint32_t v = complemented(c, in); v != 0; v &= v - 1)
        out->d[0]++;
}

#define LUT                                                                                        \
    {                                                                                              \
        72, 8, 0                                                                                   \
    }
#define PAND                                                                                       \
    {                                                                                              \
        80, 1, 0                                                                                   \
    }
#define W                                                                                          \
    {                                                                                              \
        75, 1, 0                                                                                   \
    }
#define U32                                                                                        \
    {                                                                                              \
        73, 1, 0                                                                                   \
    }
#define BYTES                                                                                      \
    {                                                                                              \
        76, 2, 0                                                                                   \
    }
#define SHIFTS                                                                                     \
    {76, 1, 0}, W, {73, 2, 0},                                                                     \
    {                                                                                              \
        80, 1, 0                                                                                   \
    }
#define MODES                                                                                      \
    {                                                                                              \
        72, 3, 0x7f                                                                                \
    }
#define TABLES                                                                                     \
    {72, 5, 0}, {64, 3, 0},                                                                        \
    {                                                                                              \
        16, 8, 0                                                                                   \
    }

static const op_case_t cases[] = {
    {.lo = 0x002, .words = 1, .expect = mov, .hi = 0xf00},
    {.lo = 0x082, .words = 1, .expect = mov, .hi = 0xf00},
    {.lo = 0x007, .words = 1, .expect = sel},
    {.lo = 0x087, .words = 1, .expect = sel},
    {.lo = 0x012, .words = 1, .expect = lop3, .fields = {LUT, PAND}},
    {.lo = 0x012, .words = 1, .expect = lop3, .fields = {LUT}, .forms = 0x02},
    {.lo = 0x092, .words = 1, .expect = lop3, .fields = {LUT, PAND}},
    {.lo = 0x01c, .expect = plop3, .fields = {TABLES}, .forms = 0x10},
    {.lo = 0x01c, .hi = 1 << 3, .expect = plop3, .fields = {TABLES}, .forms = 0x10}, /* UP */
    {.lo = 0x01f, .expect = plop3_sign, .fields = {LUT, {16, 8, 0}}},
    {.lo = 0x09c, .expect = plop3, .fields = {TABLES}, .forms = 0x10},
    {.lo = 0x003, .words = 1, .expect = p2r, .fields = {BYTES}, .forms = 0x12},
    {.lo = 0x004, .expect = r2p, .fields = {BYTES}, .forms = 0x12},
    {.lo = 0x083, .words = 1, .expect = p2r, .fields = {BYTES}, .forms = 0x50},
    {.lo = 0x084, .expect = r2p, .fields = {BYTES}, .forms = 0x50},
    {.lo = 0x019, .words = 1, .expect = shf, .fields = {SHIFTS}},
    {.lo = 0x099, .words = 1, .expect = shf, .fields = {SHIFTS}},
    {.lo = 0x016, .words = 1, .expect = prmt, .fields = {MODES}},
    {.lo = 0x096, .words = 1, .expect = prmt},
    {.lo = 0x01b, .words = 1, .expect = bmsk, .fields = {W}},
    {.lo = 0x09b, .words = 1, .expect = bmsk, .fields = {W}},
    {.lo = 0x01a, .words = 1, .expect = sgxt, .fields = {W, U32}},
    {.lo = 0x09a, .words = 1, .expect = sgxt, .fields = {W, U32}},
    {.lo = 0x100, .words = 1, .expect = flo, .fields = {U32, {74, 1, 0}}},
    {.lo = 0x0bd, .words = 1, .expect = flo, .fields = {U32, {74, 1, 0}}},
    {.lo = 0x101, .words = 1, .expect = brev},
    {.lo = 0x0be, .words = 1, .expect = brev},
    {.lo = 0x109, .words = 1, .expect = popc},
    {.lo = 0x0bf, .words = 1, .expect = popc},
};

void op_cases_logic(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
