// Blocks of a plain launch that meet at barriers of their own, as Parboil's bfs does.

// Threads count up from what the next block has: values holds two numbers of each, one read and one written in turn.
extern "C" __global__ void rounds(volatile int *values, int *arrived, int n_rounds)
{
    __shared__ int odd;
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        odd = 0;
#pragma unroll 1
    for (int r = 0; r < n_rounds; r++) {
        __syncthreads();
        const int from = odd;
        values[(1 - from) * n + i] = values[from * n + (i + blockDim.x) % n] + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            odd = 1 - from;
            __threadfence();
            atomicAdd(arrived, 1);
            while (*(volatile int *)arrived < gridDim.x * (r + 1))
                continue;
        }
    }
}

// What thread 0 changes has been read by all before, but nothing says so beside the time that it takes: the distance
// from the barrier to its store, which is some instructions longer than that of the others to their load.
extern "C" __global__ void turns(int *seen, int *noted, int n_rounds)
{
    __shared__ int turn;
    int sum = 0;

    if (threadIdx.x == 0)
        turn = 1;
#pragma unroll 1
    for (int r = 0; r < n_rounds; r++) {
        __syncthreads();
        const int now = *(volatile int *)&turn;
        sum += now * (r + 1);
        if (threadIdx.x == 0) {
            for (int k = 0; k < 4; k++)
                noted[4 * r + k] = now % (k + 3);
            turn = now + 1;
        }
    }
    seen[threadIdx.x] = sum;
}

// Waits by the clock, as programs do that want to keep a GPU busy.
extern "C" __global__ void wait_for_clocks(unsigned *waited, unsigned clocks)
{
    const unsigned begun = clock();
    unsigned now;

    do
        now = clock() - begun;
    while (now < clocks);
    waited[blockIdx.x * blockDim.x + threadIdx.x] = now;
}
