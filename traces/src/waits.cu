/* Threads that wait for each other without a barrier of the block. */

/* Lanes that go around a loop a different number of times, with a __syncwarp() of all lanes in it:
 * lanes that have left the loop meet the others at one behind it. */
extern "C" __global__ void uneven(const int *trips, int most, int *out)
{
    __shared__ int box[32];
    int lane = threadIdx.x, n = trips[lane / 16], sum = 0;

    for (int i = 0; i < n; i++) {
        box[lane] = i * 100 + lane;
        __syncwarp();
        sum += box[lane ^ 1];
        __syncwarp();
    }
    for (int i = n; i < most; i++) {
        __syncwarp();
        __syncwarp();
    }
    out[lane] = sum;
}

/* A barrier of all blocks in an ordinary launch: each counts itself and spins until all have. */
extern "C" __global__ void barrier_of_all(unsigned *arrived, int *before, int *after)
{
    before[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived != gridDim.x)
            continue;
    }
    __syncthreads();
    after[blockIdx.x * blockDim.x + threadIdx.x] =
        ((volatile int *)before)[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x];
}
