/* Tensor cores: HMMA of Volta and Turing, IMMA, MOVM, by the fragments of the PTX ISA. */
#include <stdlib.h>

#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/op_numbers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Half i of a lane's registers. */
static double half_of(const uint32_t *regs, unsigned i)
{
    return op_half_value(regs[i / 2] >> (16 * (i % 2)) & 0xffff);
}

/* --- Volta: mma.m8n8k4, one for each four lanes below 16 and those 16 above --------------------
 */

static unsigned lane_of(unsigned quad, unsigned group, unsigned i)
{
    return 16 * group + 4 * quad + i;
}

static double a884(const op_case_t *c, const op_in_t *in, unsigned row, unsigned k)
{
    const unsigned quad = in->lane / 4 % 4;
    const bool by_columns = op_bits(c, 73, 1);

    return by_columns ? half_of(in->warp[lane_of(quad, row / 4, k)].a, row % 4)
                      : half_of(in->warp[lane_of(quad, row / 4, row % 4)].a, k);
}

static double b884(const op_case_t *c, const op_in_t *in, unsigned k, unsigned col)
{
    const unsigned quad = in->lane / 4 % 4;
    const bool by_columns = op_bits(c, 74, 1);

    return by_columns ? half_of(in->warp[lane_of(quad, col / 4, col % 4)].b, k)
                      : half_of(in->warp[lane_of(quad, col / 4, k)].b, col % 4);
}

static double product884(const op_case_t *c, const op_in_t *in, unsigned row, unsigned col,
                         double sum)
{
    for (unsigned k = 0; k < 4; k++)
        sum += a884(c, in, row, k) * b884(c, in, k, col);
    return sum;
}

/* Sums of 32 bits: two of eight in a step, of its part of the rows and columns. */
static void hmma884_f32(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned step = op_bits(c, 79, 2), quad = in->lane / 4 % 4;
    const bool c_f32 = op_bits(c, 78, 1);

    for (unsigned k = 0; k < 2; k++) {
        const unsigned i = 2 * step + k;
        const unsigned row = in->lane % 2 + (i & 2) + (in->lane >= 16 ? 4 : 0);
        const unsigned col = (i & 4) + (in->lane & 2) + i % 2;
        const double first = c_f32 ? (double)op_float_of(in->c[k])
                                   : half_of(in->warp[lane_of(quad, row / 4, row % 4)].c, col % 4);
        out->d[k] = op_bits_of_float((float)product884(c, in, row, col, first));
    }
}

/* Sums of 16 bits: half of a row in a step. */
static void hmma884_f16(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned row = in->lane % 4 + (in->lane >= 16 ? 4 : 0);

    out->d[0] = out->d[1] = 0;
    for (unsigned i = 0; i < 4; i++) {
        const double v = product884(c, in, row, 4 * op_bits(c, 79, 2) + i, half_of(in->c, i));
        out->d[i / 2] |= op_half_bits((long double)v, 0) << (16 * (i % 2));
    }
}

/* --- Turing: mma.m16n8k8 --------------------------------------------------------------------- */

static void hmma1688(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool f32 = op_bits(c, 76, 1);
    const unsigned group = in->lane / 4, t = in->lane % 4;
    uint32_t bits[4];

    for (unsigned i = 0; i < 4; i++) {
        const unsigned col = 2 * t + i % 2;
        double sum = f32 ? (double)op_float_of(in->c[i]) : half_of(in->c, i);
        for (unsigned k = 0; k < 8; k++)
            sum += half_of(&in->warp[4 * group + k / 2].a[i / 2], k % 2) *
                   half_of(in->warp[4 * col + k / 2].b, k % 2);
        bits[i] = f32 ? op_bits_of_float((float)sum) : op_half_bits((long double)sum, 0);
    }
    for (unsigned i = 0; i < 4 && f32; i++)
        out->d[i] = bits[i];
    for (unsigned i = 0; i < 2 && !f32; i++)
        out->d[i] = bits[2 * i] | bits[2 * i + 1] << 16;
}

/* Element i of a word, with this many bits per element. */
static int64_t number_of(uint32_t word, unsigned bits, unsigned i, bool is_signed)
{
    const int64_t v = word >> (bits * i) & ((1u << bits) - 1);

    return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}

/* mma.m8n8k16 of bytes, mma.m8n8k32 of halves of bytes */
static void imma(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned row = in->lane / 4, bits = op_bits(c, 83, 1) ? 4 : 8, n = 32 / bits;
    const bool sa = op_bits(c, 76, 1), sb = op_bits(c, 78, 1), sat = op_bits(c, 82, 1);

    for (unsigned i = 0; i < 2; i++) {
        const unsigned col = in->lane % 4 * 2 + i;
        int64_t sum = (int32_t)in->c[i];
        for (unsigned k = 0; k < 4 * n; k++)
            sum += number_of(in->warp[4 * row + k / n].a[0], bits, k % n, sa) *
                   number_of(in->warp[4 * col + k / n].b[0], bits, k % n, sb);
        if (sat && sum > INT32_MAX)
            sum = INT32_MAX;
        if (sat && sum < INT32_MIN)
            sum = INT32_MIN;
        out->d[i] = (uint32_t)sum;
    }
}

/* mma.m8n8k128.xor.popc */
static void bmma(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)c;
    for (unsigned i = 0; i < 2; i++) {
        out->d[i] = in->c[i];
        for (unsigned k = 0; k < 128; k++)
            out->d[i] += (in->warp[in->lane / 4 * 4 + k / 32].a[0] >> k % 32 & 1) !=
                         (in->warp[(in->lane % 4 * 2 + i) * 4 + k / 32].b[0] >> k % 32 & 1);
    }
}

static void movm(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    uint32_t m[8][8];

    (void)c;
    for (unsigned k = 0; k < 32; k++) {
        m[k / 4][2 * (k % 4)] = in->warp[k].a[0] & 0xffff;
        m[k / 4][2 * (k % 4) + 1] = in->warp[k].a[0] >> 16;
    }
    const unsigned i = in->lane / 4, k = 2 * (in->lane % 4);
    out->d[0] = m[k][i] | m[k + 1][i] << 16;
}

#define LAYOUTS                                                                                    \
    {73, 1, 0},                                                                                    \
    {                                                                                              \
        74, 1, 0                                                                                   \
    }
#define D_F32           (1 << 12)
#define COLUMN_B        (1 << 10)
#define POPC            (1 << 16)
#define HALVES_OF_BYTES (7 << 19) /* of A, of B, and the shape */
#define MATRIX          .values = OP_HALVES, .whole_warps = true, .no_signs = true, .forms = 2

static const op_case_t cases[] = {
    {.lo = 0x036,
     .hi = D_F32,
     .words = 2,
     .expect = hmma884_f32,
     .fields = {LAYOUTS, {78, 1, 0}, {79, 2, 0}},
     MATRIX},
    {.lo = 0x036, .words = 2, .expect = hmma884_f16, .fields = {LAYOUTS, {79, 2, 3}}, MATRIX},
    {.lo = 0x03c, .words = 2, .expect = hmma1688, MATRIX},
    {.lo = 0x03c, .hi = D_F32, .words = 4, .expect = hmma1688, MATRIX},
    {.lo = 0x037,
     .hi = COLUMN_B,
     .words = 2,
     .expect = imma,
     .fields = {{76, 1, 0}, {78, 1, 0}, {82, 1, 0}},
     MATRIX},
    {.lo = 0x037,
     .hi = COLUMN_B | HALVES_OF_BYTES,
     .words = 2,
     .expect = imma,
     .fields = {{76, 1, 0}, {78, 1, 0}, {82, 1, 0}},
     MATRIX},
    {.lo = 0x03d, .hi = COLUMN_B | POPC, .words = 2, .expect = bmma, MATRIX},
    {.lo = 0x03a, .words = 1, .expect = movm, MATRIX},
};

void op_cases_matrix(void)
{
    op_lab_check_all(cases, COUNT(cases));
}
