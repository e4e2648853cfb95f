// Kernels for driver.cpp: compiled to a cubin, to PTX, to a fat binary, or by NVRTC.
#define TILE 16

extern "C" __constant__ float factor;
extern "C" __device__ int calls = 0;
__constant__ float factor = 1;

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        atomicAdd(&calls, 1);
    if (i < n)
        c[i] = factor * (a[i] + b[i]);
}

// c = a b for square matrices whose size is a multiple of TILE.
extern "C" __global__ void matrix_mul(float *c, const float *a, const float *b, int n)
{
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        at[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        bt[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += at[threadIdx.y][i] * bt[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

template <typename T> __global__ void reverse(T *x, int n)
{
    extern __shared__ char bytes[];
    T *t = (T *)bytes;
    int i = threadIdx.x;
    t[i] = x[i];
    __syncthreads();
    x[i] = t[n - 1 - i];
}
template __global__ void reverse<int>(int *, int);
