/* Rates of shared memory: atomics whose lanes share words, and wide loads whose lanes share addresses. */
#include "card_kit.h"

enum { THREADS = 1024, UNROLL = 8, WORDS = 4096 };

typedef enum { ADD, INCREMENT } atomic_t; /* an unknown number; 1, for which there is an instruction */

/* `ways` lanes share a word. Warps of a sub-core take different words. */
template <atomic_t KIND>
static __global__ void atomics(long long *clocks, unsigned *sink, int ways, int n, unsigned value)
{
    __shared__ unsigned words[WORDS];
    const unsigned at = threadIdx.x % 32 / (unsigned)ways + threadIdx.x / 32 * 32;
    long long first = 0, last = 0;

    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        card_sync();
        first = clock64();
#pragma unroll 1
        for (int i = 0; i < n; i++) {
#pragma unroll
            for (unsigned k = 0; k < UNROLL; k++)
                atomicAdd(&words[at], KIND == ADD ? value + k : 1u);
        }
        card_sync();
        last = clock64();
    }
    card_store(clocks, first, last);
    if (words[at] == 0x12345678)
        *sink = 1;
}

template <typename T> static __device__ T load(unsigned at);

template <> __device__ uint2 load<uint2>(unsigned at)
{
    uint2 v;

    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
    return v;
}

template <> __device__ uint4 load<uint4>(unsigned at)
{
    uint4 v;

    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at));
    return v;
}

/* Lanes i and i ^ apart read the same address, the others what follows; apart 0: all differ. */
template <typename T>
static __global__ void pairs(long long *clocks, unsigned *sink, unsigned apart, int n)
{
    __shared__ uint4 words[WORDS / 4];
    const unsigned lane = threadIdx.x % 32;
    const unsigned own = apart == 0 ? lane : lane / 2 / apart * apart + lane % apart;
    const unsigned at = (unsigned)__cvta_generic_to_shared(words) + own * (unsigned)sizeof(T);
    unsigned sum = 0;
    long long first = 0, last = 0;

    for (unsigned i = threadIdx.x; i < WORDS / 4; i += blockDim.x)
        words[i] = make_uint4(i, 0, 0, 0);
    card_time(n, &first, &last, [&] {
#pragma unroll
        for (unsigned k = 0; k < UNROLL; k++)
            sum += load<T>(at + k * 1024).x;
    });
    card_store(clocks, first, last);
    if (sum == 0x12345678)
        *sink = 1;
}

/* Measures a kernel of one block; launch(n): launches it with n iterations. */
template <class Launch> static void measure(card_t *c, const char *test, double x, Launch launch)
{
    for (int i = 0; i < 2 * c->repeats && card_wants(c, test); i++) {
        const int n = i % 2 == 0 ? 4 : 12;
        const card_row_t row = {test, KIND_RATE, "instructions of a warp per cycle and SM", x, i / 2,
                                (double)(UNROLL * n * (THREADS / 32))};

        launch(n);
        card_timed(c, &row, 1, THREADS);
    }
}

void card_shared(card_t *c)
{
    const size_t warps = THREADS / 32;
    unsigned *sink;

    card_check(cudaMalloc(&sink, sizeof(*sink)), "memory");
    for (int ways = 1; ways <= 32; ways *= 2)
        measure(c, "rate_shared_add", ways, [&](int n) {
            atomics<ADD><<<1, THREADS>>>(card_clocks(warps), sink, ways, n, 3);
        });
    for (int ways = 1; ways <= 32; ways *= 2)
        measure(c, "rate_shared_increment", ways, [&](int n) {
            atomics<INCREMENT><<<1, THREADS>>>(card_clocks(warps), sink, ways, n, 1);
        });
    for (unsigned apart = 0; apart <= 16; apart = apart == 0 ? 1 : 2 * apart)
        measure(c, "rate_shared_pairs64", apart, [&](int n) {
            pairs<uint2><<<1, THREADS>>>(card_clocks(warps), sink, apart, n);
        });
    for (unsigned apart = 0; apart <= 16; apart = apart == 0 ? 1 : 2 * apart)
        measure(c, "rate_shared_pairs128", apart, [&](int n) {
            pairs<uint4><<<1, THREADS>>>(card_clocks(warps), sink, apart, n);
        });
    cudaFree(sink);
}
