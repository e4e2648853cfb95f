/* Results per cycle and SM: many warps of one SM, each with independent chains. */
#include "card_kit.h"
#include "card_ops.h"

#include <mma.h>

enum { CHAINS = 4, THREADS = 1024 };

template <class Op, int N> static __global__ void rate(long long *clocks, unsigned *sink)
{
    long long first = 0, last = 0;
    Op op[CHAINS];

    card_time(N, &first, &last, [&] {
#pragma unroll
        for (int k = 0; k < 64; k++)
            op[k % CHAINS].step();
    });
    card_store(clocks, first, last);
    unsigned all = 0;
    for (int k = 0; k < CHAINS; k++)
        all += op[k].result();
    if (all == 0x12345678)
        *sink = 1;
}

template <class Op, int N>
static void launch(card_t *c, const char *test, int repeat, unsigned *sink)
{
    const card_row_t row = {test, KIND_RATE, "results per cycle and SM", 0, repeat,
                            64.0 * N * THREADS};

    rate<Op, N><<<1, THREADS>>>(card_clocks(THREADS / 32), sink);
    card_timed(c, &row, 1, THREADS);
}

template <class Op> static void measure(card_t *c, const char *test, unsigned *sink)
{
    for (int r = 0; r < c->repeats && card_wants(c, test); r++) {
        launch<Op, 4>(c, test, r, sink);
        launch<Op, 12>(c, test, r, sink);
    }
}

/* Products of 16 x 16 halves with sums of floats: 4096 multiplications and additions each. */
static __global__ void tensor(long long *clocks, float *sink, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> sum[2];
    long long first = 0, last = 0;

    /* Elements that the compiler does not know and that differ; of equal halves it would compute one. */
    for (int i = 0; i < a.num_elements; i++)
        a.x[i] = __ushort_as_half((unsigned short)(threadIdx.x + i));
    for (int i = 0; i < b.num_elements; i++)
        b.x[i] = __ushort_as_half((unsigned short)(threadIdx.x ^ i));
    for (int i = 0; i < sum[0].num_elements; i++)
        sum[0].x[i] = sum[1].x[i] = (float)(threadIdx.x * i);
    card_time(n, &first, &last, [&] {
#pragma unroll
        for (int k = 0; k < 8; k++)
            mma_sync(sum[k % 2], a, b, sum[k % 2]);
    });
    card_store(clocks, first, last);
    float all = 0; /* what no element needs is not computed */
    for (int i = 0; i < sum[0].num_elements; i++)
        all += sum[0].x[i] + sum[1].x[i];
    if (all == 0.5f)
        *sink = 1;
}

static void measure_tensor(card_t *c, void *sink)
{
    const char *test = "rate_hmma";
    const int threads = 512;

    for (int i = 0; i < 2 * c->repeats && card_wants(c, test); i++) {
        const int n = i % 2 == 0 ? 4 : 12;
        const card_row_t row = {test, KIND_RATE, "FMA per cycle and SM", 0, i / 2,
                                4096.0 * 8 * n * (threads / 32)};

        tensor<<<1, threads>>>(card_clocks((size_t)threads / 32), (float *)sink, n);
        card_timed(c, &row, 1, (unsigned)threads);
    }
}

void card_rates(card_t *c)
{
    unsigned *sink;

    card_check(cudaMalloc(&sink, sizeof(*sink)), "memory");
    measure<op_ffma>(c, "rate_ffma", sink);
    measure<op_lop>(c, "rate_lop", sink);
    measure<op_hfma2>(c, "rate_hfma2", sink);
    measure<op_dfma>(c, "rate_dfma", sink);
    measure<op_mufu>(c, "rate_mufu", sink);
    measure_tensor(c, sink);
    cudaFree(sink);
}
