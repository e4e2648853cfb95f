// A program that uses the runtime in several ways, compared with the CPU; built in several ways by
// builds_test.sh. As a library, its function is run_builds().
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float factors[4];
__device__ int counted;
__managed__ int managed;

template <typename T> __global__ void scale(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * factors[i & 3];
        atomicAdd(&counted, 1);
        if (i == 0)
            managed = 41;
    }
}

__global__ void says(int n)
{
    if (threadIdx.x == 0)
        printf("kernel says %d\n", n);
}

static int wrong;

static void check(bool right, const char *what)
{
    if (!right) {
        printf("%s is wrong (%s)\n", what, cudaGetErrorString(cudaGetLastError()));
        wrong++;
    }
}

extern "C" int run_builds()
{
    const int n = 5000;
    const float four[4] = {1, 2, 3, 0.5f};
    static float in[5000], out[5000];
    float *a, *b;
    int count = 0;
    cudaStream_t stream;
    cudaEvent_t event;

    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 97);
    check(cudaMalloc(&a, sizeof(in)) == cudaSuccess, "cudaMalloc");
    check(cudaMallocManaged(&b, sizeof(in)) == cudaSuccess, "cudaMallocManaged");
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaMemcpyToSymbol(factors, four, sizeof(four));
    cudaMemcpyAsync(a, in, sizeof(in), cudaMemcpyHostToDevice, stream);
    scale<<<(n + 255) / 256, 256, 0, stream>>>(a, b, n);
    cudaEventRecord(event, stream);
    check(cudaEventSynchronize(event) == cudaSuccess, "cudaEventSynchronize");
    cudaMemcpy(out, b, sizeof(out), cudaMemcpyDefault);
    for (int i = 0; i < n && !wrong; i++)
        check(out[i] == in[i] * four[i & 3], "scale");
    cudaMemcpyFromSymbol(&count, counted, sizeof(count));
    check(count == n, "the count");
    check(managed == 41, "the managed variable");

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    scale<<<(n + 127) / 128, 128, 0, stream>>>(b, a, n);
    cudaStreamEndCapture(stream, &graph);
#if CUDART_VERSION >= 12000
    check(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
#else
    check(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0) == cudaSuccess, "cudaGraphInstantiate");
#endif
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(out, a, sizeof(out), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n && !wrong; i++)
        check(out[i] == in[i] * four[i & 3] * four[i & 3], "the graph");

    cudaDeviceProp prop;
    cudaFuncAttributes attributes;
    int blocks = 0;
    check(cudaGetDeviceProperties(&prop, 0) == cudaSuccess && prop.warpSize == 32, "the device");
    check(cudaFuncGetAttributes(&attributes, scale<float>) == cudaSuccess && attributes.numRegs > 0,
          "cudaFuncGetAttributes");
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 256, 0);
    check(blocks >= 1 && blocks <= 8, "the occupancy");
    void *entry = NULL;
#if CUDART_VERSION >= 13000
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuInit", &entry, 12000, cudaEnableDefault, &found);
#elif CUDART_VERSION >= 11030
    cudaGetDriverEntryPoint("cuInit", &entry, cudaEnableDefault);
#endif
    check(entry != NULL || CUDART_VERSION < 11030, "cudaGetDriverEntryPoint");
    says<<<1, 32>>>(7);
    check(cudaDeviceSynchronize() == cudaSuccess, "printf");
    check(cudaGetLastError() == cudaSuccess, "the last error");
    cudaFree(a);
    cudaFree(b);
    printf("%s on %s: %d wrong\n", __FILE__, prop.name, wrong);
    return wrong != 0;
}

#ifndef NO_MAIN
int main()
{
    return run_builds();
}
#endif
