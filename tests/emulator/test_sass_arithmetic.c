/* Arithmetic on the emulator: each precision against the CPU, tensor cores, the math library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/math/emu_half.h"
#include "tests/support/emulator/sass_code.h"
#include "tests/support/test.h"

static void double_precision_is_exact(void **state)
{
    enum { N = 100 };
    uint64_t seed = 11;
    double x[N], y[N], a = 1.7;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        x[i] = (double)sass_lab_float(&seed) * 5 + 0.5;
        y[i] = (double)sass_lab_float(&seed);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "misc")
    {
        uint64_t out = sass_lab_put(&lab, y, sizeof(y));
        sass_lab_kernel(&lab, "daxpy");
        sass_lab_param(&lab, &a);
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_true(((double *)sass_lab_at(&lab, out))[i] ==
                        fma(a, x[i], y[i] / x[i]) + sqrt(x[i]));
    }
}

static void half_precision_is_exact(void **state)
{
    enum { N = 100 };
    uint64_t seed = 12;
    uint16_t x[2 * N], y[2 * N], a[2] = {0x3e00, 0x3400}; /* 1.5, 0.25 */
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 2 * N; i++) {
        x[i] = (uint16_t)emu_double_to_half((double)sass_lab_float(&seed), 0);
        y[i] = (uint16_t)emu_double_to_half((double)sass_lab_float(&seed), 0);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "misc")
    {
        uint64_t out = sass_lab_put(&lab, y, sizeof(y));
        sass_lab_kernel(&lab, "haxpy");
        sass_lab_param(&lab, a);
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, 128, 0);
        for (unsigned i = 0; i < 2 * N; i++)
            assert_int_equal(
                ((uint16_t *)sass_lab_at(&lab, out))[i],
                emu_double_to_half(emu_half_to_double(a[i & 1]) * emu_half_to_double(x[i]) +
                                       emu_half_to_double(y[i]),
                                   0));
    }
}

/* The vectorised conversions against plain ones. */
static void conversions_of_halves_agree(void **state)
{
    uint32_t words[32];
    float low[32], high[32];
    uint64_t seed = 21;

    (void)state;
    for (uint32_t h = 0; h < 0x10000; h += 64) {
        for (uint32_t k = 0; k < 32; k++)
            words[k] = (h + k) | (h + 32 + k) << 16;
        emu_halves_to_floats(words, 0, low);
        emu_halves_to_floats(words, 16, high);
        for (uint32_t k = 0; k < 32; k++) {
            double a = emu_half_to_double(h + k), b = emu_half_to_double(h + 32 + k);
            assert_true((double)low[k] == a || (isnan(low[k]) && isnan(a)));
            assert_true((double)high[k] == b || (isnan(high[k]) && isnan(b)));
        }
    }
    for (unsigned i = 0; i < 1000000; i++) {
        uint64_t r = sass_lab_random(&seed);
        /* magnitudes around all of the range, and ties */
        double v = ldexp((double)(int64_t)r, (int)(r % 50) - 95);
        if (i % 3 == 0)
            v = emu_half_to_double(r & 0x7fff) + ldexp(1, (int)(r >> 16 & 31) - 26);
        assert_int_equal(emu_round_to_half(v), emu_double_to_half(v, 0));
    }
    static const double special[] = {0.0,     -0.0,    65504,     65519.99,  65520,
                                     -65536,  1e30,    INFINITY,  -INFINITY, NAN,
                                     0x1p-24, 0x1p-25, 0x1.8p-25, -0x1p-26,  1e300};
    for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        assert_int_equal(emu_round_to_half(special[i]), emu_double_to_half(special[i], 0));
}

static double root(double x)
{
    return sqrt(x);
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static double sine(double turns)
{
    return sin(6.283185307179586476925 * remainder(turns, 1));
}

static double cosine(double turns)
{
    return cos(6.283185307179586476925 * remainder(turns, 1));
}

/* In units of the last place of a float of similar size. */
static double distance_in_ulp(float got, double exact)
{
    int exponent;

    frexp(exact, &exponent);
    return fabs((double)got - exact) / ldexp(1, (exponent > -125 ? exponent : -125) - 24);
}

/* IADD3 with both carries, of all triples of numbers at which carries meet, each one negated or not. */
static void three_numbers_carry_twice(void **state)
{
    enum { ARRAY = 0x160, RESULT = 0x168, LINE = 16, NUMBERS = 8, N = NUMBERS * NUMBERS * NUMBERS };
    static const uint32_t numbers[NUMBERS] = {0,          1,          2,          0x7fffffff,
                                              0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    static uint32_t x[N][4];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0, n = i; k < 3; k++, n /= NUMBERS)
            x[i][k] = numbers[n % NUMBERS];
    for (uint64_t negated = 0; negated < 8; negated++) {
        const sass_code_t code[] = {
            sass_code_tid_to(0),
            sass_code_number_to(5, LINE),
            sass_code_address_to(2, 0, 5, ARRAY),
            sass_code_load_to(8, 2, 16),
            /* IADD3 R12, P0, P1, R8, R9, R10 */
            {0x7210 | 12u << 16 | (uint64_t)8 << 24 | (uint64_t)9 << 32 | (negated & 2) << 62,
             0x0791e000 | 10 | (negated & 1) << 8 | (negated & 4) << 9},
            {0x7803 | 13u << 16 | (uint64_t)255 << 24 | 3ull << 32, 0}, /* P2R R13, PR, RZ, 3 */
            sass_code_address_to(2, 0, 5, RESULT),
            sass_code_store_from(12, 2, 8)};
        sass_lab_open(&lab, "matmul", 70);
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(x));
        sass_lab_kernel(&lab, "matmul");
        sass_lab_code(&lab, code, sizeof(code) / sizeof(code[0]));
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, 0);
        sass_lab_int(&lab, 0);
        sass_lab_must_run(&lab, 1, N, 0);
        for (unsigned i = 0; i < N; i++) {
            const uint32_t *got = (const uint32_t *)sass_lab_at(&lab, out) + i * 4;
            uint64_t sum = 0;
            for (unsigned k = 0; k < 3; k++) /* -x is ~x and a carry */
                sum += negated >> k & 1 ? (uint64_t)~x[i][k] + 1 : x[i][k];
            const uint32_t carries = (sum >> 32 > 0) | (uint32_t)(sum >> 32 > 1) << 1;
            if (got[0] != (uint32_t)sum || got[1] != carries)
                fail_msg("%x %x %x, signs %x: %x, carries %x, not %x, %x", x[i][0], x[i][1],
                         x[i][2], (unsigned)negated, got[0], got[1], (uint32_t)sum, carries);
        }
        sass_lab_close(&lab);
    }
}

/* A uniform register that half of a warp has written is read by all of it. */
static void a_uniform_result_is_the_same_in_all_lanes(void **state)
{
    enum { RESULT = 0x168, N = 32 };
    const sass_code_t code[] = {
        sass_code_tid_to(0),
        sass_code_number_to(5, 4),
        {0x7945 | 0x30ull << 32, 0x3800000},         /* BSSY B0, to BSYNC */
        {0x780c | 16ull << 32, 0x03f06270},          /* ISETP.GE.AND P0, PT, R0, 16, PT */
        {0x0947 | 0x10ull << 32, 0x3800000},         /* @P0 BRA, to BSYNC */
        {0x7886 | 4u << 16, 0x38e0100},              /* VOTEU.ANY UR4, UPT, PT */
        {0x7941, 0x3800000},                         /* BSYNC B0 */
        {0x7c02 | 6u << 16 | 4ull << 32, 0x8000f00}, /* MOV R6, UR4 */
        sass_code_address_to(2, 0, 5, RESULT),
        sass_code_store_from(6, 2, 4)};
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "matmul", 75);
    const uint64_t out = sass_lab_put(&lab, NULL, N * 4);
    sass_lab_kernel(&lab, "matmul");
    sass_lab_code(&lab, code, sizeof(code) / sizeof(code[0]));
    sass_lab_pointer(&lab, 0);
    sass_lab_pointer(&lab, out);
    sass_lab_pointer(&lab, 0);
    sass_lab_int(&lab, 0);
    sass_lab_must_run(&lab, 1, N, 0);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(((const uint32_t *)sass_lab_at(&lab, out))[i], 0xffff);
    sass_lab_close(&lab);
}

/* Random magnitudes between 2^low and 2^high; denormal results are zeros. */
static void functions_are_within_an_ulp(void **state)
{
    enum { N = 1024, ARRAY = 0x160, RESULT = 0x168 };
    static const struct {
        double (*exact)(double);
        unsigned function;
        int low, high;
        bool both_signs;
    } cases[] = {
        {cosine, 0, -12, 8, true},
        {sine, 1, -12, 8, true},
        {exp2, 2, -20, 7, true},
        {log2, 3, -126, 127, false},
        {log2, 3, -1, 1, false},
        {reciprocal, 4, -120, 120, true},
        {reciprocal_root, 5, -126, 127, false},
        {root, 8, -126, 127, false},
        {tanh, 9, -10, 4, true},
    };
    uint64_t seed = 19;
    sass_lab_t lab;
    float x[N];

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const sass_code_t code[] = {sass_code_tid_to(0),
                                    sass_code_number_to(5, 4),
                                    sass_code_address_to(2, 0, 5, ARRAY),
                                    sass_code_load_to(4, 2, 4),
                                    sass_code_mufu(cases[c].function, 6, 4),
                                    sass_code_address_to(2, 0, 5, RESULT),
                                    sass_code_store_from(6, 2, 4)};
        for (unsigned i = 0; i < N; i++) {
            int exponent = (int)(sass_lab_random(&seed) % (unsigned)(cases[c].high - cases[c].low));
            x[i] = ldexpf(1 + sass_lab_float(&seed), cases[c].low + exponent);
            if (cases[c].both_signs && i % 2 == 1)
                x[i] = -x[i];
        }
        sass_lab_open(&lab, "matmul", 70);
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(x));
        sass_lab_kernel(&lab, "matmul");
        sass_lab_code(&lab, code, sizeof(code) / sizeof(code[0]));
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, 0);
        sass_lab_int(&lab, 0);
        sass_lab_must_run(&lab, 1, N, 0);
        for (unsigned i = 0; i < N; i++) {
            float got = ((float *)sass_lab_at(&lab, out))[i];
            double exact = cases[c].exact((double)x[i]);
            if (fabs(exact) < 0x1p-126 ? got != 0 : !(distance_in_ulp(got, exact) <= 0.51))
                fail_msg("function %u of %a: %a, exactly %a", cases[c].function, (double)x[i],
                         (double)got, exact);
        }
        sass_lab_close(&lab);
    }
}

static void tensor_cores_multiply(void **state)
{
    uint64_t seed = 13;
    uint16_t a[16][16], b[16][16]; /* b by columns */
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        a[i / 16][i % 16] = (uint16_t)emu_double_to_half((double)sass_lab_float(&seed), 0);
        b[i / 16][i % 16] = (uint16_t)emu_double_to_half((double)sass_lab_float(&seed), 0);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "misc")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 1024);
        sass_lab_kernel(&lab, "wmma");
        sass_lab_pointer(&lab, sass_lab_put(&lab, a, sizeof(a)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, b, sizeof(b)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < 16; j++) {
                double sum = 0;
                for (unsigned k = 0; k < 16; k++)
                    sum += emu_half_to_double(a[i][k]) * emu_half_to_double(b[j][k]);
                sass_lab_assert_close((double)((float *)sass_lab_at(&lab, out))[16 * i + j], sum,
                                      1e-6);
            }
    }
}

static void functions_of_the_math_library_work(void **state)
{
    enum { N = 100 };
    uint64_t seed = 14;
    float x[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        x[i] = sass_lab_float(&seed) * 50 + 0.1f;
    for (unsigned i = 0; i < 4; i++)
        x[i] *= 1e5f; /* the slow path of the argument reduction, with its table */
    SASS_LAB_FOR_EACH_ARCH(lab, "misc")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(x));
        sass_lab_kernel(&lab, "trig");
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, 128, 0);
        for (unsigned i = 0; i < N; i++) {
            double v = (double)x[i], p = cos(v) * pow(v, 1.5), q = log(v) / tan(v);
            double scale = fmax(fabs(p), fabs(q)) + 1;
            assert_true(fabs((double)((float *)sass_lab_at(&lab, out))[i] - (sin(v) + p + q)) <
                        2e-6 * scale);
        }
    }
}

static void integers_of_64_bits_divide(void **state)
{
    enum { N = 100 };
    uint64_t seed = 15;
    int64_t x[N], z[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        x[i] = (int64_t)(sass_lab_random(&seed) >> 2) - (1ll << 61);
        z[i] = (int64_t)(sass_lab_random(&seed) >> 43) - (1ll << 20);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "misc")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(x));
        sass_lab_kernel(&lab, "i64");
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, z, sizeof(z)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_true(((uint64_t *)sass_lab_at(&lab, out))[i] ==
                        (uint64_t)x[i] * (uint64_t)z[i] + (uint64_t)(x[i] / (z[i] | 1)) +
                            (uint64_t)(x[i] >> 3));
    }
}

static void bytes_multiply_and_add(void **state)
{
    enum { N = 100 };
    uint64_t seed = 16;
    int32_t x[N], z[N], y[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        x[i] = (int32_t)sass_lab_random(&seed);
        z[i] = (int32_t)sass_lab_random(&seed);
        y[i] = (int32_t)(sass_lab_random(&seed) % 99);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "misc")
    {
        uint64_t out = sass_lab_put(&lab, y, sizeof(y));
        sass_lab_kernel(&lab, "dp4");
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, z, sizeof(z)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, 128, 0);
        for (unsigned i = 0; i < N; i++) {
            uint32_t sum = (uint32_t)y[i];
            for (unsigned b = 0; b < 32; b += 8)
                sum += (uint32_t)((int8_t)(x[i] >> b) * (int8_t)(z[i] >> b));
            sum += (uint32_t)x[i] + (uint32_t)(x[i] < z[i] ? x[i] : z[i]) +
                   (x[i] < 0 ? 0u - (uint32_t)x[i] : (uint32_t)x[i]);
            assert_int_equal(((uint32_t *)sass_lab_at(&lab, out))[i], sum);
        }
    }
}

/* fmin() and fmax() of doubles: NaNs on either side, zeros of both signs, infinities. */
static void extremes_of_doubles_are_those_of_the_host(void **state)
{
    static const double values[] = {0.0, -0.0, 1.5, -1.5, INFINITY, NAN};
    enum { N = 6, PAIRS = N * N };
    double a[PAIRS], b[PAIRS];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < PAIRS; i++) {
        a[i] = values[i / N];
        b[i] = values[i % N];
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "generic")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 2 * sizeof(a));
        sass_lab_kernel(&lab, "extremes");
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, sass_lab_put(&lab, a, sizeof(a)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, b, sizeof(b)));
        sass_lab_must_run(&lab, 1, PAIRS, 0);
        for (unsigned i = 0; i < PAIRS; i++) {
            const double *got = (const double *)sass_lab_at(&lab, out) + 2 * (size_t)i;
            bool a_less = a[i] < b[i] || (a[i] == b[i] && signbit(a[i]));
            double low = isnan(a[i]) || (!isnan(b[i]) && !a_less) ? b[i] : a[i];
            double high = isnan(a[i]) || (!isnan(b[i]) && a_less) ? b[i] : a[i];
            if (a[i] == b[i]) /* zeros: by sign */
                high = signbit(a[i]) ? b[i] : a[i];
            assert_true(isnan(low) ? isnan(got[0]) : got[0] == low);
            assert_true(isnan(high) ? isnan(got[1]) : got[1] == high);
            assert_true(isnan(low) || !signbit(got[0]) == !signbit(low));
            assert_true(isnan(high) || !signbit(got[1]) == !signbit(high));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_precision_is_exact),
        cmocka_unit_test(half_precision_is_exact),
        cmocka_unit_test(conversions_of_halves_agree),
        cmocka_unit_test(a_uniform_result_is_the_same_in_all_lanes),
        cmocka_unit_test(three_numbers_carry_twice),
        cmocka_unit_test(functions_are_within_an_ulp),
        cmocka_unit_test(tensor_cores_multiply),
        cmocka_unit_test(functions_of_the_math_library_work),
        cmocka_unit_test(integers_of_64_bits_divide),
        cmocka_unit_test(bytes_multiply_and_add),
        cmocka_unit_test(extremes_of_doubles_are_those_of_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
