/*
 * Kernels of the bundled traces (traces/src), with the shapes of the traces. Prints a table with a
 * row per kernel that 'rubato compare --hardware' reads: the median time of the repeats in seconds,
 * measured with events, and their range. Under ncu it only makes the launches once.
 *
 *   card_kernels [--once]
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../../traces/src/histo.cu"
#include "../../traces/src/matmul.cu"
#include "../../traces/src/transpose.cu"
#include "../../traces/src/vecadd.cu"

/* A launch that does nothing, for what a launch costs. */
static __global__ void nothing(void)
{
}

static int repeats = 9;

static void check(cudaError_t code)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "card_kernels: %s\n", cudaGetErrorString(code));
    exit(1);
}

static void *zeroed(size_t bytes)
{
    void *p;

    check(cudaMalloc(&p, bytes));
    check(cudaMemset(p, 0, bytes));
    return p;
}

/* Times a launch; the first one only loads the code. */
template <class Launch> static void measure(const char *name, Launch launch)
{
    std::vector<float> ms((size_t)repeats);
    cudaEvent_t begin, end;

    if (repeats == 0) {
        launch();
        check(cudaDeviceSynchronize());
        return;
    }
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    launch();
    for (float &t : ms) {
        check(cudaEventRecord(begin));
        launch();
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&t, begin, end));
    }
    std::sort(ms.begin(), ms.end());
    printf("%s,%.9g,%d,%.9g,%.9g\n", name, ms[ms.size() / 2] * 1e-3, repeats, ms.front() * 1e-3,
           ms.back() * 1e-3);
}

int main(int argc, char **argv)
{
    const int n = 1 << 18, side = 160, width = 512;

    repeats = argc > 1 && strcmp(argv[1], "--once") == 0 ? 0 : repeats;
    float *a = (float *)zeroed(n * sizeof(float)), *b = (float *)zeroed(n * sizeof(float));
    float *c = (float *)zeroed(n * sizeof(float));
    unsigned *counts = (unsigned *)zeroed(256 * sizeof(unsigned));

    if (repeats > 0)
        printf("Kernel,gpu__time_duration.sum,repeats,low_seconds,high_seconds\n");
    measure("nothing", [] { nothing<<<1, 32>>>(); });
    measure("vecadd", [&] { vecadd<<<n / 256, 256>>>(a, b, c, n); });
    measure("matmul", [&] { matmul<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(a, b, c, side); });
    measure("transpose_tiled", [&] {
        transpose_tiled<<<dim3(width / 32, width / 32), dim3(32, 8)>>>(a, c, width, width);
    });
    measure("histo", [&] { histo<<<64, 256>>>((const unsigned *)a, counts, n); });
    return 0;
}
