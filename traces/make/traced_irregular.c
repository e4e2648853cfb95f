/* Programs whose addresses follow their data: a histogram, the product of a sparse matrix. */
#include "traces/make/traced_program.h"

#include <math.h>
#include <stdlib.h>

unsigned traced_histo(void)
{
    enum { N = 65536, BINS = 256, BLOCKS = 64, THREADS = 128 };
    static uint32_t data[N];
    unsigned expected[BINS] = {0}, wrong = 0;
    uint32_t seed = 17;
    int n = N;

    for (int i = 0; i < N; i++) {
        data[i] = next_random(&seed) >> 8 << 16; /* the upper bits of both: lower ones repeat */
        data[i] |= next_random(&seed) >> 8;
        for (unsigned bit = 0; bit < 32; bit += 8)
            expected[data[i] >> bit & (BINS - 1)]++;
    }
    skip_a_place();
    void *d = on_device(data, sizeof(data)), *h = on_device(NULL, BINS * sizeof(unsigned));
    launch(FIRST_KERNEL, (dim3_t){BLOCKS, 1, 1}, (dim3_t){THREADS, 1, 1}, (void *[]){&d, &h, &n},
           0);
    unsigned *out = from_device(h, BINS * sizeof(unsigned));
    for (int i = 0; i < BINS; i++)
        wrong += out[i] != expected[i];
    free(out);
    return wrong;
}

enum { ROWS = 4096, SHORTEST = 4, LONGEST = 400 };

/* Many short rows and a few long ones: lengths have a power law, cut at both ends. */
static int row_length(uint32_t *seed)
{
    const unsigned length = (5u << 23) / (next_random(seed) + 1);

    return length < SHORTEST ? SHORTEST : length > LONGEST ? LONGEST : (int)length;
}

unsigned traced_spmv(void)
{
    static int first[ROWS + 1], column[ROWS * LONGEST];
    float *x = random_floats(ROWS, 19);
    uint32_t seed = 18;
    int n = ROWS;
    unsigned wrong = 0;

    for (int row = 0; row < ROWS; row++) {
        first[row + 1] = first[row] + row_length(&seed);
        for (int i = first[row]; i < first[row + 1]; i++)
            column[i] = (int)(next_random(&seed) % ROWS);
    }
    const size_t entries = (size_t)first[ROWS];
    float *v = random_floats(entries, 20);
    skip_a_place();
    void *to = on_device(NULL, ROWS * sizeof(float)), *starts = on_device(first, sizeof(first));
    void *columns = on_device(column, entries * sizeof(int));
    void *values = on_device(v, entries * sizeof(float));
    void *in = on_device(x, ROWS * sizeof(float));
    launch(FIRST_KERNEL, (dim3_t){ROWS / 4, 1, 1}, (dim3_t){128, 1, 1},
           (void *[]){&n, &starts, &columns, &values, &in, &to}, 0);
    float *out = from_device(to, ROWS * sizeof(float));
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = first[row]; i < first[row + 1]; i++)
            sum += (double)v[i] * (double)x[column[i]];
        wrong += !(fabs((double)out[row] - sum) < 1e-5 * sum);
    }
    free(x), free(v), free(out);
    return wrong;
}
