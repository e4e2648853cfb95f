/* The bundled kernels on the emulator, for Volta and Turing, against the same on the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/sass/emu_half.h"
#include "tests/support/sass_lab.h"
#include "tests/support/test.h"

static const unsigned archs[] = {70, 75};

#define FOR_EACH_ARCH(lab, unit)                                                                   \
    for (unsigned arch_ = 0; arch_ < 2; arch_++, sass_lab_close(&(lab)))                           \
        for (bool once_ = (sass_lab_open(&(lab), unit, archs[arch_]), true); once_; once_ = false)

static float *random_floats(size_t n, uint64_t *seed)
{
    float *v = malloc(n * sizeof(*v));

    for (size_t i = 0; i < n; i++)
        v[i] = sass_lab_float(seed);
    return v;
}

static void assert_close(double got, double expected, double tolerance)
{
    double scale = fmax(fabs(expected), 1e-3);

    if (!(fabs(got - expected) <= tolerance * scale))
        fail_msg("%.17g, expected %.17g", got, expected);
}

static void vectors_add(void **state)
{
    enum { N = 1000 };
    uint64_t seed = 1;
    float *x = random_floats(N, &seed), *y = random_floats(N, &seed);
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab, "vecadd")
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
    float *x = random_floats(N * N, &seed), *y = random_floats(N * N, &seed);
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab, "matmul")
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
                float sum = 0; /* in the kernel's order, with its rounding: bit for bit */
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
    float *x = random_floats(N, &seed);
    double expected = 0;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        expected += (double)x[i];
    FOR_EACH_ARCH(lab, "reduce")
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
        assert_close(sum, expected, 1e-6);

        uint64_t total = sass_lab_put(&lab, NULL, 4);
        sass_lab_kernel(&lab, "reduce_atomic");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, total);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 4, 256, 0);
        assert_close((double)*(float *)sass_lab_at(&lab, total), expected, 1e-5);
    }
    free(x);
}

static void matrices_transpose(void **state)
{
    enum { W = 70, H = 50 };
    static const char *const kernels[] = {"transpose_naive", "transpose_tiled"};
    uint64_t seed = 4;
    float *x = random_floats(W * H, &seed);
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab, "transpose")
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
    FOR_EACH_ARCH(lab, "histo")
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
    float *values = random_floats(N * MAX, &seed), *x = random_floats(N, &seed);
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
    FOR_EACH_ARCH(lab, "spmv")
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
                assert_close((double)((float *)sass_lab_at(&lab, arrays[4]))[i], expected[i], 1e-5);
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
    float *x = random_floats(R * C, &seed);
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < R * C; i++)
        x[i] = x[i] * 8 - 4;
    FOR_EACH_ARCH(lab, "softmax")
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
                assert_close((double)y[r * C + i] / 1e-3, exp((double)x[r * C + i]) / sum / 1e-3,
                             1e-5);
        }
    }
    free(x);
}

static void layers_are_normalised(void **state)
{
    enum { R = 6, C = 256 };
    uint64_t seed = 8;
    float *x = random_floats(R * C, &seed), *g = random_floats(C, &seed),
          *b = random_floats(C, &seed), eps = 1e-5f;
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab, "softmax")
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

/* --- divergence ------------------------------------------------------------------------------ */

static uint32_t collatz(uint32_t v)
{
    uint32_t c = 0;

    while (v != 1) {
        if (v & 1) {
            v = 3 * v + 1;
            c += (v & 7) == 4 ? 2 : 1;
        } else {
            v >>= 1;
        }
        c++;
        if (c > 500)
            break;
    }
    return c;
}

static void loops_of_different_length_converge(void **state)
{
    enum { N = 200 };
    uint64_t seed = 9;
    uint32_t v[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        v[i] = 1 + (uint32_t)(sass_lab_random(&seed) % 100000);
    FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t a = sass_lab_put(&lab, v, sizeof(v)), out = sass_lab_put(&lab, NULL, sizeof(v));
        sass_lab_kernel(&lab, "collatz");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 2, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((uint32_t *)sass_lab_at(&lab, out))[i], collatz(v[i]));
        assert_true(lab.totals.divergences > 100);
    }
}

static void functions_call_themselves(void **state)
{
    enum { N = 64 };
    int32_t n[N], fib[12] = {0, 1};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 2; i < 12; i++)
        fib[i] = fib[i - 1] + fib[i - 2];
    for (int32_t i = 0; i < N; i++)
        n[i] = i * 7 % 11;
    FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t a = sass_lab_put(&lab, n, sizeof(n)), out = sass_lab_put(&lab, NULL, sizeof(n));
        sass_lab_kernel(&lab, "fibk");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, N, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], fib[n[i]]);
    }
}

/*
 * Every lane calls itself to a depth of its own, so that each level of the recursion waits at the
 * same BSYNC with other partners. Also: variables and constants with addresses, a newer cubin.
 */
static void levels_of_a_recursion_wait_apart(void **state)
{
    float table[16];
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "recurse", 75);
    uint64_t addr, bytes, out = sass_lab_put(&lab, NULL, 128);
    uint8_t *constant;
    for (unsigned i = 0; i < 16; i++)
        table[i] = (float)i;
    assert_true(emu_module_variable(&lab.module, "ctab", &addr, &constant, &bytes));
    assert_int_equal(bytes, sizeof(table));
    memcpy(constant, table, sizeof(table));
    sass_lab_kernel(&lab, "recurse");
    sass_lab_pointer(&lab, out);
    sass_lab_int(&lab, 32);
    sass_lab_must_run(&lab, 1, 32, 512);
    int32_t factorial = 1; /* as the kernel's, modulo 2^32 */
    for (unsigned i = 0; i < 32; i++) {
        unsigned k = i ^ 1;
        float s = table[k & 15] + (k < 3 ? (float)(k + 1) : 0.0f);
        if (i > 1)
            factorial = (int32_t)((uint32_t)factorial * i);
        assert_true(((float *)sass_lab_at(&lab, out))[i] == s * (float)factorial);
    }
    assert_true(emu_module_variable(&lab.module, "gcount", &addr, &constant, &bytes));
    assert_int_equal(*(int32_t *)sass_lab_at(&lab, addr), 32);
    sass_lab_close(&lab);
}

static uint32_t reversed(uint32_t v)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

static int32_t switched(int32_t op, int32_t x, int32_t y)
{
    uint32_t u = (uint32_t)x;

    switch (op) {
    case 0:
        return (int32_t)(u + (uint32_t)y);
    case 1:
        return (int32_t)(u - (uint32_t)y);
    case 2:
        return (int32_t)(u * (uint32_t)y);
    case 3:
        return x / (y | 1);
    case 4:
        return x % (y | 1);
    case 5:
        return __builtin_popcount(u) ^ y;
    case 6:
        return (u != 0 ? __builtin_clz(u) : 32) + y;
    case 7:
        return (int32_t)(u << (y & 31));
    case 8:
        return (int32_t)reversed(u);
    case 9:
        return __builtin_ffs(x);
    default:
        return -1;
    }
}

static void switches_jump_through_tables(void **state)
{
    enum { N = 200 };
    uint64_t seed = 10;
    int32_t op[N], x[N], y[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        op[i] = (int32_t)(sass_lab_random(&seed) % 11);
        x[i] = (int32_t)sass_lab_random(&seed);
        y[i] = (int32_t)(sass_lab_random(&seed) % 2000) - 1000;
    }
    FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(op));
        sass_lab_kernel(&lab, "sw");
        sass_lab_pointer(&lab, sass_lab_put(&lab, op, sizeof(op)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, y, sizeof(y)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 2, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], switched(op[i], x[i], y[i]));
    }
}

/* Lanes of a warp that wait for each other's lock need independent thread scheduling. */
static void spin_locks_make_progress(void **state)
{
    sass_lab_t lab;

    (void)state;
    FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t lock = sass_lab_put(&lab, NULL, 4), count = sass_lab_put(&lab, NULL, 4);
        sass_lab_kernel(&lab, "spinlock");
        sass_lab_pointer(&lab, lock);
        sass_lab_pointer(&lab, count);
        sass_lab_int(&lab, 64);
        sass_lab_must_run(&lab, 2, 64, 0);
        assert_int_equal(*(int32_t *)sass_lab_at(&lab, count), 128);
    }
}

static void parts_of_a_warp_synchronise(void **state)
{
    int32_t in[32];
    uint32_t ballot = 0;
    sass_lab_t lab;

    (void)state;
    for (int32_t i = 0; i < 32; i++) {
        in[i] = i * 37 % 100;
        if (i >= 16)
            ballot += (uint32_t)(in[i] & 1) << i;
    }
    FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "warpsync");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, sizeof(in)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t v = (uint32_t)in[i] + (i < 16 ? (uint32_t)in[i ^ 1] : ballot);
            assert_int_equal(((uint32_t *)sass_lab_at(&lab, out))[i], v + 0xffffffffu);
        }
    }
}

/* --- arithmetic ------------------------------------------------------------------------------ */

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
    FOR_EACH_ARCH(lab, "misc")
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
    FOR_EACH_ARCH(lab, "misc")
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
    FOR_EACH_ARCH(lab, "misc")
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
                assert_close((double)((float *)sass_lab_at(&lab, out))[16 * i + j], sum, 1e-6);
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
    FOR_EACH_ARCH(lab, "misc")
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
    FOR_EACH_ARCH(lab, "misc")
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
    FOR_EACH_ARCH(lab, "misc")
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

/* --- the program's mistakes ------------------------------------------------------------------ */

static void accesses_out_of_bounds_are_named(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "vecadd", 70);
    uint64_t a = sass_lab_put(&lab, NULL, 512);
    sass_lab_kernel(&lab, "vecadd");
    sass_lab_pointer(&lab, a);
    sass_lab_pointer(&lab, a);
    sass_lab_pointer(&lab, a);
    sass_lab_int(&lab, 1000);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){4, 1, 1}, (uint32_t[]){256, 1, 1}, 0, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "kernel vecadd, block (0,0,0), warp 4, pc 0x"));
    assert_non_null(strstr(lab.err.text, "address 0x7f0000000400 is in no allocation"));
    assert_non_null(strstr(lab.err.text, "LDG.E.SYS"));
    sass_lab_close(&lab);
}

static void shared_memory_has_bounds(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "reduce", 75);
    sass_lab_kernel(&lab, "reduce_smem");
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4096));
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4096));
    sass_lab_int(&lab, 512);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){256, 1, 1}, 512, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "shared memory has 512 bytes"));
    sass_lab_close(&lab);
}

static void endless_loops_end(void **state)
{
    sass_lab_t lab;
    int32_t one = 1;

    (void)state;
    sass_lab_open(&lab, "diverge", 70);
    sass_lab_kernel(&lab, "spinlock");
    sass_lab_pointer(&lab, sass_lab_put(&lab, &one, 4)); /* locked for ever */
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    sass_lab_int(&lab, 1);
    emu_launch_t l = {.module = &lab.module,
                      .mem = &lab.mem,
                      .kernel = lab.kernel,
                      .grid = {1, 1, 1},
                      .block = {32, 1, 1},
                      .params = lab.params,
                      .max_insts = 100000};
    assert_int_equal(emu_run(&l, NULL, &lab.err), RB_TRACE);
    assert_non_null(strstr(lab.err.text, "endless loop"));
    sass_lab_close(&lab);
}

static void impossible_launches_are_refused(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "vecadd", 70);
    sass_lab_kernel(&lab, "vecadd");
    for (unsigned i = 0; i < 3; i++)
        sass_lab_pointer(&lab, 0);
    sass_lab_int(&lab, 1);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){0, 1, 1}, (uint32_t[]){32, 1, 1}, 0, NULL, NULL), RB_TRACE);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){64, 32, 1}, 0, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "more than 1024 threads"));
    sass_lab_close(&lab);
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
        cmocka_unit_test(loops_of_different_length_converge),
        cmocka_unit_test(functions_call_themselves),
        cmocka_unit_test(levels_of_a_recursion_wait_apart),
        cmocka_unit_test(switches_jump_through_tables),
        cmocka_unit_test(spin_locks_make_progress),
        cmocka_unit_test(parts_of_a_warp_synchronise),
        cmocka_unit_test(double_precision_is_exact),
        cmocka_unit_test(half_precision_is_exact),
        cmocka_unit_test(tensor_cores_multiply),
        cmocka_unit_test(functions_of_the_math_library_work),
        cmocka_unit_test(integers_of_64_bits_divide),
        cmocka_unit_test(bytes_multiply_and_add),
        cmocka_unit_test(accesses_out_of_bounds_are_named),
        cmocka_unit_test(shared_memory_has_bounds),
        cmocka_unit_test(endless_loops_end),
        cmocka_unit_test(impossible_launches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
