/*
 * Programs of vectors and matrices. Of the first four the traces are Accel-Sim's text: neither
 * their addresses nor their branches depend on data.
 */
#include "traces/make/traced_program.h"

#include <math.h>
#include <stdlib.h>

unsigned traced_vecadd(void)
{
    enum { N = 1 << 18 };
    float *x = random_floats(N, 7), *y = random_floats(N, 8);
    int n = N;
    unsigned wrong = 0;

    skip_a_place();
    void *a = on_device(x, N * sizeof(float)), *b = on_device(y, N * sizeof(float));
    void *c = on_device(NULL, N * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){N / 256, 1, 1}, (dim3_t){256, 1, 1}, (void *[]){&a, &b, &c, &n},
           0);
    float *out = from_device(c, N * sizeof(float));
    for (int i = 0; i < N; i++)
        wrong += out[i] != x[i] + y[i];
    free(x), free(y), free(out);
    return wrong;
}

unsigned traced_matmul(void)
{
    enum { N = 160, TILE = 16, CELLS = N * N };
    float *x = random_floats(CELLS, 9), *y = random_floats(CELLS, 10);
    int n = N;
    unsigned wrong = 0;

    skip_a_place();
    void *a = on_device(x, CELLS * sizeof(float)), *b = on_device(y, CELLS * sizeof(float));
    void *c = on_device(NULL, CELLS * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){N / TILE, N / TILE, 1}, (dim3_t){TILE, TILE, 1},
           (void *[]){&a, &b, &c, &n}, 0);
    float *out = from_device(c, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) {
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += (double)x[i / N * N + k] * (double)y[k * N + i % N];
        wrong += !(fabs((double)out[i] - sum) < 1e-4);
    }
    free(x), free(y), free(out);
    return wrong;
}

unsigned traced_transpose(void)
{
    enum { SIDE = 512, TILE = 32, CELLS = SIDE * SIDE };
    float *x = random_floats(CELLS, 11);
    int width = SIDE, height = SIDE;
    unsigned wrong = 0;

    skip_a_place();
    void *a = on_device(x, CELLS * sizeof(float)), *b = on_device(NULL, CELLS * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){SIDE / TILE, SIDE / TILE, 1}, (dim3_t){TILE, TILE / 4, 1},
           (void *[]){&a, &b, &width, &height}, 0);
    float *out = from_device(b, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++)
        wrong += out[i] != x[i % SIDE * SIDE + i / SIDE];
    free(x), free(out);
    return wrong;
}

unsigned traced_softmax(void)
{
    enum { ROWS = 256, COLS = 1024 };
    float *x = random_floats((size_t)ROWS * COLS, 12);
    int cols = COLS;
    unsigned wrong = 0;

    skip_a_place();
    void *a = on_device(x, (size_t)ROWS * COLS * sizeof(float));
    void *b = on_device(NULL, (size_t)ROWS * COLS * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){ROWS, 1, 1}, (dim3_t){128, 1, 1}, (void *[]){&a, &b, &cols}, 0);
    float *out = from_device(b, (size_t)ROWS * COLS * sizeof(float));
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = 0; i < COLS; i++)
            sum += exp((double)x[row * COLS + i]);
        for (int i = 0; i < COLS; i++) {
            double expected = exp((double)x[row * COLS + i]) / sum;
            wrong += !(fabs((double)out[row * COLS + i] - expected) < 1e-5 * expected);
        }
    }
    free(x), free(out);
    return wrong;
}

/* --- traced natively ------------------------------------------------------------------------- */

unsigned traced_layernorm(void)
{
    enum { ROWS = 128, COLS = 1024 };
    float *x = random_floats((size_t)ROWS * COLS, 13), *g = random_floats(COLS, 14);
    float *b = random_floats(COLS, 15), epsilon = 1e-5f;
    int quarter = COLS / 4;
    unsigned wrong = 0;

    void *in = on_device(x, (size_t)ROWS * COLS * sizeof(float));
    void *to = on_device(NULL, (size_t)ROWS * COLS * sizeof(float));
    void *gain = on_device(g, COLS * sizeof(float)), *bias = on_device(b, COLS * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){ROWS, 1, 1}, (dim3_t){128, 1, 1},
           (void *[]){&in, &to, &gain, &bias, &quarter, &epsilon}, 0);
    float *out = from_device(to, (size_t)ROWS * COLS * sizeof(float));
    for (int row = 0; row < ROWS; row++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < COLS; i++) {
            const double v = (double)x[row * COLS + i];
            sum += v;
            squares += v * v;
        }
        const double mean = sum / COLS, scale = 1 / sqrt(squares / COLS - mean * mean + 1e-5);
        for (int i = 0; i < COLS; i++) {
            const double v = ((double)x[row * COLS + i] - mean) * scale;
            wrong +=
                !(fabs((double)out[row * COLS + i] - (v * (double)g[i] + (double)b[i])) < 1e-4);
        }
    }
    free(x), free(g), free(b), free(out);
    return wrong;
}

/* By trees in shared memory, a sum for each block, and by shuffles and atomics, one for all. */
unsigned traced_reduce(void)
{
    enum { N = 100000, THREADS = 256, BLOCKS = (N + 2 * THREADS - 1) / (2 * THREADS) };
    float *x = random_floats(N, 16), zero = 0;
    double total = 0, of_blocks = 0;
    unsigned n = N;

    for (int i = 0; i < N; i++)
        total += (double)x[i];
    void *in = on_device(x, N * sizeof(float)), *sums = on_device(NULL, BLOCKS * sizeof(float));
    void *one = on_device(&zero, sizeof(zero));
    launch(FIRST_KERNEL, (dim3_t){BLOCKS, 1, 1}, (dim3_t){THREADS, 1, 1},
           (void *[]){&in, &sums, &n}, THREADS * sizeof(float));
    launch(SECOND_KERNEL, (dim3_t){40, 1, 1}, (dim3_t){THREADS, 1, 1}, (void *[]){&in, &one, &n},
           0);
    float *blocks = from_device(sums, BLOCKS * sizeof(float)), *all = from_device(one, 4);
    for (int i = 0; i < BLOCKS; i++)
        of_blocks += (double)blocks[i];
    unsigned wrong = fabs(of_blocks - total) > 1e-5 * total;
    wrong += fabs((double)all[0] - total) > 1e-5 * total;
    free(x), free(blocks), free(all);
    return wrong;
}

/* On tensor cores: A by rows, B by columns, small whole numbers as halves. */
unsigned traced_hgemm(void)
{
    enum { N = 256, TILE = 64, CELLS = N * N };
    static const uint16_t halves[8] = {0x0000, 0x3c00, 0x4000, 0x4200,
                                       0xbc00, 0xc000, 0x3800, 0xb800};
    static const double values[8] = {0, 1, 2, 3, -1, -2, 0.5, -0.5};
    static uint16_t x[CELLS], y[CELLS];
    static double u[CELLS], v[CELLS];
    uint32_t seed = 17;
    int n = N;
    unsigned wrong = 0;

    for (int i = 0; i < CELLS; i++) {
        const uint32_t p = next_random(&seed) >> 8 & 7, q = next_random(&seed) >> 8 & 7;
        x[i] = halves[p], u[i] = values[p];
        y[i] = halves[q], v[i] = values[q];
    }
    void *a = on_device(x, sizeof(x)), *b = on_device(y, sizeof(y));
    void *c = on_device(NULL, CELLS * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){N / TILE, N / TILE, 1}, (dim3_t){128, 1, 1},
           (void *[]){&a, &b, &c, &n}, 0);
    float *out = from_device(c, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) {
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += u[i / N * N + k] * v[i % N * N + k];
        wrong += (double)out[i] != sum;
    }
    free(out);
    return wrong;
}
