/*
 * Programs with streams, each of the kind of one of the CUDA samples; they check what they compute.
 *
 *   overlap kernels N   N kernels of one block in N streams, then a kernel that waits for all of them
 *   overlap chains N    N streams of two dependent kernels each
 *   overlap copies N    N rounds of copy in, kernel, copy out in three streams
 *   overlap async       copies, kernel and events in one stream while the host asks for their end
 *   overlap graph       a captured fork and join, launched twice
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { MAX_STREAMS = 64, STEPS = 300 };

/* Every element gets the same number of dependent additions. */
__global__ void work(float *p, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? p[i] : 0;
    for (int s = 0; s < steps; s++)
        v += 1.0f;
    if (i < n)
        p[i] = v;
}

/* The sum of the first elements of n blocks. */
__global__ void sum(const float *p, int n, float *out)
{
    float v = 0;
    for (int i = 0; i < n; i++)
        v += p[i * 128];
    *out = v;
}

static cudaStream_t streams[MAX_STREAMS];

static void create(int n)
{
    for (int i = 0; i < n; i++)
        TRY(cudaStreamCreate(&streams[i]));
}

static int check(const float *p, int n, float want)
{
    for (int i = 0; i < n; i++) {
        if (p[i] != want) {
            printf("element %d is %g, not %g\n", i, p[i], want);
            return 1;
        }
    }
    return 0;
}

static int kernels(int n)
{
    float *p, *out, got;
    cudaEvent_t done[MAX_STREAMS];
    TRY(cudaMalloc(&p, n * 128 * sizeof(float)));
    TRY(cudaMalloc(&out, sizeof(float)));
    TRY(cudaMemset(p, 0, n * 128 * sizeof(float)));
    create(n);
    for (int i = 0; i < n; i++) {
        work<<<1, 128, 0, streams[i]>>>(p + i * 128, 128, STEPS);
        TRY(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
        TRY(cudaEventRecord(done[i], streams[i]));
        TRY(cudaStreamWaitEvent(streams[n - 1], done[i], 0));
    }
    sum<<<1, 1, 0, streams[n - 1]>>>(p, n, out);
    TRY(cudaMemcpyAsync(&got, out, sizeof(got), cudaMemcpyDeviceToHost, streams[n - 1]));
    TRY(cudaStreamSynchronize(streams[n - 1]));
    return check(&got, 1, (float)n * STEPS);
}

static int chains(int n)
{
    float *p, *host = (float *)malloc(n * 128 * sizeof(float));
    TRY(cudaMalloc(&p, n * 128 * sizeof(float)));
    TRY(cudaMemset(p, 0, n * 128 * sizeof(float)));
    create(n);
    for (int i = 0; i < n; i++) {
        work<<<1, 128, 0, streams[i]>>>(p + i * 128, 128, STEPS);
        work<<<1, 128, 0, streams[i]>>>(p + i * 128, 128, STEPS);
    }
    TRY(cudaMemcpy(host, p, n * 128 * sizeof(float), cudaMemcpyDeviceToHost));
    return check(host, n * 128, 2 * STEPS);
}

static int copies(int rounds)
{
    enum { SIZE = 1 << 16, LANES = 3 };
    float *in, *p;
    TRY(cudaMallocHost(&in, rounds * SIZE * sizeof(float)));
    TRY(cudaMalloc(&p, LANES * SIZE * sizeof(float)));
    memset(in, 0, rounds * SIZE * sizeof(float));
    create(LANES);
    for (int r = 0; r < rounds; r++) {
        float *d = p + (r % LANES) * SIZE, *h = in + r * SIZE;
        cudaStream_t s = streams[r % LANES];
        TRY(cudaMemcpyAsync(d, h, SIZE * sizeof(float), cudaMemcpyHostToDevice, s));
        work<<<SIZE / 256, 256, 0, s>>>(d, SIZE, 4);
        TRY(cudaMemcpyAsync(h, d, SIZE * sizeof(float), cudaMemcpyDeviceToHost, s));
    }
    TRY(cudaDeviceSynchronize());
    return check(in, rounds * SIZE, 4);
}

static int async()
{
    enum { SIZE = 1 << 14 };
    float *host, *p, ms;
    cudaEvent_t start, stop;
    TRY(cudaMallocHost(&host, SIZE * sizeof(float)));
    TRY(cudaMalloc(&p, SIZE * sizeof(float)));
    memset(host, 0, SIZE * sizeof(float));
    TRY(cudaEventCreate(&start));
    TRY(cudaEventCreate(&stop));
    TRY(cudaEventRecord(start, 0));
    TRY(cudaMemcpyAsync(p, host, SIZE * sizeof(float), cudaMemcpyHostToDevice, 0));
    work<<<SIZE / 256, 256, 0, 0>>>(p, SIZE, 26);
    TRY(cudaMemcpyAsync(host, p, SIZE * sizeof(float), cudaMemcpyDeviceToHost, 0));
    TRY(cudaEventRecord(stop, 0));
    while (cudaEventQuery(stop) == cudaErrorNotReady) {
    }
    TRY(cudaEventElapsedTime(&ms, start, stop));
    return check(host, SIZE, 26);
}

static int graph()
{
    enum { SIZE = 512 };
    float *p, host[SIZE];
    cudaEvent_t fork, join;
    cudaGraph_t captured;
    cudaGraphExec_t exec;
    TRY(cudaMalloc(&p, SIZE * sizeof(float)));
    TRY(cudaMemset(p, 0, SIZE * sizeof(float)));
    create(2);
    TRY(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    TRY(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    work<<<2, 256, 0, streams[0]>>>(p, SIZE, 1);
    TRY(cudaEventRecord(fork, streams[0]));
    TRY(cudaStreamWaitEvent(streams[1], fork, 0));
    work<<<1, 256, 0, streams[0]>>>(p, SIZE / 2, STEPS);
    work<<<1, 256, 0, streams[1]>>>(p + SIZE / 2, SIZE / 2, STEPS);
    TRY(cudaEventRecord(join, streams[1]));
    TRY(cudaStreamWaitEvent(streams[0], join, 0));
    work<<<2, 256, 0, streams[0]>>>(p, SIZE, 1);
    TRY(cudaStreamEndCapture(streams[0], &captured));
    TRY(cudaGraphInstantiate(&exec, captured, NULL, NULL, 0));
    TRY(cudaGraphLaunch(exec, streams[0]));
    TRY(cudaGraphLaunch(exec, streams[0]));
    TRY(cudaStreamSynchronize(streams[0]));
    TRY(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
    return check(host, SIZE, 2 * (STEPS + 2));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int n = argc > 2 ? atoi(argv[2]) : 8;
    if (strcmp(what, "kernels") == 0)
        return kernels(n);
    if (strcmp(what, "chains") == 0)
        return chains(n);
    if (strcmp(what, "copies") == 0)
        return copies(n);
    return strcmp(what, "async") == 0 ? async() : graph();
}
