/* A program of its own, for "rubato record": variables, constants, recursion, shared memory. */
#include <stdio.h>

__device__ int gcount;
__constant__ float ctab[16];
__device__ float garr[100] = {1, 2, 3};

__device__ __noinline__ int f(int x)
{
    return x > 1 ? x * f(x - 1) + gcount : 1;
}

extern "C" __global__ void recurse(float *p, int n)
{
    int i = threadIdx.x;
    extern __shared__ float s[];
    s[i] = ctab[i & 15] + garr[i];
    __syncthreads();
    if (i < n)
        p[i] = s[i ^ 1] * f(i);
    atomicAdd(&gcount, 1);
}

int main()
{
    float *p, h[16], o[32];
    cudaMalloc(&p, sizeof(o));
    for (int i = 0; i < 16; i++)
        h[i] = i;
    cudaMemcpyToSymbol(ctab, h, sizeof(h));
    recurse<<<1, 32, 512>>>(p, 32);
    cudaMemcpy(o, p, sizeof(o), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        printf("%g ", o[i]);
    printf("\n%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
