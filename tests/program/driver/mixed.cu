// The runtime and the driver API in one program: they share context, memory and streams.
#include "driver.h"
#include <cuda_runtime.h>

__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int main(int argc, char **argv)
{
    const int n = 1000;
    std::vector<float> a = numbers(n, 3), c(n);
    float *d;
    CUmodule module;
    CUfunction add;
    cudaStream_t stream;
    CUdeviceptr sum;

    OK(cuInit(0));
    check(cudaSetDevice(0) == cudaSuccess && cudaFree(0) == cudaSuccess, "cudaFree");
    check(cudaMalloc(&d, n * 4) == cudaSuccess, "cudaMalloc");
    cudaMemcpy(d, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaStreamCreate(&stream);
    twice<<<(n + 127) / 128, 128, 0, stream>>>(d, n);
    OK(cuModuleLoad(&module, argv[argc - 1]));
    OK(cuModuleGetFunction(&add, module, "vector_add"));
    OK(cuMemAlloc(&sum, n * 4));
    int count = n;
    void *args[] = {&d, &d, &sum, &count};
    OK(cuLaunchKernel(add, (n + 127) / 128, 1, 1, 128, 1, 1, 0, (CUstream)stream, args, NULL));
    cudaStreamSynchronize(stream);
    cudaMemcpy(c.data(), (void *)sum, n * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += c[i] != 4 * a[i];
    check(bad == 0, "a vector of both");
    return end(NULL, argv[0]);
}
