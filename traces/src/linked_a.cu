// With linked_b.cu: a program of two files that are linked (nvcc -rdc=true).
typedef int (*function_t)(int);
extern __device__ int base;
extern __device__ function_t table[3];
extern __constant__ int steps[2];
__constant__ int own[4] = {1, 2, 3, 4};
extern __device__ int twice(int);

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void calls(int *out)
{
    int i = threadIdx.x;
    out[i] = twice(i) + base + fibonacci(i % 7) + own[i % 4] + steps[i % 2];
}

extern "C" __global__ void pointers(int *out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }
