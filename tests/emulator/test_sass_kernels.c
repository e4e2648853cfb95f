/* The bundled kernels on the emulator, for Volta and Turing, against the same computation on the
 * CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

static void vectors_add(void **state)
{
    enum { N = 1000 };
    uint64_t seed = 1;
    float *x = sass_lab_floats(N, &seed), *y = sass_lab_floats(N, &seed);
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "vecadd")
    {
        uint64_t a = sass_lab_put(&lab, x, 4 * N), b = sass_lab_put(&lab, y, 4 * N),
                 c = sass_lab_put(&lab, NULL, 4 * N);
        sass_lab_kernel(&lab, "vecadd");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, b);
        sass_lab_pointer(&lab, c);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 4, 256, 0);
        const float *z = sass_lab_at(&lab, c);
        for (unsigned i = 0; i < N; i++)
            assert_true(z[i] == x[i] + y[i]);
        assert_int_equal(emu_shared_bytes(&(emu_launch_t){.kernel = lab.kernel}), 0);
    }
    free(x);
    free(y);
}

static void matrices_multiply(void **state)
{
    enum { N = 40 };
    uint64_t seed = 2;
    float *x = sass_lab_floats(N * N, &seed), *y = sass_lab_floats(N * N, &seed);
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "matmul")
    {
        uint64_t a = sass_lab_put(&lab, x, 4 * N * N), b = sass_lab_put(&lab, y, 4 * N * N),
                 c = sass_lab_put(&lab, NULL, 4 * N * N);
        sass_lab_kernel(&lab, "matmul");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, b);
        sass_lab_pointer(&lab, c);
        sass_lab_int(&lab, N);
        if (sass_lab_run(&lab, (uint32_t[]){3, 3, 1}, (uint32_t[]){16, 16, 1}, 0, NULL, NULL) !=
            RB_OK)
            fail_msg("%s", lab.err.text);
        const float *z = sass_lab_at(&lab, c);
        for (unsigned i = 0; i < N; i++)
            for (unsigned j = 0; j < N; j++) {
                float sum = 0; /* in the order and with the rounding of the kernel: bit for bit */
                for (unsigned k = 0; k < N; k++)
                    sum = fmaf(x[i * N + k], y[k * N + j], sum);
                assert_true(z[i * N + j] == sum);
            }
    }
    free(x);
    free(y);
}

static void sums_are_reduced(void **state)
{
    enum { N = 5000 };
    uint64_t seed = 3;
    float *x = sass_lab_floats(N, &seed);
    double expected = 0;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        expected += (double)x[i];
    SASS_LAB_FOR_EACH_ARCH(lab, "reduce")
    {
        uint64_t a = sass_lab_put(&lab, x, 4 * N), out = sass_lab_put(&lab, NULL, 256);
        double sum = 0;
        sass_lab_kernel(&lab, "reduce_smem");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 10, 256, 1024);
        for (unsigned i = 0; i < 10; i++)
            sum += (double)((float *)sass_lab_at(&lab, out))[i];
        sass_lab_assert_close(sum, expected, 1e-6);

        uint64_t total = sass_lab_put(&lab, NULL, 4);
        sass_lab_kernel(&lab, "reduce_atomic");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, total);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 4, 256, 0);
        sass_lab_assert_close((double)*(float *)sass_lab_at(&lab, total), expected, 1e-5);
    }
    free(x);
}

static void matrices_transpose(void **state)
{
    enum { W = 70, H = 50 };
    static const char *const kernels[] = {"transpose_naive", "transpose_tiled"};
    uint64_t seed = 4;
    float *x = sass_lab_floats(W * H, &seed);
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "transpose")
    {
        for (unsigned i = 0; i < 2; i++) {
            uint64_t a = sass_lab_put(&lab, x, 4 * W * H), b = sass_lab_put(&lab, NULL, 4 * W * H);
            sass_lab_kernel(&lab, kernels[i]);
            sass_lab_pointer(&lab, a);
            sass_lab_pointer(&lab, b);
            sass_lab_int(&lab, W);
            sass_lab_int(&lab, H);
            assert_int_equal(
                sass_lab_run(&lab, (uint32_t[]){3, 2, 1}, (uint32_t[]){32, 8, 1}, 0, NULL, NULL),
                RB_OK);
            const float *z = sass_lab_at(&lab, b);
            for (unsigned y = 0; y < H; y++)
                for (unsigned k = 0; k < W; k++)
                    assert_true(z[k * H + y] == x[y * W + k]);
        }
    }
    free(x);
}

static void histograms_count(void **state)
{
    enum { N = 3000 };
    uint64_t seed = 5;
    uint32_t *d = malloc(4 * N), expected[256] = {0};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        d[i] = (uint32_t)sass_lab_random(&seed);
        for (unsigned b = 0; b < 32; b += 8)
            expected[d[i] >> b & 255]++;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "histo")
    {
        uint64_t a = sass_lab_put(&lab, d, 4 * N), h = sass_lab_put(&lab, NULL, 1024);
        sass_lab_kernel(&lab, "histo");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, h);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 4, 128, 0);
        assert_memory_equal(sass_lab_at(&lab, h), expected, sizeof(expected));
    }
    free(d);
}

static void sparse_matrices_multiply(void **state)
{
    enum { N = 300, MAX = 40 };
    uint64_t seed = 6;
    int32_t rows[N + 1] = {0}, *cols = malloc(4 * N * MAX);
    float *values = sass_lab_floats(N * MAX, &seed), *x = sass_lab_floats(N, &seed);
    double expected[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        rows[i + 1] = rows[i] + (int32_t)(sass_lab_random(&seed) % MAX);
        expected[i] = 0;
        for (int32_t k = rows[i]; k < rows[i + 1]; k++) {
            cols[k] = (int32_t)(sass_lab_random(&seed) % N);
            expected[i] += (double)values[k] * (double)x[cols[k]];
        }
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "spmv")
    {
        for (unsigned v = 0; v < 2; v++) {
            uint64_t arrays[5] = {sass_lab_put(&lab, rows, sizeof(rows)),
                                  sass_lab_put(&lab, cols, 4 * N * MAX),
                                  sass_lab_put(&lab, values, 4 * N * MAX),
                                  sass_lab_put(&lab, x, 4 * N), sass_lab_put(&lab, NULL, 4 * N)};
            sass_lab_kernel(&lab, v ? "spmv_vector" : "spmv_scalar");
            sass_lab_int(&lab, N);
            for (unsigned i = 0; i < 5; i++)
                sass_lab_pointer(&lab, arrays[i]);
            sass_lab_must_run(&lab, v ? 75 : 3, 128, 0);
            for (unsigned i = 0; i < N; i++)
                sass_lab_assert_close((double)((float *)sass_lab_at(&lab, arrays[4]))[i],
                                      expected[i], 1e-5);
        }
    }
    free(cols);
    free(values);
    free(x);
}

static void rows_become_probabilities(void **state)
{
    enum { R = 6, C = 300 };
    uint64_t seed = 7;
    float *x = sass_lab_floats(R * C, &seed);
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < R * C; i++)
        x[i] = x[i] * 8 - 4;
    SASS_LAB_FOR_EACH_ARCH(lab, "softmax")
    {
        uint64_t a = sass_lab_put(&lab, x, 4 * R * C), b = sass_lab_put(&lab, NULL, 4 * R * C);
        sass_lab_kernel(&lab, "softmax");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, b);
        sass_lab_int(&lab, C);
        sass_lab_must_run(&lab, R, 128, 0);
        const float *y = sass_lab_at(&lab, b);
        for (unsigned r = 0; r < R; r++) {
            double sum = 0;
            for (unsigned i = 0; i < C; i++)
                sum += exp((double)x[r * C + i]);
            for (unsigned i = 0; i < C; i++)
                sass_lab_assert_close((double)y[r * C + i] / 1e-3,
                                      exp((double)x[r * C + i]) / sum / 1e-3, 1e-5);
        }
    }
    free(x);
}

static void layers_are_normalised(void **state)
{
    enum { R = 6, C = 256 };
    uint64_t seed = 8;
    float *x = sass_lab_floats(R * C, &seed), *g = sass_lab_floats(C, &seed),
          *b = sass_lab_floats(C, &seed), eps = 1e-5f;
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "softmax")
    {
        uint64_t in = sass_lab_put(&lab, x, 4 * R * C), out = sass_lab_put(&lab, NULL, 4 * R * C);
        sass_lab_kernel(&lab, "layernorm");
        sass_lab_pointer(&lab, in);
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, sass_lab_put(&lab, g, 4 * C));
        sass_lab_pointer(&lab, sass_lab_put(&lab, b, 4 * C));
        sass_lab_int(&lab, C / 4);
        sass_lab_param(&lab, &eps);
        sass_lab_must_run(&lab, R, 64, 0);
        const float *y = sass_lab_at(&lab, out);
        for (unsigned r = 0; r < R; r++) {
            double mean = 0, var = 0;
            for (unsigned i = 0; i < C; i++)
                mean += (double)x[r * C + i] / C;
            for (unsigned i = 0; i < C; i++)
                var += pow((double)x[r * C + i] - mean, 2) / C;
            for (unsigned i = 0; i < C; i++)
                assert_true(fabs((double)y[r * C + i] -
                                 (((double)x[r * C + i] - mean) / sqrt(var + 1e-5) * (double)g[i] +
                                  (double)b[i])) < 1e-4);
        }
    }
    free(x);
    free(g);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_add),
        cmocka_unit_test(matrices_multiply),
        cmocka_unit_test(sums_are_reduced),
        cmocka_unit_test(matrices_transpose),
        cmocka_unit_test(histograms_count),
        cmocka_unit_test(sparse_matrices_multiply),
        cmocka_unit_test(rows_become_probabilities),
        cmocka_unit_test(layers_are_normalised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
