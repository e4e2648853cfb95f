// Atomics in shared memory, most of which are loops around a compare-and-swap.
extern "C" __global__ void shared_atomics(const double *x, const float *y, const unsigned long long *z, double *sum,
                                          float *sum_of_floats, unsigned long long *extremes, int n)
{
    __shared__ double s;
    __shared__ float f;
    __shared__ unsigned long long most, least;

    if (threadIdx.x == 0) {
        s = 0;
        f = 0;
        most = 0;
        least = ~0ull;
    }
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&s, x[i]);
        atomicAdd(&f, y[i]);
        atomicMax(&most, z[i]);
        atomicMin(&least, z[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *sum = s;
        *sum_of_floats = f;
        extremes[0] = most;
        extremes[1] = least;
        extremes[2] = atomicCAS(&most, extremes[0], 5ull);
        extremes[3] = most;
        extremes[4] = atomicExch(&least, 9ull);
    }
}

// The same calls for shared and for global memory: the code must find out which it is.
extern "C" __global__ void generic_atomics(unsigned long long *global, unsigned long long *out, int in_shared)
{
    __shared__ unsigned long long shared;
    unsigned long long *sum = in_shared ? &shared : global;

    if (threadIdx.x == 0)
        shared = 100;
    __syncthreads();
    atomicAdd(sum, threadIdx.x + (1ull << 40));
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = atomicCAS(sum, shared, 5ull);
        out[1] = atomicExch(sum, 6ull);
        out[2] = shared;
    }
}
