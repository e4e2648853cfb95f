/* Latencies of memory: one thread follows pointers; bank conflicts of shared memory; atomics. */
#include "card_kit.h"

#include <cstdint>
#include <vector>

enum { LINE = 128, STEPS = 512 };

/* A load that may hit L1, which ld.volatile may not. */
static __device__ void **follow(void **p)
{
    void **next;

    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(p));
    return next;
}

/* warm: loads before the clock is read. Twice `steps` are so many that the loop does not count. */
static __global__ void chase(long long *clocks, void *ring, int warm, int steps, void **sink)
{
    void **p = (void **)ring;

#pragma unroll 16
    for (int i = 0; i < warm; i++)
        p = follow(p);
    const long long first = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++)
        p = follow(p);
    *sink = p;
    card_store(clocks, first, clock64());
}

/* Reads data and writes none of it, to fill the L2 with something else. */
static __global__ void read_all(const uint4 *data, size_t n, unsigned *sink)
{
    unsigned sum = 0;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint4 v = data[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678)
        *sink = sum;
}

/* A ring through all lines of a set in a random order; Sattolo's shuffle makes one cycle. */
static std::vector<uint64_t> random_ring(uint64_t base, size_t bytes)
{
    const size_t lines = bytes / LINE, words = LINE / sizeof(uint64_t);
    std::vector<uint32_t> order(lines);
    std::vector<uint64_t> ring(bytes / sizeof(uint64_t));
    uint64_t random = 88172645463325252ull;

    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const size_t k = random % i;
        const uint32_t keep = order[i];
        order[i] = order[k];
        order[k] = keep;
    }
    for (size_t i = 0; i < lines; i++)
        ring[i * words] = base + (uint64_t)order[i] * LINE;
    return ring;
}

/* Memory that the tests share. */
typedef struct {
    void *ring, *other; /* other: as large as two L2 */
    size_t other_bytes;
    unsigned *sink;
} memory_t;

static void set_ring(memory_t *m, size_t bytes)
{
    card_check(cudaMalloc(&m->ring, bytes), "memory for a ring");
    const std::vector<uint64_t> ring = random_ring((uint64_t)(uintptr_t)m->ring, bytes);
    card_check(cudaMemcpy(m->ring, ring.data(), bytes, cudaMemcpyHostToDevice), "a ring");
}

static void flush_l2(card_t *c, const memory_t *m)
{
    read_all<<<(unsigned)c->sms, 1024>>>((const uint4 *)m->other, m->other_bytes / sizeof(uint4),
                                         m->sink);
    card_untimed(c, "reading the L2 full");
}

/* A set that is read once before the clock starts, or, if it is larger than the L2, not at all. */
static void measure_set(card_t *c, memory_t *m, const char *test, double x, size_t bytes)
{
    const bool beyond = bytes > c->l2_bytes;
    const int warm = beyond ? 32 : (int)(bytes / LINE);

    if (!card_wants(c, test))
        return;
    set_ring(m, bytes);
    for (int i = 0; i < 2 * c->repeats; i++) {
        const int steps = i % 2 == 0 ? STEPS : 3 * STEPS;
        const card_row_t row = {test, KIND_SLOPE, "cycles", x, i / 2, (double)steps};

        if (beyond)
            flush_l2(c, m);
        chase<<<1, 1>>>(card_clocks(1), m->ring, warm, steps, (void **)m->sink);
        card_timed(c, &row, 1, 1);
    }
    cudaFree(m->ring);
}

/* --- shared memory, atomics ---------------------------------------------------------------- */

/* Lane k reads word k * ways; the address of each load depends on the load before. */
static __global__ void shared_chase(long long *clocks, int ways, int steps, unsigned *sink)
{
    __shared__ unsigned words[1024];
    unsigned at = threadIdx.x * (unsigned)ways % 1024;

    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        words[i] = (unsigned)__cvta_generic_to_shared(&words[i]);
    __syncthreads();
    at = words[at];
    const long long first = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    const long long last = clock64();
    card_store(clocks, first, last);
    if (at == 0xffffffff)
        *sink = at;
}

static void measure_shared(card_t *c, const memory_t *m, int ways)
{
    for (int i = 0; i < 2 * c->repeats && card_wants(c, "latency_shared"); i++) {
        const int steps = i % 2 == 0 ? STEPS : 3 * STEPS;
        const card_row_t row = {"latency_shared", KIND_SLOPE, "cycles", (double)ways, i / 2,
                                (double)steps};

        shared_chase<<<1, 32>>>(card_clocks(1), ways, steps, m->sink);
        card_timed(c, &row, 1, 32);
    }
}

/* Exchanges a pointer to itself with itself. */
static __global__ void atomic_chase(long long *clocks, unsigned long long *own, int steps,
                                    unsigned *sink)
{
    unsigned long long p = atomicExch(own, (unsigned long long)own);

    p = (unsigned long long)own;
    p = atomicExch((unsigned long long *)p, p);
    const long long first = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; i++)
        asm volatile("atom.global.exch.b64 %0, [%0], %0;" : "+l"(p));
    const long long last = clock64();
    card_store(clocks, first, last);
    if (p == 1)
        *sink = 1;
}

static void measure_atomic(card_t *c, const memory_t *m)
{
    for (int i = 0; i < 2 * c->repeats && card_wants(c, "latency_atomic"); i++) {
        const int steps = i % 2 == 0 ? STEPS : 3 * STEPS;
        const card_row_t row = {"latency_atomic", KIND_SLOPE, "cycles", 0, i / 2, (double)steps};

        atomic_chase<<<1, 1>>>(card_clocks(1), (unsigned long long *)m->other, steps, m->sink);
        card_timed(c, &row, 1, 1);
    }
}

/* --- all of them --------------------------------------------------------------------------- */

void card_memory(card_t *c)
{
    memory_t m = {};
    const size_t kib = 1024, mib = 1024 * kib;

    m.other_bytes = 2 * c->l2_bytes;
    card_check(cudaMalloc(&m.other, m.other_bytes), "memory");
    card_check(cudaMalloc(&m.sink, 64), "memory");
    measure_set(c, &m, "latency_l1", 0, 8 * kib);
    measure_set(c, &m, "latency_l2", 0, 1 * mib);
    measure_set(c, &m, "latency_dram", 0, 4 * c->l2_bytes);
    for (size_t k = 4; k * kib <= 4 * c->l2_bytes && !c->quick; k *= 2) {
        for (size_t size = k; size < 2 * k; size += k / 4) /* four sizes from one power of two to the next */
            measure_set(c, &m, "latency_by_set", (double)size, size * kib);
    }
    for (int ways = 1; ways <= 32; ways *= 2)
        measure_shared(c, &m, ways);
    measure_atomic(c, &m);
    cudaFree(m.other);
    cudaFree(m.sink);
}
