/* Streams of reads and writes through the whole chip against the threads on an SM. */
#include "card_kit.h"

/* Bytes of an element of each array; arrays that a kind of stream reads and writes. */
enum { ELEMENT = 8, BLOCK = 512 };
typedef enum { READ, WRITE, SCALE, TRIAD, KINDS } kind_t;
static const char *const tests[KINDS] = {"stream_read", "stream_write", "stream_scale",
                                         "stream_triad"};
static const int arrays[KINDS] = {1, 1, 2, 3};

/* One element a thread and round; a thread waits for its loads before it goes on. */
template <kind_t KIND>
static __global__ void stream(long long *clocks, double *a, const double *b, const double *c,
                              size_t n, double *sink)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    double sum = 0;
    const long long first = clock64();

#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        if (KIND == READ)
            sum += __ldcg(&b[i]);
        else if (KIND == WRITE)
            a[i] = 1.5;
        else if (KIND == SCALE)
            a[i] = 1.5 * __ldcg(&b[i]);
        else
            a[i] = __ldcg(&b[i]) + 1.5 * __ldcg(&c[i]);
    }
    if (sum == 0.12345)
        *sink = sum;
    card_store(clocks, first, clock64());
}

template <kind_t KIND> static void measure(card_t *c, double *const data[3], size_t bytes)
{
    const size_t n = bytes / ELEMENT / (size_t)arrays[KIND];

    for (int per_sm = 128; per_sm <= c->threads_per_sm && card_wants(c, tests[KIND]);
         per_sm *= 2) {
        const int threads = per_sm < BLOCK ? per_sm : BLOCK;
        const unsigned blocks = (unsigned)(c->sms * (per_sm / threads));

        for (int r = 0; r < c->repeats; r++) {
            const card_row_t row = {tests[KIND], KIND_CHIP, "bytes per cycle", (double)per_sm, r,
                                    (double)(n * ELEMENT) * arrays[KIND]};
            long long *clocks = card_clocks((size_t)blocks * (size_t)threads / 32);

            stream<KIND><<<blocks, (unsigned)threads>>>(clocks, data[0], data[1], data[2], n,
                                                        data[0]);
            card_timed(c, &row, blocks, (unsigned)threads);
        }
    }
}

void card_mix(card_t *c)
{
    const size_t bytes = 4 * c->l2_bytes; /* all arrays of a stream together */
    double *data[3];

    if (c->quick || !card_wants(c, "stream_"))
        return;
    for (int i = 0; i < 3; i++) {
        card_check(cudaMalloc(&data[i], bytes), "memory");
        card_check(cudaMemset(data[i], 0, bytes), "memory");
    }
    measure<READ>(c, data, bytes);
    measure<WRITE>(c, data, bytes);
    measure<SCALE>(c, data, bytes);
    measure<TRIAD>(c, data, bytes);
    for (int i = 0; i < 3; i++)
        cudaFree(data[i]);
}
