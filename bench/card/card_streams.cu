/* Bandwidths: of loads that hit the L1 of one SM, and of the whole chip from L2 and DRAM. */
#include "card_kit.h"

enum { BLOCK = 1024, L2_ROUNDS = 9 };

static __device__ uint4 load(const uint4 *p, bool l1)
{
    uint4 v;

    if (l1)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    else
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    return v;
}

/* Each block reads its part of the data, a multiple of EACH loads of all threads; `rounds` times, the first of them before the clock starts. */
template <bool L1, unsigned EACH> static __global__ void read_part(long long *clocks, const uint4 *data, unsigned per_block,
                                 int rounds, unsigned *sink)
{
    const uint4 *part = data + (size_t)blockIdx.x * per_block;
    unsigned sum = 0;
    long long first = clock64();

#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        if (round == 1) {
            card_sync();
            first = clock64();
        }
        for (unsigned i = threadIdx.x; i < per_block; i += EACH * blockDim.x) {
            uint4 v[EACH];
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                v[k] = load(&part[i + k * blockDim.x], L1);
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    }
    *(volatile unsigned *)sink = sum;
    card_store(clocks, first, clock64());
}

/* One block reads the same small part again and again. */
static void measure_l1(card_t *c, unsigned *sink)
{
    const unsigned bytes = 64 * 1024; /* one round of a block: EACH loads of 16 bytes by each thread */
    void *data;

    card_check(cudaMalloc(&data, bytes), "memory");
    for (int i = 0; i < 2 * c->repeats && card_wants(c, "rate_l1"); i++) {
        const int rounds = i % 2 == 0 ? 9 : 25;
        const card_row_t row = {"rate_l1", KIND_RATE, "bytes per cycle and SM", 0, i / 2,
                                (double)bytes * (rounds - 1)};

        read_part<true, 4><<<1, BLOCK>>>(card_clocks(BLOCK / 32), (const uint4 *)data, bytes / 16, rounds, sink);
        card_timed(c, &row, 1, BLOCK);
    }
    cudaFree(data);
}

/* All blocks that fit at once read a set; of a set beyond the L2, each byte once. */
static void measure_chip(card_t *c, const char *test, double x, size_t bytes, int threads_per_sm,
                         unsigned *sink)
{
    const unsigned threads = (unsigned)(threads_per_sm < BLOCK ? threads_per_sm : BLOCK);
    const unsigned blocks = (unsigned)(c->sms * (threads_per_sm / (int)threads));
    const bool beyond = bytes > c->l2_bytes;
    const unsigned step = (beyond ? 4 : 1) * threads, per_block = (unsigned)(bytes / 16 / blocks) / step * step;
    void *data;

    if (!card_wants(c, test) || per_block == 0)
        return;
    card_check(cudaMalloc(&data, bytes), "memory");
    for (int r = 0; r < c->repeats; r++) {
        const int timed = beyond ? 1 : L2_ROUNDS - 1;
        const card_row_t row = {test, KIND_CHIP, "bytes per cycle", x, r,
                                16.0 * per_block * blocks * timed};
        long long *clocks = card_clocks((size_t)blocks * ((threads + 31) / 32));

        if (beyond)
            read_part<false, 4><<<blocks, threads>>>(clocks, (const uint4 *)data, per_block, 1, sink);
        else
            read_part<false, 1>
                <<<blocks, threads>>>(clocks, (const uint4 *)data, per_block, L2_ROUNDS, sink);
        card_timed(c, &row, blocks, threads);
    }
    cudaFree(data);
}

/* Every block reads the whole set from the L2, again and again; `turn`: block b begins at its b-th part. */
static __global__ void read_set(long long *clocks, const float *data, unsigned words, bool turn,
                                int rounds, float *sink)
{
    const unsigned n = words / blockDim.x;
    const unsigned begin = turn ? (unsigned)((unsigned long long)n * blockIdx.x / gridDim.x) : 0;
    float sum = 0;
    long long first = 0;

#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        if (round == 1) {
            card_sync();
            first = clock64();
        }
#pragma unroll 16
        for (unsigned i = 0; i < n; i++) {
            const unsigned k = begin + i < n ? begin + i : begin + i - n;
            sum += __ldcg(&data[k * blockDim.x + threadIdx.x]);
        }
    }
    if (sum == 0.12345f)
        *sink = sum;
    card_store(clocks, first, clock64());
}

static void measure_same_set(card_t *c, bool turn, float *sink)
{
    const char *test = turn ? "bandwidth_turned_set" : "bandwidth_same_set";
    const size_t kib = 1024;
    void *data;

    for (size_t k = 256; k * kib <= c->l2_bytes / 2 && card_wants(c, test) && !c->quick; k *= 4) {
        card_check(cudaMalloc(&data, k * kib), "memory");
        card_check(cudaMemset(data, 0, k * kib), "memory");
        for (int r = 0; r < c->repeats; r++) {
            const int rounds = k <= 1024 ? 9 : 3;
            const card_row_t row = {test, KIND_CHIP, "bytes per cycle", (double)k, r,
                                    (double)(k * kib) * (rounds - 1) * c->sms};

            read_set<<<(unsigned)c->sms, 512>>>(card_clocks((size_t)c->sms * 16), (const float *)data,
                                                (unsigned)(k * kib / 4), turn, rounds, sink);
            card_timed(c, &row, (unsigned)c->sms, 512);
        }
        cudaFree(data);
    }
}

/* Reads of parts of a set that each block has for itself, against the size of the set. */
static void measure_sets(card_t *c, unsigned *sink)
{
    const size_t mib = 1024 * 1024;
    const int full = c->threads_per_sm / BLOCK * BLOCK;

    for (size_t m = 4; m * mib <= 2 * c->l2_bytes && !c->quick; m *= 2) {
        const size_t sizes[2] = {m * mib, m * mib * 3 / 2};

        for (int i = 0; i < 2; i++)
            measure_chip(c, "bandwidth_by_set", (double)(sizes[i] / 1024), sizes[i], full, sink);
    }
}

void card_streams(card_t *c)
{
    unsigned *sink;
    const int full = c->threads_per_sm / BLOCK * BLOCK;

    card_check(cudaMalloc(&sink, sizeof(*sink)), "memory");
    measure_l1(c, sink);
    measure_chip(c, "bandwidth_l2", 0, c->l2_bytes / 2, full, sink);
    measure_chip(c, "bandwidth_dram", 0, 4 * c->l2_bytes, full, sink);
    for (int threads = 64; threads <= full && !c->quick; threads *= 2)
        measure_chip(c, "bandwidth_by_threads", threads, 4 * c->l2_bytes, threads, sink);
    measure_sets(c, sink);
    measure_same_set(c, false, (float *)sink);
    measure_same_set(c, true, (float *)sink);
    cudaFree(sink);
}
