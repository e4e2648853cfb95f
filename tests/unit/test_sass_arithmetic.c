/* Arithmetic on the emulator: each precision against the CPU, tensor cores, the math library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/sass/emu_half.h"
#include "tests/support/sass_lab.h"
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
        x[i] *= 1e5f; /* the slow path of the argument's reduction, with its table */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_precision_is_exact),
        cmocka_unit_test(half_precision_is_exact),
        cmocka_unit_test(tensor_cores_multiply),
        cmocka_unit_test(functions_of_the_math_library_work),
        cmocka_unit_test(integers_of_64_bits_divide),
        cmocka_unit_test(bytes_multiply_and_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
