/* Matrix products by type on chips of compute capability 8.0 and newer: latencies and rates. */
#include "card_kit.h"

/* d = a * b + d of one warp. */
#define ABD4 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#define D4   "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define A4   "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define B2   "r"(b[0]), "r"(b[1])

template <int KIND> static __device__ void product(unsigned *d, const unsigned *a, const unsigned *b)
{
#if __CUDA_ARCH__ >= 800
    if (KIND == 0)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " ABD4 : D4 : A4, B2);
    else if (KIND == 1)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                     "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : A4, B2);
    else if (KIND == 2)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " ABD4 : D4 : A4, B2);
    else if (KIND == 3)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " ABD4 : D4 : A4, B2);
    else if (KIND == 4)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " ABD4 : D4 : A4, B2);
    else if (KIND == 5)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                     : D4
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    else {
        double *x = (double *)d;
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                     : "+d"(x[0]), "+d"(x[1])
                     : "d"(((const double *)a)[0]), "d"(((const double *)b)[0]));
    }
#endif
}

static const struct {
    const char *latency, *rate;
    double fma; /* multiplications and additions of a warp's product */
} kinds[] = {
    {"latency_mma_f16", "rate_mma_f16", 16 * 8 * 16},
    {"latency_mma_f16_sum16", "rate_mma_f16_sum16", 16 * 8 * 16},
    {"latency_mma_bf16", "rate_mma_bf16", 16 * 8 * 16},
    {"latency_mma_tf32", "rate_mma_tf32", 16 * 8 * 8},
    {"latency_mma_s8", "rate_mma_s8", 16 * 8 * 32},
    {"latency_mma_f16_k8", "rate_mma_f16_k8", 16 * 8 * 8},
    {"latency_mma_f64", "rate_mma_f64", 8 * 8 * 4},
};

/* Chains of n products each; the first round brings the code into the caches. */
template <int KIND, int CHAINS>
static __global__ void chains(long long *clocks, unsigned *sink, int n)
{
    __align__(8) unsigned d[CHAINS][4], a[4], b[4];
    long long first = 0, last = 0;
    unsigned all = 0;

    for (int i = 0; i < 4; i++) {
        a[i] = threadIdx.x + i; /* small numbers of every type */
        b[i] = threadIdx.x ^ i;
        for (int k = 0; k < CHAINS; k++)
            d[k][i] = threadIdx.x * k;
    }
    card_time(n, &first, &last, [&] {
#pragma unroll
        for (int k = 0; k < 16; k++)
            product<KIND>(d[k % CHAINS], a, b);
    });
    card_store(clocks, first, last);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < CHAINS; k++)
            all += d[k][i];
    if (all == 0x12345678)
        *sink = 1;
}

template <int KIND> static void measure(card_t *c, unsigned *sink)
{
    enum { THREADS = 512, CHAINS = 2, STEP = 16 };

    for (int i = 0; i < 2 * c->repeats; i++) {
        const int n = i % 2 == 0 ? 4 : 12;
        const card_row_t latency = {kinds[KIND].latency, KIND_SLOPE, "cycles", 0, i / 2,
                                    (double)(STEP * n)};

        if (!card_wants(c, latency.test))
            continue;
        chains<KIND, 1><<<1, 32>>>(card_clocks(1), sink, n);
        card_timed(c, &latency, 1, 32);
    }
    for (int i = 0; i < 2 * c->repeats; i++) {
        const int n = i % 2 == 0 ? 4 : 12;
        const card_row_t rate = {kinds[KIND].rate, KIND_RATE, "FMA per cycle and SM", 0, i / 2,
                                 kinds[KIND].fma * STEP * n * (THREADS / 32)};

        if (!card_wants(c, rate.test))
            continue;
        chains<KIND, CHAINS><<<1, THREADS>>>(card_clocks(THREADS / 32), sink, n);
        card_timed(c, &rate, 1, THREADS);
    }
}

void card_matrix(card_t *c)
{
    unsigned *sink;

    if (c->major < 8)
        return;
    card_check(cudaMalloc(&sink, sizeof(*sink)), "memory");
    measure<0>(c, sink);
    measure<1>(c, sink);
    measure<2>(c, sink);
    measure<3>(c, sink);
    measure<4>(c, sink);
    measure<5>(c, sink);
    measure<6>(c, sink);
    cudaFree(sink);
}
