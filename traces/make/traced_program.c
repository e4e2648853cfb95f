/*
 * The programs behind the bundled traces in the native format: CUDA programs without nvcc, around
 * the bundled machine code. Each makes its input, launches its kernels, and compares what they
 * computed with the same on the CPU; it ends with 1 if that differs.
 *
 *   traced_program CUBIN ARCH scan|stencil|fft|nbody|sort|bfs
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} dim3_t;

typedef struct {
    int magic, version;
    const void *data;
    void *filename;
} wrapper_t;

void **__cudaRegisterFatBinary(const wrapper_t *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid,
                            int *warp_size);
int cudaMalloc(void **p, size_t n);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, FILE_BYTES = 1 << 20, FATBIN_HEADER = 80 };

/* Their addresses are what the program knows its kernels by. */
static const char stub_a[1], stub_b[1];

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
    memcpy(p, &value, bytes);
}

/* A fat binary with the file as its only image. */
static uint8_t *make_fatbin(const char *path, unsigned arch)
{
    uint8_t *p = calloc(1, FILE_BYTES + FATBIN_HEADER);
    FILE *in = fopen(path, "rb");

    if (in == NULL || p == NULL) {
        perror(path);
        exit(2);
    }
    size_t n = fread(p + FATBIN_HEADER, 1, FILE_BYTES, in);
    fclose(in);
    put(p, 0xba55ed50u, 4);
    put(p + 4, 1, 2);
    put(p + 6, 16, 2);
    put(p + 8, 64 + n, 8);
    put(p + 16, 2, 2);
    put(p + 20, 64, 4);
    put(p + 24, n, 8);
    put(p + 44, arch, 4);
    return p;
}

static void *on_device(const void *data, size_t bytes)
{
    void *p = NULL;

    if (cudaMalloc(&p, bytes) != 0 ||
        (data != NULL && cudaMemcpy(p, data, bytes, HOST_TO_DEVICE) != 0))
        exit(2);
    return p;
}

static void *from_device(const void *p, size_t bytes)
{
    void *data = malloc(bytes);

    if (data == NULL || cudaMemcpy(data, p, bytes, DEVICE_TO_HOST) != 0)
        exit(2);
    return data;
}

static void launch(const char *stub, dim3_t grid, dim3_t block, void **args)
{
    if (cudaLaunchKernel(stub, grid, block, args, 0, NULL) != 0)
        exit(2);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static float next_float(uint32_t *seed)
{
    return (float)next_random(seed) * 0x1p-24f;
}

/* --- the programs: how many values differ from the CPU's ---------------------------------------
 */

static unsigned scan(void)
{
    enum { N = 50000, THREADS = 256, BLOCKS = (N + THREADS - 1) / THREADS };
    static int in[N];
    uint32_t seed = 1;
    int n = N, blocks = BLOCKS, sum = 0;
    unsigned wrong = 0;

    for (int i = 0; i < N; i++)
        in[i] = (int)(next_random(&seed) % 100);
    void *a = on_device(in, sizeof(in)), *b = on_device(NULL, sizeof(in)), *none = NULL;
    void *totals = on_device(NULL, BLOCKS * sizeof(int));
    launch(stub_a, (dim3_t){BLOCKS, 1, 1}, (dim3_t){THREADS, 1, 1},
           (void *[]){&a, &b, &totals, &n});
    launch(stub_a, (dim3_t){1, 1, 1}, (dim3_t){THREADS, 1, 1},
           (void *[]){&totals, &totals, &none, &blocks});
    launch(stub_b, (dim3_t){BLOCKS, 1, 1}, (dim3_t){THREADS, 1, 1}, (void *[]){&b, &totals, &n});
    int *out = from_device(b, sizeof(in));
    for (int i = 0; i < N; i++) {
        sum += in[i];
        wrong += out[i] != sum;
    }
    free(out);
    return wrong;
}

static unsigned stencil(void)
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
    launch(stub_a, (dim3_t){NX / 32, NY / 4, 1}, (dim3_t){32, 4, 1},
           (void *[]){&a, &b, &c0, &c1, &nx, &ny, &nz});
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

static unsigned fft(void)
{
    enum { N = 512, SIGNALS = 40 };
    static float in[SIGNALS * N][2];
    uint32_t seed = 6;
    unsigned wrong = 0;

    for (int i = 0; i < SIGNALS * N * 2; i++)
        in[i / 2][i % 2] = next_float(&seed) - 0.5f;
    void *a = on_device(in, sizeof(in)), *b = on_device(NULL, sizeof(in));
    launch(stub_a, (dim3_t){SIGNALS, 1, 1}, (dim3_t){N / 2, 1, 1}, (void *[]){&a, &b});
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

static unsigned nbody(void)
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
    launch(stub_a, (dim3_t){N / 128, 1, 1}, (dim3_t){128, 1, 1},
           (void *[]){&a, &b, &softening, &n});
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

static unsigned sort(void)
{
    enum { N = 8192, BLOCK = 1024 };
    static unsigned data[N];
    uint32_t seed = 4;
    unsigned wrong = 0;
    uint64_t sum = 0, sorted_sum = 0;

    for (int i = 0; i < N; i++)
        sum += data[i] = next_random(&seed);
    void *a = on_device(data, sizeof(data));
    launch(stub_a, (dim3_t){N / BLOCK, 1, 1}, (dim3_t){BLOCK / 2, 1, 1}, (void *[]){&a});
    for (int size = 2 * BLOCK; size <= N; size *= 2)
        for (int half = size / 2; half > 0; half /= 2)
            launch(stub_b, (dim3_t){N / 2 / 256, 1, 1}, (dim3_t){256, 1, 1},
                   (void *[]){&a, &size, &half});
    unsigned *out = from_device(a, sizeof(data));
    for (int i = 0; i < N; i++) {
        sorted_sum += out[i];
        wrong += i > 0 && out[i - 1] > out[i];
    }
    free(out);
    return wrong + (sum != sorted_sum);
}

enum { NODES = 8192, DEGREE = 4 };

static void search_on_cpu(const int *first, const int *edges, int *level)
{
    static int queue[NODES];
    int head = 0, tail = 0;

    memset(level, -1, NODES * sizeof(*level));
    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int node = queue[head++];
        for (int e = first[node]; e < first[node + 1]; e++)
            if (level[edges[e]] < 0) {
                level[edges[e]] = level[node] + 1;
                queue[tail++] = edges[e];
            }
    }
}

static unsigned bfs(void)
{
    static int first[NODES + 1], edges[NODES * DEGREE * 2], level[NODES], expected[NODES];
    uint32_t seed = 5;
    int n = NODES, changed = 1;
    unsigned wrong = 0;

    for (int i = 0; i < NODES; i++) { /* degrees differ */
        int degree = (int)(next_random(&seed) % (2 * DEGREE));
        first[i + 1] = first[i] + degree;
        for (int e = first[i]; e < first[i + 1]; e++)
            edges[e] = (int)(next_random(&seed) % NODES);
    }
    search_on_cpu(first, edges, expected);
    memset(level, -1, sizeof(level));
    level[0] = 0;
    void *f = on_device(first, sizeof(first)), *e = on_device(edges, sizeof(edges));
    void *l = on_device(level, sizeof(level)), *c = on_device(NULL, sizeof(changed));
    for (int now = 0; changed != 0; now++) {
        changed = 0;
        cudaMemcpy(c, &changed, sizeof(changed), HOST_TO_DEVICE);
        launch(stub_a, (dim3_t){NODES / 256, 1, 1}, (dim3_t){256, 1, 1},
               (void *[]){&f, &e, &l, &c, &now, &n});
        cudaMemcpy(&changed, c, sizeof(changed), DEVICE_TO_HOST);
    }
    int *out = from_device(l, sizeof(level));
    for (int i = 0; i < NODES; i++)
        wrong += out[i] != expected[i];
    free(out);
    return wrong;
}

static const struct {
    const char *name, *a, *b; /* of the program, of its kernels */
    unsigned (*run)(void);
} programs[] = {
    {"fft", "fft", "fft", fft},
    {"scan", "scan_blocks", "scan_add", scan},
    {"stencil", "stencil", "stencil", stencil},
    {"nbody", "nbody", "nbody", nbody},
    {"sort", "sort_blocks", "sort_step", sort},
    {"bfs", "bfs_level", "bfs_level", bfs},
};

int main(int argc, char **argv)
{
    size_t i = 0, n = sizeof(programs) / sizeof(programs[0]);

    while (argc == 4 && i < n && strcmp(programs[i].name, argv[3]) != 0)
        i++;
    if (argc != 4 || i == n) {
        fprintf(stderr, "usage: %s CUBIN ARCH scan|stencil|fft|nbody|sort|bfs\n", argv[0]);
        return 2;
    }
    wrapper_t wrapper = {0x466243b1, 1, make_fatbin(argv[1], (unsigned)atoi(argv[2])), NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, stub_a, NULL, programs[i].a, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, stub_b, NULL, programs[i].b, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    unsigned wrong = programs[i].run();
    printf("%s, sm_%s: %u values differ from the CPU's\n", argv[3], argv[2], wrong);
    return wrong != 0;
}
