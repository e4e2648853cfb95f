// Functions of the driver that kernels call.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void print_values(int n, double x)
{
    if (threadIdx.x < n)
        printf("%d|%5.2f|%s|%c|%lld|%-6x|%*d|%%|%hd|%p\n", threadIdx.x, x * threadIdx.x, "text", 'a' + threadIdx.x,
               1234567890123ll, 255, 4, -7, (short)-3, (void *)16);
}

extern "C" __global__ void assert_below(unsigned n) { assert(threadIdx.x < n); }

extern "C" __global__ void stop(unsigned n)
{
    if (threadIdx.x == n)
        __trap();
}

extern "C" __global__ void heap_make(int **out)
{
    int *p = (int *)malloc(16 * sizeof(int));
    for (int i = 0; i < 16; i++)
        p[i] = threadIdx.x * 16 + i;
    out[threadIdx.x] = p;
}

extern "C" __global__ void heap_sum(int **in, int *out)
{
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += in[threadIdx.x][i];
    out[threadIdx.x] = sum;
    free(in[threadIdx.x]);
}
