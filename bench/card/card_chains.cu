/* Latencies of instructions: chains of dependent instructions in one warp. */
#include "card_kit.h"
#include "card_ops.h"

template <class Op, int N> static __global__ void chain(long long *clocks, unsigned *sink)
{
    long long first = 0, last = 0;
    Op op;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        first = clock64();
#pragma unroll
        for (int i = 0; i < N; i++)
            op.step();
        last = clock64();
    }
    card_store(clocks, first, last);
    if (op.result() == 0x12345678)
        *sink = 1;
}

template <class Op, int N>
static void launch(card_t *c, const char *test, int repeat, unsigned *sink)
{
    const card_row_t row = {test, KIND_SLOPE, "cycles", 0, repeat, N};

    chain<Op, N><<<1, 32>>>(card_clocks(1), sink);
    card_timed(c, &row, 1, 32);
}

template <class Op> static void measure(card_t *c, const char *test, unsigned *sink)
{
    for (int r = 0; r < c->repeats && card_wants(c, test); r++) {
        launch<Op, 64>(c, test, r, sink);
        launch<Op, 192>(c, test, r, sink);
    }
}

void card_chains(card_t *c)
{
    unsigned *sink;

    card_check(cudaMalloc(&sink, sizeof(*sink)), "memory");
    measure<op_ffma>(c, "latency_ffma", sink);
    measure<op_lop>(c, "latency_lop", sink);
    measure<op_imad>(c, "latency_imad", sink);
    measure<op_hfma2>(c, "latency_hfma2", sink);
    measure<op_dadd>(c, "latency_dadd", sink);
    measure<op_dfma>(c, "latency_dfma", sink);
    measure<op_mufu>(c, "latency_mufu", sink);
    measure<op_popc>(c, "latency_popc", sink);
    measure<op_shfl>(c, "latency_shfl", sink);
    measure<op_barrier>(c, "latency_barrier", sink);
    cudaFree(sink);
}
