/* What compute capability 8.x adds, on compiled kernels (traces/src/ampere.cu) against the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/math/emu_bf16.h"
#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_round.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

enum { WORDS = 8, ROWS = 16, COLUMNS = 8, CELLS = ROWS * COLUMNS };

typedef enum { F16, BF16, TF32, INTEGER, BITS_XOR, BITS_AND } kind_t;

typedef struct {
    const char *kernel;
    unsigned words; /* of a row of A */
    kind_t kind;
    unsigned bits;
    bool signed_a, signed_b, saturates, half_sums;
} product_t;

static const product_t products[] = {
    {"f16_16", 8, F16, 16, false, false, false, false},
    {"f16_8", 4, F16, 16, false, false, false, false},
    {"f16_16_to_16", 8, F16, 16, false, false, false, true},
    {"bf16_16", 8, BF16, 16, false, false, false, false},
    {"bf16_8", 4, BF16, 16, false, false, false, false},
    {"tf32_8", 8, TF32, 32, false, false, false, false},
    {"tf32_4", 4, TF32, 32, false, false, false, false},
    {"s8_32", 8, INTEGER, 8, true, true, false, false},
    {"s8_16", 4, INTEGER, 8, true, true, false, false},
    {"u8_s8_32", 8, INTEGER, 8, false, true, true, false},
    {"s4_64", 8, INTEGER, 4, true, true, false, false},
    {"s4_u4_32", 4, INTEGER, 4, true, false, true, false},
    {"b1_256_xor", 8, BITS_XOR, 1, false, false, false, false},
    {"b1_256_and", 8, BITS_AND, 1, false, false, false, false},
    {"b1_128_and", 4, BITS_AND, 1, false, false, false, false},
};

static float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static bool is_float(const product_t *p)
{
    return p->kind <= TF32;
}

/* Element e of a row or column of words. */
static double element(const product_t *p, const uint32_t *row, unsigned e, bool is_signed)
{
    const unsigned per = 32 / p->bits;
    const uint32_t word = row[e / per], v = word >> (e % per * p->bits);

    switch (p->kind) {
    case F16:
        return emu_half_to_double(v & 0xffff);
    case BF16:
        return (double)float_of(v << 16);
    case TF32:
        return (double)float_of(word & 0xffffe000u);
    default:
        break;
    }
    const int32_t mask = (1 << p->bits) - 1, n = (int32_t)v & mask;
    return is_signed && n > mask / 2 ? n - mask - 1 : n;
}

/* Small integers in the format of the product, so that every sum is exact in any order; random bits
 * for integers. */
static void fill(const product_t *p, uint32_t *words, unsigned n, uint64_t *seed)
{
    for (unsigned i = 0; i < n; i++) {
        const uint64_t r = sass_lab_random(seed);
        const float small[2] = {(float)(int)(r >> 60) - 8, (float)(int)(r >> 56 & 15) - 8};
        words[i] = (uint32_t)(r >> 20);
        if (p->kind == F16)
            words[i] = emu_double_to_half((double)small[0], EMU_RN) |
                       emu_double_to_half((double)small[1], EMU_RN) << 16;
        else if (p->kind == BF16)
            words[i] = bits_of(small[0]) >> 16 | (bits_of(small[1]) & 0xffff0000u);
        else if (p->kind == TF32) /* bits that the format does not have are left out */
            words[i] = bits_of(small[0]) | (uint32_t)(r & 0x1fff);
    }
}

static double product_at(const product_t *p, const uint32_t *a, const uint32_t *b, unsigned row,
                         unsigned col)
{
    const unsigned depth = p->words * (32 / p->bits);
    double sum = 0;

    for (unsigned k = 0; k < depth; k++) {
        const double x = element(p, a + row * p->words, k, p->signed_a);
        const double y = element(p, b + col * p->words, k, p->signed_b);
        sum += p->kind == BITS_XOR ? (double)(x != y) : x * y;
    }
    return sum;
}

static uint32_t finished(const product_t *p, double sum)
{
    if (is_float(p))
        return bits_of((float)sum);
    if (p->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)(int64_t)sum;
}

static void check_product(sass_lab_t *lab, const product_t *p, uint64_t *seed)
{
    uint32_t a[ROWS * WORDS], b[COLUMNS * WORDS], c[CELLS];
    uint16_t halves[CELLS];

    fill(p, a, ROWS * WORDS, seed);
    fill(p, b, COLUMNS * WORDS, seed);
    for (unsigned i = 0; i < CELLS; i++) {
        const int v = (int)(sass_lab_random(seed) >> 58) - 32;
        c[i] = is_float(p)    ? bits_of((float)v)
               : p->saturates ? (v < 0 ? 0x80000000u : 0x7fffffffu) + (uint32_t)v
                              : (uint32_t)v;
        halves[i] = (uint16_t)emu_double_to_half((double)v, EMU_RN);
    }
    const uint64_t out = sass_lab_put(lab, NULL, sizeof(c));
    sass_lab_kernel(lab, p->kernel);
    sass_lab_pointer(lab, sass_lab_put(lab, a, sizeof(a)));
    sass_lab_pointer(lab, sass_lab_put(lab, b, sizeof(b)));
    sass_lab_pointer(lab, p->half_sums ? sass_lab_put(lab, halves, sizeof(halves))
                                       : sass_lab_put(lab, c, sizeof(c)));
    sass_lab_pointer(lab, out);
    sass_lab_must_run(lab, 1, 32, 0);
    const uint32_t *got = sass_lab_at(lab, out);
    const uint16_t *got16 = sass_lab_at(lab, out);
    for (unsigned i = 0; i < CELLS; i++) {
        const double from = is_float(p) ? (double)float_of(c[i]) : (double)(int32_t)c[i];
        const double sum = from + product_at(p, a, b, i / COLUMNS, i % COLUMNS);
        const uint32_t expected = p->half_sums ? emu_double_to_half(sum, EMU_RN) : finished(p, sum);
        if ((p->half_sums ? got16[i] : got[i]) != expected)
            fail_msg("%s [%u][%u]: 0x%x, expected 0x%x", p->kernel, i / COLUMNS, i % COLUMNS,
                     p->half_sums ? got16[i] : got[i], expected);
    }
}

static const unsigned archs[] = {80, 86};
#define FOR_EACH_ARCH(lab)                                                                         \
    for (unsigned at_ = 0; at_ < 2; at_++, sass_lab_close(&(lab)))                                 \
        for (bool once_ = (sass_lab_open(&(lab), "ampere", archs[at_]), true); once_; once_ = false)

static void matrices_of_all_types_multiply(void **state)
{
    uint64_t seed = 80;
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab)
    {
        for (unsigned again = 0; again < 4; again++)
            for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
                check_product(&lab, &products[i], &seed);
    }
}

static void doubles_multiply(void **state)
{
    enum { SIDE = 8, DEPTH = 4 };
    double a[SIDE * DEPTH], b[SIDE * DEPTH], c[SIDE * SIDE];
    uint64_t seed = 81;
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab)
    {
        for (unsigned i = 0; i < SIDE * DEPTH; i++) {
            a[i] = (double)sass_lab_float(&seed);
            b[i] = (double)sass_lab_float(&seed) - 0.5;
        }
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            c[i] = (double)sass_lab_float(&seed);
        const uint64_t out = sass_lab_put(&lab, NULL, sizeof(c));
        sass_lab_kernel(&lab, "f64_4");
        sass_lab_pointer(&lab, sass_lab_put(&lab, a, sizeof(a)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, b, sizeof(b)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, c, sizeof(c)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        const double *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < SIDE * SIDE; i++) {
            double sum = c[i];
            for (unsigned k = 0; k < DEPTH; k++)
                sum = fma(a[i / SIDE * DEPTH + k], b[i % SIDE * DEPTH + k], sum);
            assert_memory_equal(&got[i], &sum, sizeof(sum));
        }
    }
}

/* --- copies and barriers --------------------------------------------------------------------- */

static void copies_reach_shared_memory(void **state)
{
    enum { THREADS = 64, BYTES = 16, KINDS = 5 };
    uint8_t from[THREADS * BYTES];
    int32_t n[THREADS];
    uint64_t seed = 82;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < sizeof(from); i++)
        from[i] = (uint8_t)(sass_lab_random(&seed) >> 40);
    for (unsigned i = 0; i < THREADS; i++)
        n[i] = (int32_t)(i * 7 % 17);
    FOR_EACH_ARCH(lab)
    {
        const uint64_t out = sass_lab_put(&lab, NULL, THREADS * KINDS * BYTES);
        sass_lab_kernel(&lab, "copies");
        sass_lab_pointer(&lab, sass_lab_put(&lab, from, sizeof(from)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, n, sizeof(n)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, THREADS, 0);
        const uint8_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < THREADS; i++) {
            const unsigned whole[KINDS] = {4, 8, 16, 16, 8},
                           copied[KINDS] = {4, 8, 16, (unsigned)n[i], n[i] > 8 ? 0 : 8};
            for (unsigned r = 0; r < KINDS; r++)
                for (unsigned k = 0; k < BYTES; k++) {
                    const uint8_t expected = k < copied[r]  ? from[BYTES * i + k]
                                             : k < whole[r] ? 0
                                                            : 0xaa;
                    if (got[(i * KINDS + r) * BYTES + k] != expected)
                        fail_msg("thread %u, copy %u, byte %u: %u, expected %u", i, r, k,
                                 got[(i * KINDS + r) * BYTES + k], expected);
                }
        }
    }
}

static void barriers_in_shared_memory_have_phases(void **state)
{
    enum { THREADS = 128, RESULTS = 5 };
    uint32_t from[THREADS];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        from[i] = 1000 + i;
    FOR_EACH_ARCH(lab)
    {
        const uint64_t out = sass_lab_put(&lab, NULL, RESULTS * THREADS * sizeof(uint32_t));
        sass_lab_kernel(&lab, "barriers");
        sass_lab_pointer(&lab, sass_lab_put(&lab, from, sizeof(from)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, THREADS, 0);
        const uint32_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < THREADS; i++) {
            for (unsigned phase = 0; phase < 3; phase++)
                assert_int_equal(got[phase * THREADS + i], (i + 37) % THREADS * 10 + phase);
            assert_int_equal(got[3 * THREADS + i], 1000 + THREADS - 1 - i);
            assert_int_equal(got[4 * THREADS + i], i % 2 ? 1 : 2);
        }
    }
}

/* --- reductions and pairs -------------------------------------------------------------------- */

static uint32_t reduced(unsigned op, const uint32_t *v)
{
    uint32_t r = v[0];

    for (unsigned i = 1; i < 32; i++) {
        const uint32_t x = v[i];
        const bool below = (op == 3 || op == 4) ? (int32_t)x < (int32_t)r : x < r;
        if (op == 8 && i % 3 != 0)
            continue;
        r = op == 0 || op == 8   ? r + x
            : op == 1 || op == 3 ? (below ? x : r)
            : op == 2 || op == 4 ? (below ? r : x)
            : op == 5            ? r & x
            : op == 6            ? r | x
                                 : r ^ x;
    }
    return r;
}

static void warps_reduce(void **state)
{
    enum { OPERATIONS = 9 };
    uint32_t in[32];
    uint64_t seed = 83;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 32; i++)
        in[i] = (uint32_t)(sass_lab_random(&seed) >> 32) | 0x10;
    FOR_EACH_ARCH(lab)
    {
        const uint64_t out = sass_lab_put(&lab, NULL, OPERATIONS * 32 * sizeof(uint32_t));
        sass_lab_kernel(&lab, "reductions");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, sizeof(in)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        const uint32_t *got = sass_lab_at(&lab, out);
        for (unsigned op = 0; op < OPERATIONS; op++)
            for (unsigned i = 0; i < 32; i += op == 8 ? 3 : 1)
                assert_int_equal(got[op * 32 + i], reduced(op, in));
    }
}

/* bf16 of a double, to the nearest or towards zero, by trying all neighbours. */
static uint32_t to_bf16(double v, bool truncates)
{
    if (isnan(v))
        return 0x7fff;
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    const double m = fabs(v);
    uint32_t low = 0, high = 0x7f80; /* m is in [low, high) */

    if (isinf(v))
        return sign | 0x7f80;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (m >= (double)float_of(middle << 16))
            low = middle;
        else
            high = middle;
    }
    const double below = (double)float_of(low << 16),
                 above = high == 0x7f80 ? 0x1p128 : (double)float_of(high << 16);
    const bool up = m - below > above - m || (m - below == above - m && (low & 1));
    return sign | (up && !truncates ? high : low);
}

/* Rounding down and up, by F2F: the nearest bf16 on that side. */
static void bf16_is_rounded_in_all_directions(void **state)
{
    uint64_t seed = 31;

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t r = sass_lab_random(&seed);
        const uint32_t word = (uint32_t)r & (i % 3 == 0 ? 0xffff0000u : 0xffffffffu);
        const double v = (double)float_of(word);
        const bool negative = word >> 31;
        const uint32_t inside = to_bf16(v, true), nearest = to_bf16(v, false);
        const uint32_t outside = isnan(v) || isinf(v) || (word & 0xffff) == 0 ? inside : inside + 1;
        assert_int_equal(emu_round_to_bf16(word, EMU_RN), nearest);
        assert_int_equal(emu_round_to_bf16(word, EMU_RZ), inside);
        assert_int_equal(emu_round_to_bf16(word, EMU_RM), negative ? outside : inside);
        assert_int_equal(emu_round_to_bf16(word, EMU_RP), negative ? inside : outside);
    }
}

static uint32_t relu(uint32_t half)
{
    return half & 0x8000 ? 0 : half;
}

static double value_of(uint32_t half, bool bf16)
{
    return bf16 ? (double)float_of(half << 16) : emu_half_to_double(half);
}

/* The smaller or larger of two halves; NaN wins, or is left out. */
static uint32_t chosen(uint32_t x, uint32_t y, bool bf16, bool smaller, bool nan_wins, bool ftz)
{
    double a = value_of(x, bf16), b = value_of(y, bf16);

    if (ftz && fabs(a) < 0x1p-14)
        x &= 0x8000, a = 0;
    if (ftz && fabs(b) < 0x1p-14)
        y &= 0x8000, b = 0;
    if (isnan(a) || isnan(b))
        return nan_wins || (isnan(a) && isnan(b)) ? 0x7fff : isnan(a) ? y : x;
    const bool less = a < b || (a == b && x & 0x8000);
    return less == smaller ? x : y;
}

/* a * b + c, beside it if it is not a double: so a tie between two halves is no tie. */
static double sum_of(double a, double b, double c)
{
    const double product = a * b, sum = product + c, back = sum - product;
    const double rest = (product - (sum - back)) + (c - back);

    if (rest == 0 || isnan(rest) || isinf(sum))
        return sum;
    return nextafter(sum, rest > 0 ? (double)INFINITY : (double)-INFINITY);
}

static uint32_t expected_half(unsigned op, uint32_t x, uint32_t y, uint32_t z)
{
    switch (op) {
    case 0:
    case 1: {
        const uint32_t r =
            to_bf16(sum_of(value_of(x, true), value_of(y, true), value_of(z, true)), false);
        return op == 1 ? relu(r) : r;
    }
    case 2:
        return relu(emu_double_to_half(
            sum_of(value_of(x, false), value_of(y, false), value_of(z, false)), EMU_RN));
    case 3:
        return chosen(x, y, true, true, false, false);
    case 4:
        return chosen(x, y, true, false, true, false);
    case 5:
        return chosen(x, y, false, false, false, false);
    case 6:
        return chosen(x, y, false, true, true, false);
    case 7:
        return chosen(x, y, false, false, false, true);
    default: /* 19 */
        return (x & 0x7fff) > 0x7f80 ? 0x7fff : x & 0x7fff;
    }
}

static uint32_t expected_word(unsigned op, uint32_t x, uint32_t y)
{
    const float f = float_of(x), h = float_of(y);
    const double a = (double)f, b = (double)h;
    const unsigned mode = op == 11 ? EMU_RZ : EMU_RN;

    switch (op) {
    case 8:
    case 9:
        return to_bf16(a, op == 9) << 16 | to_bf16(b, op == 9);
    case 10:
        return relu(to_bf16(a, false)) << 16 | relu(to_bf16(b, false));
    case 11:
        return emu_double_to_half(a, mode) << 16 | emu_double_to_half(b, mode);
    case 12:
        return relu(emu_double_to_half(a, mode)) << 16 | relu(emu_double_to_half(b, mode));
    case 13:
        return (isnan(f) || isinf(f) ? x : x + 0x1000) & 0xffffe000u;
    case 14:
        return isnan(f) || isnan(h) ? 0x7fffffffu : bits_of(a > b ? f : h);
    case 15:
        return isnan(f) && isnan(h) ? 0x7fffffffu
               : isnan(f)           ? y
               : isnan(h)           ? x
                                    : bits_of(a < b ? f : h);
    case 16:
        return bits_of((float)(int32_t)x);
    case 17: {
        const double v = (double)x;
        const float near = (float)v;
        return bits_of((double)near > v ? nextafterf(near, 0) : near);
    }
    default: /* 18 */
        return to_bf16(a, false);
    }
}

static uint32_t expected_of(unsigned op, const uint32_t in[3])
{
    if (op > 7 && op < 19)
        return expected_word(op, in[0], in[1]);
    return expected_half(op, in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff) |
           expected_half(op, in[0] >> 16, in[1] >> 16, in[2] >> 16) << 16;
}

/* Makes the HFMA2.RELU of halves that ptxas chose an HFMA2.F32.RELU, which no PTX gives. */
static void accumulate_in_single(sass_lab_t *lab)
{
    enum { OPCODE = 0x1ff, HFMA2 = 0x031, HFMA2_MMA = 0x035 };
    const uint64_t f32 = 1u << 14, relu_flag = 1u << 15, bf16 = 1u << 21;
    uint8_t *code = lab->file + (lab->kernel->code - lab->file);
    unsigned changed = 0;

    for (size_t at = 0; at < lab->kernel->code_bytes; at += sizeof(sass_code_t)) {
        sass_code_t c;
        memcpy(&c, code + at, sizeof(c));
        const uint64_t op = c.lo & OPCODE;
        if ((op != HFMA2 && op != HFMA2_MMA) || !(c.hi & relu_flag) || c.hi & bf16)
            continue;
        c.lo = (c.lo & ~(uint64_t)OPCODE) | HFMA2;
        c.hi |= f32;
        memcpy(code + at, &c, sizeof(c));
        changed++;
    }
    assert_int_equal(changed, 1);
}

static void check_pairs(bool in_single)
{
    enum { N = 4096, OPERATIONS = 20 };
    static const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x7f80, 0xff80,
                                       0x7fc1, 0x7c00, 0xfc00, 0x7e01, 0x3f80, 0x3c00,
                                       0x7bff, 0x7f7f, 0x00ff, 0x0400};
    uint32_t *in = calloc(3 * N, sizeof(*in));
    uint64_t seed = 84;
    sass_lab_t lab;

    for (unsigned i = 0; i < 3 * N; i++) {
        const uint64_t r = sass_lab_random(&seed);
        in[i] = (uint32_t)(r >> 32);
        if (i / 3 % 4 == 0)
            in[i] = special[r & 15] | (uint32_t)special[r >> 4 & 15] << 16;
        else if (i / 3 % 4 == 1) /* near each other: sums lose digits */
            in[i] = (in[i] & 0x83ff83ffu) | 0x3c003c00u;
    }
    FOR_EACH_ARCH(lab)
    {
        const uint64_t out = sass_lab_put(&lab, NULL, OPERATIONS * N * sizeof(uint32_t));
        sass_lab_kernel(&lab, "pairs");
        if (in_single)
            accumulate_in_single(&lab);
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, 3 * N * sizeof(*in)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, N / 128, 128, 0);
        const uint32_t *got = sass_lab_at(&lab, out);
        for (unsigned op = 0; op < OPERATIONS; op++)
            for (unsigned i = 0; i < N; i++)
                if (got[op * N + i] != expected_of(op, in + 3 * i))
                    fail_msg("operation %u of %08x %08x %08x: %08x, expected %08x", op, in[3 * i],
                             in[3 * i + 1], in[3 * i + 2], got[op * N + i],
                             expected_of(op, in + 3 * i));
    }
    free(in);
}

static void pairs_and_conversions_agree(void **state)
{
    (void)state;
    check_pairs(false);
}

static void products_in_single_precision_with_relu_agree(void **state)
{
    (void)state;
    check_pairs(true);
}

static void functions_of_halves_are_close(void **state)
{
    enum { N = 256 };
    uint32_t in[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        in[i] = emu_double_to_half(((double)i - 128) / 16, EMU_RN) |
                emu_double_to_half(((double)i - 100) / 64, EMU_RN) << 16;
    FOR_EACH_ARCH(lab)
    {
        const uint64_t out = sass_lab_put(&lab, NULL, 2 * N * sizeof(uint32_t));
        sass_lab_kernel(&lab, "functions");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, sizeof(in)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, N, 0);
        const uint32_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < 2 * N; i++)
            for (unsigned h = 0; h < 2; h++) {
                const double x = emu_half_to_double(in[i % N] >> 16 * h & 0xffff),
                             y = emu_half_to_double(got[i] >> 16 * h & 0xffff);
                sass_lab_assert_close(y, i < N ? exp2(x) : tanh(x), 2e-3);
            }
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static void hints_change_nothing(void **state)
{
    enum { N = 64 };
    uint32_t in[2 * N], sum = 0;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 2 * N; i++)
        in[i] = 7 * i;
    for (unsigned i = 0; i < N; i++)
        sum += in[i];
    FOR_EACH_ARCH(lab)
    {
        const uint64_t out = sass_lab_put(&lab, NULL, (2 * N + 1) * sizeof(uint32_t));
        sass_lab_kernel(&lab, "hints");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, sizeof(in)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, N, 0);
        const uint32_t *got = sass_lab_at(&lab, out);
        assert_memory_equal(got, in, sizeof(in));
        assert_int_equal(got[2 * N], sum);
    }
}

static void blocks_have_100_and_163_kilobytes_of_shared_memory(void **state)
{
    enum { N = 256 };
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab)
    {
        const int32_t bytes = (archs[at_] == 80 ? 163 : 99) << 10;
        const uint64_t out = sass_lab_put(&lab, NULL, N * sizeof(uint32_t));
        sass_lab_kernel(&lab, "large");
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, bytes / 4);
        sass_lab_must_run(&lab, 1, N, (uint32_t)bytes);
        const uint32_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(got[i], 3 * (N - 1 - i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_all_types_multiply),
        cmocka_unit_test(doubles_multiply),
        cmocka_unit_test(copies_reach_shared_memory),
        cmocka_unit_test(barriers_in_shared_memory_have_phases),
        cmocka_unit_test(warps_reduce),
        cmocka_unit_test(bf16_is_rounded_in_all_directions),
        cmocka_unit_test(pairs_and_conversions_agree),
        cmocka_unit_test(products_in_single_precision_with_relu_agree),
        cmocka_unit_test(functions_of_halves_are_close),
        cmocka_unit_test(hints_change_nothing),
        cmocka_unit_test(blocks_have_100_and_163_kilobytes_of_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
