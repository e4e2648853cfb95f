/* Inclusive prefix sums: one pass for the sums within blocks, one that adds what stands before. */
#define THREADS 256

__device__ int scan_warp(int v, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += other;
    }
    return v;
}

/* Sums within each block to out, the block's total to totals (if there is such an array). */
extern "C" __global__ void scan_blocks(const int *in, int *out, int *totals, int n)
{
    __shared__ int warps[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = scan_warp(i < n ? in[i] : 0, lane);

    if (lane == 31)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int sum = scan_warp(lane < THREADS / 32 ? warps[lane] : 0, lane);
        if (lane < THREADS / 32)
            warps[lane] = sum;
    }
    __syncthreads();
    if (warp > 0)
        v += warps[warp - 1];
    if (i < n)
        out[i] = v;
    if (totals && threadIdx.x == THREADS - 1)
        totals[blockIdx.x] = v;
}

/* Adds what the blocks before have: totals are inclusive prefix sums of theirs. */
extern "C" __global__ void scan_add(int *out, const int *totals, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;

    if (blockIdx.x > 0 && i < n)
        out[i] += totals[blockIdx.x - 1];
}
