/* What follows the end of a block: how long until the next block runs on its SM. */
#include "card_kit.h"

enum { SPIN = 3000 };

static __global__ void wait_and_end(long long *clocks, int spin, unsigned *sink)
{
    extern __shared__ unsigned room[];
    const long long first = clock64();
    unsigned v = threadIdx.x;

    for (int i = 0; i < spin; i++)
        asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(v));
    if (v == 0x12345678)
        *sink = room[threadIdx.x];
    card_store(clocks, first, clock64());
}

/* One block fits on an SM at a time, and each SM gets two. */
void card_blocks(card_t *c)
{
    const char *test = "latency_next_block";
    const unsigned blocks = 2 * (unsigned)c->sms;
    unsigned *sink;
    int most;

    if (!card_wants(c, test))
        return;
    card_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), test);
    card_check(cudaFuncSetAttribute(wait_and_end, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
               test);
    card_check(cudaMalloc(&sink, sizeof(*sink)), "memory");
    for (int threads = 32; threads <= 1024 && !(c->quick && threads > 32); threads *= 4) {
        for (int r = -1; r < c->repeats; r++) {
            const card_row_t row = {test, KIND_TURN, "cycles", (double)threads, r, 1};
            const unsigned warps = (unsigned)threads / 32;

            wait_and_end<<<blocks, (unsigned)threads, (size_t)most>>>(
                card_clocks((size_t)blocks * warps), SPIN, sink);
            if (r < 0)
                card_untimed(c, test);
            else
                card_timed(c, &row, blocks, (unsigned)threads);
        }
    }
    cudaFree(sink);
}
