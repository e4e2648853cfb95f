/*
 * The kit that measures a card: what its files share. The kit writes raw clock values;
 * card_tables.c computes tables from them (docs/card.md).
 *
 * Each kernel reads the clock before and after what it times, in each warp, and stores both values
 * with card_store(). A kernel with two rounds has read the clock in a first round too, which
 * brings its code into the caches. Only the last two reads of a warp count.
 */
#ifndef RUBATO_CARD_KIT_H
#define RUBATO_CARD_KIT_H

#include <cstdio>
#include <cuda_runtime.h>

/* How card_tables computes the value of a test. */
#define KIND_SLOPE "slope" /* cycles per unit: two launches of one warp with different amounts */
#define KIND_RATE  "rate"  /* units per cycle: two launches of one block with different amounts */
#define KIND_CHIP  "chip"  /* units per cycle of all blocks together: one launch */
/* Cycles from a block to the next: each SM runs one block of the first half, then one of the second. */
#define KIND_TURN "turn"

typedef struct {
    FILE *launches, *clocks;   /* owned; the files written */
    unsigned long long launch; /* number of launches so far; traces count them alike */
    int repeats;
    bool quick;
    const char *folder; /* where the tables go */
    const char *only;   /* beginning of the names of tests to run; NULL: all */
    int sms, threads_per_sm, threads_per_block;
    size_t l2_bytes;
    int major, minor; /* compute capability */
} card_t;

/* What a launch measures. */
typedef struct {
    const char *test, *kind, *unit;
    double x; /* the point of a curve; 0: a single value */
    int repeat;
    double amount; /* units that the launch times */
} card_row_t;

/* Ends the program with a message if a call has failed. */
void card_check(cudaError_t code, const char *what);

/* Whether the test was asked for. */
bool card_wants(const card_t *c, const char *test);

/* Memory for the clocks of a launch of that many warps; valid until the next call. */
long long *card_clocks(size_t warps);

/* Counts a launch that is not timed. */
void card_untimed(card_t *c, const char *what);

/* Waits for the launch just made and writes its rows. */
void card_timed(card_t *c, const card_row_t *row, unsigned blocks, unsigned threads);

/* A file in the folder of the tables, for card_close(); both end the program with a message if that fails. */
FILE *card_file(const card_t *c, const char *name);
void card_close(FILE *f, const char *name);

/* The tests of each file. */
void card_chains(card_t *c);
void card_rates(card_t *c);
void card_memory(card_t *c);
void card_streams(card_t *c);
void card_mix(card_t *c);
void card_matrix(card_t *c);
void card_gpc(card_t *c);
void card_blocks(card_t *c);
void card_shared(card_t *c);

#ifdef __CUDACC__
/*
 * A barrier after which the clock can be read. After __syncthreads() a GPU reads the clock before the
 * other warps have arrived (BAR.SYNC.DEFER_BLOCKING, seen on an H200); here it needs the result.
 */
__device__ inline void card_sync(void)
{
    if (__syncthreads_count(1) == 0)
        __trap();
}

/* Reads the clock before and after n steps. A first round brings the code into the caches. */
template <class Step>
__device__ inline void card_time(int n, long long *first, long long *last, Step step)
{
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        card_sync();
        *first = clock64();
#pragma unroll 1
        for (int i = 0; i < n; i++)
            step();
        *last = clock64();
    }
}

__device__ inline void card_store(long long *clocks, long long first, long long last)
{
    unsigned warps = (blockDim.x + 31) / 32;
    unsigned warp = blockIdx.x * warps + threadIdx.x / 32;

    if (threadIdx.x % 32 == 0) {
        clocks[2 * warp] = first;
        clocks[2 * warp + 1] = last;
    }
}
#endif

#endif
