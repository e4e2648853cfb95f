/* Bundled kernels that work together, or through shared memory, against the same computation on
 * the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/math/emu_half.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

static void prefix_sums_are_scanned(void **state)
{
    enum { N = 5000, THREADS = 256, BLOCKS = (N + THREADS - 1) / THREADS };
    uint64_t seed = 31;
    int32_t in[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        in[i] = (int32_t)(sass_lab_random(&seed) % 100) - 50;
    SASS_LAB_FOR_EACH_ARCH(lab, "scan")
    {
        uint64_t a = sass_lab_put(&lab, in, sizeof(in)), b = sass_lab_put(&lab, NULL, sizeof(in));
        uint64_t totals = sass_lab_put(&lab, NULL, 4 * BLOCKS);
        const struct {
            const char *kernel;
            uint64_t from, to, totals;
            int32_t n;
        } steps[] = {{"scan_blocks", a, b, totals, N},
                     {"scan_blocks", totals, totals, 0, BLOCKS},
                     {"scan_add", 0, b, totals, N}};
        for (unsigned i = 0; i < 3; i++) {
            sass_lab_kernel(&lab, steps[i].kernel);
            if (steps[i].from != 0)
                sass_lab_pointer(&lab, steps[i].from);
            sass_lab_pointer(&lab, steps[i].to);
            sass_lab_pointer(&lab, steps[i].totals);
            sass_lab_int(&lab, steps[i].n);
            sass_lab_must_run(&lab, (uint32_t)(steps[i].n + THREADS - 1) / THREADS, THREADS, 0);
        }
        int32_t sum = 0;
        for (unsigned i = 0; i < N; i++) {
            sum += in[i];
            assert_int_equal(((int32_t *)sass_lab_at(&lab, b))[i], sum);
        }
    }
}

/* A graph in which every node has some successors, one of which is near. */
enum { NODES = 3000, DEGREE = 3 };

static void make_graph(int32_t first[NODES + 1], int32_t edges[NODES * DEGREE])
{
    uint64_t seed = 32;

    for (int32_t i = 0; i < NODES; i++) {
        first[i] = i * DEGREE;
        edges[i * DEGREE] = (i + 7) % NODES;
        for (int32_t k = 1; k < DEGREE; k++)
            edges[i * DEGREE + k] = (int32_t)(sass_lab_random(&seed) % NODES);
    }
    first[NODES] = NODES * DEGREE;
}

/* Computes distances from node 0; returns the largest. */
static int32_t distances(const int32_t *first, const int32_t *edges, int32_t level[NODES])
{
    int32_t queue[NODES], head = 0, tail = 1;

    for (unsigned i = 0; i < NODES; i++)
        level[i] = -1;
    queue[0] = level[0] = 0;
    while (head < tail) {
        int32_t node = queue[head++];
        for (int32_t e = first[node]; e < first[node + 1]; e++)
            if (level[edges[e]] < 0) {
                level[edges[e]] = level[node] + 1;
                queue[tail++] = edges[e];
            }
    }
    return level[queue[tail - 1]];
}

static void graphs_are_searched(void **state)
{
    static int32_t first[NODES + 1], edges[NODES * DEGREE], level[NODES], begin[NODES];
    sass_lab_t lab;

    (void)state;
    make_graph(first, edges);
    int32_t last = distances(first, edges, level);
    for (unsigned i = 1; i < NODES; i++)
        begin[i] = -1;
    SASS_LAB_FOR_EACH_ARCH(lab, "bfs")
    {
        uint64_t f = sass_lab_put(&lab, first, sizeof(first));
        uint64_t e = sass_lab_put(&lab, edges, sizeof(edges));
        uint64_t l = sass_lab_put(&lab, begin, sizeof(begin));
        uint64_t changed = sass_lab_put(&lab, NULL, 4);
        int32_t now = 0;
        do {
            memset(sass_lab_at(&lab, changed), 0, 4);
            sass_lab_kernel(&lab, "bfs_level");
            sass_lab_pointer(&lab, f);
            sass_lab_pointer(&lab, e);
            sass_lab_pointer(&lab, l);
            sass_lab_pointer(&lab, changed);
            sass_lab_int(&lab, now++);
            sass_lab_int(&lab, NODES);
            sass_lab_must_run(&lab, (NODES + 127) / 128, 128, 0);
        } while (*(int32_t *)sass_lab_at(&lab, changed));
        assert_int_equal(now, last + 1);
        assert_memory_equal(sass_lab_at(&lab, l), level, sizeof(level));
    }
}

static void stencils_are_applied(void **state)
{
    enum { X = 40, Y = 20, Z = 9, CELLS = X * Y * Z };
    uint64_t seed = 33;
    float *in = sass_lab_floats(CELLS, &seed), c0 = 0.4f, c1 = 0.1f;
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "stencil")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 4 * CELLS);
        sass_lab_kernel(&lab, "stencil");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, 4 * CELLS));
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &c0);
        sass_lab_param(&lab, &c1);
        sass_lab_int(&lab, X);
        sass_lab_int(&lab, Y);
        sass_lab_int(&lab, Z);
        assert_int_equal(
            sass_lab_run(&lab, (uint32_t[]){2, 5, 1}, (uint32_t[]){32, 4, 1}, 0, NULL, NULL),
            RB_OK);
        const float *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < CELLS; i++) {
            unsigned x = i % X, y = i / X % Y, z = i / X / Y;
            bool inside = x > 0 && y > 0 && z > 0 && x < X - 1 && y < Y - 1 && z < Z - 1;
            double sum = inside ? (double)in[i - 1] + in[i + 1] + in[i - X] + in[i + X] +
                                      in[i - X * Y] + in[i + X * Y]
                                : 0;
            sass_lab_assert_close(got[i], inside ? c0 * in[i] + c1 * sum : 0, 1e-6);
        }
    }
    free(in);
}

static void signals_are_transformed(void **state)
{
    enum { N = 512, BLOCKS = 2 };
    uint64_t seed = 34;
    float *in = sass_lab_floats(2 * N * BLOCKS, &seed);
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "fft")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 8 * N * BLOCKS);
        sass_lab_kernel(&lab, "fft");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, 8 * N * BLOCKS));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, BLOCKS, N / 2, 0);
        for (unsigned b = 0; b < BLOCKS; b++)
            for (unsigned k = 0; k < N; k++) {
                double re = 0, im = 0;
                for (unsigned i = 0; i < N; i++) {
                    double angle = -2 * acos(-1) * (double)(i * k % N) / N;
                    const float *v = in + 2 * (b * N + i);
                    re += v[0] * cos(angle) - v[1] * sin(angle);
                    im += v[0] * sin(angle) + v[1] * cos(angle);
                }
                const float *got = (float *)sass_lab_at(&lab, out) + 2 * (b * N + k);
                assert_true(fabs(got[0] - re) < 1e-3 && fabs(got[1] - im) < 1e-3);
            }
    }
    free(in);
}

static void bodies_attract_each_other(void **state)
{
    enum { N = 256 };
    uint64_t seed = 35;
    float *body = sass_lab_floats(4 * N, &seed), softening = 0.01f;
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "nbody")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 16 * N);
        sass_lab_kernel(&lab, "nbody");
        sass_lab_pointer(&lab, sass_lab_put(&lab, body, 16 * N));
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &softening);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, N / 128, 128, 0);
        for (unsigned i = 0; i < N; i++) {
            double sum[3] = {0}, size = 0;
            for (unsigned k = 0; k < N; k++) {
                double d[3], r = softening;
                for (unsigned c = 0; c < 3; c++) {
                    d[c] = (double)body[4 * k + c] - body[4 * i + c];
                    r += d[c] * d[c];
                }
                for (unsigned c = 0; c < 3; c++)
                    sum[c] += body[4 * k + 3] * d[c] / (r * sqrt(r));
            }
            for (unsigned c = 0; c < 3; c++)
                size += fabs(sum[c]);
            for (unsigned c = 0; c < 3; c++)
                assert_true(fabs(((float *)sass_lab_at(&lab, out))[4 * i + c] - sum[c]) <
                            1e-4 * size);
        }
    }
    free(body);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void numbers_are_sorted(void **state)
{
    enum { N = 4096, PART = 1024 };
    uint64_t seed = 36;
    uint32_t in[N], sorted[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        in[i] = sorted[i] = (uint32_t)sass_lab_random(&seed);
    qsort(sorted, N, sizeof(*sorted), by_value);
    SASS_LAB_FOR_EACH_ARCH(lab, "sort")
    {
        uint64_t data = sass_lab_put(&lab, in, sizeof(in));
        sass_lab_kernel(&lab, "sort_blocks");
        sass_lab_pointer(&lab, data);
        sass_lab_must_run(&lab, N / PART, PART / 2, 0);
        for (int32_t size = 2 * PART; size <= N; size *= 2)
            for (int32_t half = size / 2; half > 0; half /= 2) {
                sass_lab_kernel(&lab, "sort_step");
                sass_lab_pointer(&lab, data);
                sass_lab_int(&lab, size);
                sass_lab_int(&lab, half);
                sass_lab_must_run(&lab, N / 512, 256, 0);
            }
        assert_memory_equal(sass_lab_at(&lab, data), sorted, sizeof(sorted));
    }
}

static void tiles_multiply_on_tensor_cores(void **state)
{
    enum { N = 128 };
    static uint16_t a[N][N], b[N][N]; /* b by columns */
    uint64_t seed = 37;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N * N; i++) {
        a[i / N][i % N] = (uint16_t)emu_double_to_half((double)sass_lab_float(&seed) - 0.5, 0);
        b[i / N][i % N] = (uint16_t)emu_double_to_half((double)sass_lab_float(&seed) - 0.5, 0);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "hgemm")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 4 * N * N);
        sass_lab_kernel(&lab, "hgemm");
        sass_lab_pointer(&lab, sass_lab_put(&lab, a, sizeof(a)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, b, sizeof(b)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        assert_int_equal(
            sass_lab_run(&lab, (uint32_t[]){2, 2, 1}, (uint32_t[]){128, 1, 1}, 0, NULL, NULL),
            RB_OK);
        for (unsigned i = 0; i < N * N; i++) {
            double sum = 0;
            for (unsigned k = 0; k < N; k++)
                sum += emu_half_to_double(a[i / N][k]) * emu_half_to_double(b[i % N][k]);
            assert_true(fabs(((float *)sass_lab_at(&lab, out))[i] - sum) < 1e-4);
        }
    }
}

/* A stable sort by the second byte: warps use counters that are cleared 128 bits at a time. */
static void keys_are_ranked_by_digit(void **state)
{
    enum { N = 1024, SHIFT = 8, DIGITS = 256 };
    uint32_t keys[N], sorted[N];
    uint64_t seed = 37;
    unsigned n = 0;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        keys[i] = (uint32_t)sass_lab_random(&seed);
    for (uint32_t digit = 0; digit < DIGITS; digit++)
        for (unsigned i = 0; i < N; i++)
            if ((keys[i] >> SHIFT) % DIGITS == digit)
                sorted[n++] = keys[i];
    SASS_LAB_FOR_EACH_ARCH(lab, "radix")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(keys));
        sass_lab_kernel(&lab, "radix_pass");
        sass_lab_pointer(&lab, sass_lab_put(&lab, keys, sizeof(keys)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, SHIFT);
        sass_lab_must_run(&lab, 1, 128, 0);
        assert_memory_equal(sass_lab_at(&lab, out), sorted, sizeof(sorted));
    }
}

/* Sums of small integers, which are exact in any order, and extremes of 64 bits. */
static void shared_memory_is_changed_atomically(void **state)
{
    enum { N = 700 };
    double x[N], sum = 0;
    float y[N];
    uint64_t z[N], seed = 41, extremes[5] = {0, UINT64_MAX};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        z[i] = sass_lab_random(&seed);
        sum += x[i] = (double)(z[i] % 1000);
        y[i] = (float)x[i];
        extremes[0] = z[i] > extremes[0] ? z[i] : extremes[0];
        extremes[1] = z[i] < extremes[1] ? z[i] : extremes[1];
    }
    extremes[2] = extremes[0]; /* the value before the swap, and after it */
    extremes[3] = 5;
    extremes[4] = extremes[1];
    SASS_LAB_FOR_EACH_ARCH(lab, "shared_atomics")
    {
        uint64_t d = sass_lab_put(&lab, NULL, sizeof(double));
        uint64_t f = sass_lab_put(&lab, NULL, sizeof(float));
        uint64_t e = sass_lab_put(&lab, NULL, sizeof(extremes));
        sass_lab_kernel(&lab, "shared_atomics");
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, y, sizeof(y)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, z, sizeof(z)));
        sass_lab_pointer(&lab, d);
        sass_lab_pointer(&lab, f);
        sass_lab_pointer(&lab, e);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, 96, 0);
        assert_true(*(double *)sass_lab_at(&lab, d) == sum);
        assert_true((double)*(float *)sass_lab_at(&lab, f) == sum);
        assert_memory_equal(sass_lab_at(&lab, e), extremes, sizeof(extremes));
    }
}

/* The code checks whether an atomic at a generic address was executed, and executes it itself
 * otherwise. */
static void generic_atomics_happen_once(void **state)
{
    enum { THREADS = 70 };
    const uint64_t sum = 100 + THREADS * (THREADS - 1) / 2 + ((uint64_t)THREADS << 40);
    const uint64_t begin = 100, in_shared[3] = {sum, 5, 6}, in_global[3] = {sum, sum, 100};
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "shared_atomics")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(in_shared));
        for (int32_t shared = 0; shared < 2; shared++) {
            sass_lab_kernel(&lab, "generic_atomics");
            sass_lab_pointer(&lab, sass_lab_put(&lab, &begin, sizeof(begin)));
            sass_lab_pointer(&lab, out);
            sass_lab_int(&lab, shared);
            sass_lab_must_run(&lab, 1, THREADS, 0);
            assert_memory_equal(sass_lab_at(&lab, out), shared ? in_shared : in_global,
                                sizeof(in_shared));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefix_sums_are_scanned),
        cmocka_unit_test(graphs_are_searched),
        cmocka_unit_test(stencils_are_applied),
        cmocka_unit_test(signals_are_transformed),
        cmocka_unit_test(bodies_attract_each_other),
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(tiles_multiply_on_tensor_cores),
        cmocka_unit_test(keys_are_ranked_by_digit),
        cmocka_unit_test(shared_memory_is_changed_atomically),
        cmocka_unit_test(generic_atomics_happen_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
