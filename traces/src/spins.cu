/* Warps that wait for what others write, on the emulator and in the model: for a flag of another block,
 * a lock, a flag in shared memory; with sleeps between the polls. */

/* Block `from` works for a while and then sets the flag that the others wait for. */
extern "C" __global__ void flag(volatile int *set, const int *in, int *out, int from, int work)
{
    if (blockIdx.x == from) {
        int sum = 0;
        for (int i = 0; i < work; i++)
            sum = sum * 3 + in[(unsigned)(sum + i) % 256];
        out[blockIdx.x] = sum;
        __threadfence();
        *set = 1;
    } else {
        while (*set == 0)
            continue;
        out[blockIdx.x] = 1;
    }
}

/* The same; the flag is set by a plain store behind a fence. */
extern "C" __global__ void plain(int *set, const int *in, int *out, int from, int work)
{
    if (blockIdx.x == from) {
        int sum = 0;
        for (int i = 0; i < work; i++)
            sum = sum * 3 + in[(unsigned)(sum + i) % 256];
        out[blockIdx.x] = sum;
        __threadfence();
        *set = 1;
    } else {
        while (*(volatile int *)set == 0)
            continue;
        out[blockIdx.x] = 1;
    }
}

/* The same; those that wait sleep longer and longer. */
extern "C" __global__ void sleepy(volatile int *set, const int *in, int *out, int from, int work)
{
    unsigned ns = 8;
    if (blockIdx.x == from) {
        int sum = 0;
        for (int i = 0; i < work; i++)
            sum = sum * 3 + in[(unsigned)(sum + i) % 256];
        out[blockIdx.x] = sum;
        __threadfence();
        *set = 1;
        return;
    }
    while (*set == 0) {
        __nanosleep(ns);
        ns = ns < 256 ? 2 * ns : ns;
    }
    out[blockIdx.x] = 1;
}

/* Each block adds to a number that only the holder of the lock may touch. */
extern "C" __global__ void lock(int *held, volatile int *number, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        while (atomicCAS(held, 0, 1) != 0)
            continue;
        __threadfence();
        *number = *number + 1;
        __threadfence();
        atomicExch(held, 0);
    }
}

/* Warp `from` works for a while; the others of its block wait for it. */
extern "C" __global__ void warps(const int *in, int *out, int from, int work)
{
    __shared__ volatile int done;
    if (threadIdx.x == 0)
        done = 0;
    __syncthreads();
    if (threadIdx.x / 32 == from) {
        int sum = 0;
        for (int i = 0; i < work; i++)
            sum = sum * 3 + in[(unsigned)(sum + i) % 256];
        out[0] = sum;
        done = 1;
    } else {
        while (done == 0)
            continue;
    }
}

/* As flag(), but the block takes the word with a compare-and-swap, which others see as its write. */
extern "C" __global__ void taken(int *set, const int *in, int *out, int from, int work)
{
    if (blockIdx.x == from) {
        int sum = 0;
        for (int i = 0; i < work; i++)
            sum = sum * 3 + in[(unsigned)(sum + i) % 256];
        out[blockIdx.x] = sum;
        __threadfence();
        if (threadIdx.x == 0)
            while (atomicCAS(set, 0, 1) != 0)
                continue;
    } else {
        while (*(volatile int *)set == 0)
            continue;
        out[blockIdx.x] = 1;
    }
}

/* Blocks take turns, as the parts of a product of cuBLAS that add to one result: the test of the loop stands before its read. */
extern "C" __global__ void turns(int *turn, volatile int *number)
{
    asm volatile("{\n"
                 ".reg .pred other;\n"
                 ".reg .b32 seen;\n"
                 "mov.b32 seen, 0;\n"
                 "again: setp.ne.s32 other, seen, %1;\n"
                 "@other ld.volatile.global.b32 seen, [%0];\n"
                 "@other bra again;\n"
                 "}" ::"l"(turn), "r"(blockIdx.x) : "memory");
    *number = *number * 3 + blockIdx.x;
    __threadfence();
    *(volatile int *)turn = blockIdx.x + 1;
}

/* Reads the same place n times, unless it holds what it never does: no wait. */
extern "C" __global__ void rereads(volatile int *place, int n, int never, int *out)
{
    int i = 0;
    while (i < n && *place != never)
        i++;
    out[0] = i;
}
