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
