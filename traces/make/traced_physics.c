/* Programs of floating-point numbers, traced natively. */
#include "traces/make/traced_program.h"

#include <math.h>
#include <stdlib.h>

unsigned traced_stencil(void)
{
    enum { NX = 96, NY = 64, NZ = 24, N = NX * NY * NZ, PLANE = NX * NY };
    static float in[N];
    uint32_t seed = 2;
    float c0 = 0.5f, c1 = 0.08f;
    int nx = NX, ny = NY, nz = NZ;
    unsigned wrong = 0;

    for (int i = 0; i < N; i++)
        in[i] = next_float(&seed);
    void *a = on_device(in, sizeof(in)), *b = on_device(in, sizeof(in));
    launch(FIRST_KERNEL, (dim3_t){NX / 32, NY / 4, 1}, (dim3_t){32, 4, 1},
           (void *[]){&a, &b, &c0, &c1, &nx, &ny, &nz}, 0);
    float *out = from_device(b, sizeof(in));
    for (int at = 0; at < N; at++) {
        int i = at % NX, j = at / NX % NY, k = at / PLANE;
        double e = (double)in[at];
        if (i > 0 && j > 0 && k > 0 && i < NX - 1 && j < NY - 1 && k < NZ - 1)
            e = (double)c0 * (double)in[at] +
                (double)c1 *
                    ((double)in[at - 1] + (double)in[at + 1] + (double)in[at - NX] +
                     (double)in[at + NX] + (double)in[at - PLANE] + (double)in[at + PLANE]);
        wrong += !(fabs((double)out[at] - e) < 1e-6);
    }
    free(out);
    return wrong;
}

unsigned traced_fft(void)
{
    enum { N = 512, SIGNALS = 40 };
    static float in[SIGNALS * N][2];
    uint32_t seed = 6;
    unsigned wrong = 0;

    for (int i = 0; i < SIGNALS * N * 2; i++)
        in[i / 2][i % 2] = next_float(&seed) - 0.5f;
    void *a = on_device(in, sizeof(in)), *b = on_device(NULL, sizeof(in));
    launch(FIRST_KERNEL, (dim3_t){SIGNALS, 1, 1}, (dim3_t){N / 2, 1, 1}, (void *[]){&a, &b}, 0);
    float *out = from_device(b, sizeof(in));
    for (int i = 0; i < SIGNALS * N; i++) {
        double re = 0, im = 0;
        for (int k = 0; k < N; k++) {
            double angle = -2 * acos(-1.0) * (i % N * k % N) / N;
            const float *x = in[i / N * N + k];
            re += (double)x[0] * cos(angle) - (double)x[1] * sin(angle);
            im += (double)x[0] * sin(angle) + (double)x[1] * cos(angle);
        }
        wrong +=
            !(fabs((double)out[2 * i] - re) < 1e-4) || !(fabs((double)out[2 * i + 1] - im) < 1e-4);
    }
    free(out);
    return wrong;
}

unsigned traced_nbody(void)
{
    enum { N = 1024 };
    static float body[N][4];
    uint32_t seed = 3;
    float softening = 0.01f;
    int n = N;
    unsigned wrong = 0;

    for (int i = 0; i < 4 * N; i++)
        body[i / 4][i % 4] = next_float(&seed);
    void *a = on_device(body, sizeof(body)), *b = on_device(NULL, sizeof(body));
    launch(FIRST_KERNEL, (dim3_t){N / 128, 1, 1}, (dim3_t){128, 1, 1},
           (void *[]){&a, &b, &softening, &n}, 0);
    float *out = from_device(b, sizeof(body));
    for (int i = 0; i < N; i++) {
        double sum[3] = {0}, size = 0;
        for (int k = 0; k < N; k++) {
            double d[3], r = (double)softening;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)body[k][c] - (double)body[i][c];
                r += d[c] * d[c];
            }
            for (int c = 0; c < 3; c++)
                sum[c] += (double)body[k][3] * d[c] / (r * sqrt(r));
        }
        for (int c = 0; c < 3; c++)
            size += fabs(sum[c]);
        for (int c = 0; c < 3; c++)
            wrong += !(fabs((double)out[4 * i + c] - sum[c]) < 1e-4 * size);
    }
    free(out);
    return wrong;
}
