/* The warps of a block take turns in rounds, the last one first; each polls shared memory until it is its
 * turn. */
extern "C" __global__ void relay(int *order, int rounds)
{
    __shared__ volatile int turn;
    int warps = blockDim.x / 32, mine = warps - 1 - threadIdx.x / 32;

    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    for (int end = mine + rounds * warps; mine < end; mine += warps) {
        while (turn != mine)
            continue;
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            order[mine] = threadIdx.x / 32;
            turn = mine + 1;
        }
    }
}

/* Blocks count themselves in one counter, round by round, and wait until it equals what all have then counted: those that have
 * seen the number of a round must not count again before all others have seen it. */
extern "C" __global__ void equals(unsigned *counter, int *out, int rounds)
{
    for (int r = 1; r <= rounds; r++) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(counter, 1);
            while (*(volatile unsigned *)counter != gridDim.x * r)
                continue;
            __threadfence();
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)threadIdx.x - (int)blockIdx.x;
}
