// One pass of a radix sort within a block, as CUB's one-sweep sort makes it: every warp ranks its keys by ballots and
// counts them in counters of its own, which are cleared 128 bits at a time.
enum { THREADS = 128, WARPS = THREADS / 32, ITEMS = 8, DIGITS = 256 };

extern "C" __global__ void __launch_bounds__(THREADS) radix_pass(const unsigned *keys, unsigned *sorted, int shift)
{
    __shared__ uint4 cleared[WARPS * DIGITS / 4];
    __shared__ unsigned total[DIGITS];
    unsigned *counts = (unsigned *)cleared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned key[ITEMS], rank[ITEMS];

#pragma unroll 1
    for (int i = threadIdx.x; i < WARPS * DIGITS / 4; i += THREADS)
        cleared[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++) {
        key[i] = keys[(warp * ITEMS + i) * 32 + lane];
        const unsigned digit = key[i] >> shift & (DIGITS - 1);
        unsigned same = ~0u;
#pragma unroll
        for (int bit = 0; bit < 8; bit++) {
            const bool one = digit >> bit & 1;
            const unsigned votes = __ballot_sync(~0u, one);
            same &= one ? votes : ~votes;
        }
        const unsigned leader = 31 - __clz(same);
        unsigned before = 0;
        if (lane == leader)
            before = atomicAdd(&counts[warp * DIGITS + digit], __popc(same));
        rank[i] = __shfl_sync(~0u, before, leader) + __popc(same & ((1u << lane) - 1));
    }
    __syncthreads();
#pragma unroll 1
    for (int d = threadIdx.x; d < DIGITS; d += THREADS) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; w++) {
            const unsigned n = counts[w * DIGITS + d];
            counts[w * DIGITS + d] = sum;
            sum += n;
        }
        total[d] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (unsigned d = 0, sum = 0; d < DIGITS; d++) {
            const unsigned n = total[d];
            total[d] = sum;
            sum += n;
        }
    __syncthreads();
    for (int i = 0; i < ITEMS; i++) {
        const unsigned digit = key[i] >> shift & (DIGITS - 1);
        sorted[total[digit] + counts[warp * DIGITS + digit] + rank[i]] = key[i];
    }
}
