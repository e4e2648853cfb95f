/* Compiled matrix products in every layout, and rare integer instructions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/math/emu_half.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

enum { SIDE = 32, CELLS = SIDE * SIDE, DEPTH = 16 };

typedef struct {
    const char *kernel;
    unsigned rows, cols;
    bool a_by_columns, b_by_columns, c16, d16;
} product_t;

static const product_t products[] = {
    {"rows_rows_16", 16, 16, false, false, true, true},
    {"rows_columns_16", 16, 16, false, true, true, true},
    {"columns_rows_16", 16, 16, true, false, true, true},
    {"columns_columns_16", 16, 16, true, true, true, true},
    {"rows_rows_32", 16, 16, false, false, false, false},
    {"rows_columns_32", 16, 16, false, true, false, false},
    {"columns_rows_32", 16, 16, true, false, false, false},
    {"columns_columns_32", 16, 16, true, true, false, false},
    {"tall_32", 32, 8, false, true, false, false},
    {"wide_32", 8, 32, false, true, false, false},
    {"rows_columns_16_to_32", 16, 16, false, true, true, false},
    {"rows_columns_32_to_16", 16, 16, false, true, false, true},
};

/* Small integers: every sum is exact in 16 bits, in any order. */
static void fill(double v[CELLS], uint64_t *seed)
{
    for (unsigned i = 0; i < CELLS; i++)
        v[i] = (double)(int)(sass_lab_random(seed) >> 60) - 8;
}

static uint64_t put(sass_lab_t *lab, const double v[CELLS], bool half)
{
    uint16_t halves[CELLS];
    float floats[CELLS];

    for (unsigned i = 0; i < CELLS; i++) {
        halves[i] = (uint16_t)emu_double_to_half(v[i], 0);
        floats[i] = (float)v[i];
    }
    return half ? sass_lab_put(lab, halves, sizeof(halves))
                : sass_lab_put(lab, floats, sizeof(floats));
}

static void check_product(sass_lab_t *lab, const product_t *p, uint64_t *seed)
{
    double a[CELLS], b[CELLS], c[CELLS];

    fill(a, seed);
    fill(b, seed);
    fill(c, seed);
    uint64_t out = sass_lab_put(lab, NULL, CELLS * sizeof(float));
    sass_lab_kernel(lab, p->kernel);
    sass_lab_pointer(lab, put(lab, a, true));
    sass_lab_pointer(lab, put(lab, b, true));
    sass_lab_pointer(lab, put(lab, c, p->c16));
    sass_lab_pointer(lab, out);
    sass_lab_must_run(lab, 1, 32, 0);
    for (unsigned i = 0; i < p->rows; i++)
        for (unsigned j = 0; j < p->cols; j++) {
            double sum = c[SIDE * i + j], got;
            for (unsigned k = 0; k < DEPTH; k++)
                sum += a[p->a_by_columns ? SIDE * k + i : SIDE * i + k] *
                       b[p->b_by_columns ? SIDE * j + k : SIDE * k + j];
            if (p->d16)
                got = emu_half_to_double(((uint16_t *)sass_lab_at(lab, out))[SIDE * i + j]);
            else
                got = (double)((float *)sass_lab_at(lab, out))[SIDE * i + j];
            if (got != sum)
                fail_msg("%s [%u][%u]: %g, expected %g", p->kernel, i, j, got, sum);
        }
}

static void matrices_in_all_layouts_multiply(void **state)
{
    uint64_t seed = 31;
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "tensor")
    {
        for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
            check_product(&lab, &products[i], &seed);
    }
}

static int32_t clamped(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

static void rare_integer_instructions_agree(void **state)
{
    enum { N = 32, RESULTS = 8 };
    uint64_t seed = 32;
    int32_t a[3 * N];
    double x[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 3 * N; i++)
        a[i] = (int32_t)(uint32_t)(sass_lab_random(&seed) >> (i % 3 == 0 ? 48 : 32));
    for (unsigned i = 0; i < N; i++)
        x[i] = i == 0 ? (double)NAN : i == 1 ? 1e30 : (double)a[i] * 1.25;
    SASS_LAB_FOR_EACH_ARCH(lab, "tensor")
    {
        uint64_t out = sass_lab_put(&lab, NULL, RESULTS * N * sizeof(int32_t));
        sass_lab_kernel(&lab, "integers");
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, sass_lab_put(&lab, a, sizeof(a)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_must_run(&lab, 1, N, 0);
        const int32_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < N; i++) {
            uint32_t p = (uint32_t)a[i], q = (uint32_t)a[i + N], differences = 0, total = 0;
            for (unsigned bit = 0; bit < 32; bit += 8) {
                const uint32_t u = p >> bit & 255, v = q >> bit & 255, d = u > v ? u - v : v - u;
                differences |= d << bit;
                total += d;
            }
            const uint32_t low = (uint32_t)a[i + 2 * N] + (uint32_t)((int16_t)p * (int8_t)q) +
                                 (uint32_t)((int16_t)(p >> 16) * (int8_t)(q >> 8));
            const uint32_t high =
                (uint32_t)a[i + 2 * N] + (p & 0xffff) * (q >> 16 & 255) + (p >> 16) * (q >> 24);
            assert_int_equal((uint32_t)got[i], differences);
            assert_int_equal((uint32_t)got[i + N], total);
            assert_int_equal((uint32_t)got[i + 2 * N], low);
            assert_int_equal((uint32_t)got[i + 3 * N], high);
            assert_int_equal(got[i + 4 * N], clamped(a[i], -128, 127));
            assert_int_equal(got[i + 5 * N], clamped(a[i], 0, 65535));
            assert_int_equal(got[i + 6 * N], isnan(x[i])               ? INT32_MIN
                                             : fabs(x[i]) < 0x1p31 - 1 ? (int32_t)x[i]
                                             : x[i] > 0                ? INT32_MAX
                                                                       : INT32_MIN);
            if (isnan(x[i])) /* from single precision it is 0 */
                assert_int_equal(got[i + 7 * N], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_in_all_layouts_multiply),
        cmocka_unit_test(rare_integer_instructions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
