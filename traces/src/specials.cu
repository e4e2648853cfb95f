/* What a kernel learns about the GPU, its launch and its own memory; sums that saturate. */

#define READ(name, to) asm volatile("mov.u32 %0, %%" name ";" : "=r"(to))

struct words {
    int v[16];
};

__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

/* Eight numbers for each warp of each block. */
extern "C" __global__ void specials(unsigned *out)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[8];
    unsigned sm, sms, warp, total, extra;
    unsigned long long grid;

    fixed[threadIdx.x & 7] = dynamic[threadIdx.x & 7] = 0;
    READ("smid", sm);
    READ("nsmid", sms);
    READ("warpid", warp);
    READ("total_smem_size", total);
    READ("dynamic_smem_size", extra);
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
    if (threadIdx.x % 32 == 0) {
        unsigned *o = out + 8 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
        o[0] = sm;
        o[1] = sms;
        o[2] = warp;
        o[3] = total;
        o[4] = extra;
        o[5] = (unsigned)grid;
    }
}

/* Sums and differences that do not leave the range of int. */
extern "C" __global__ void saturate(const int *a, const int *b, int *sum, int *difference)
{
    const int i = threadIdx.x;

    asm("add.sat.s32 %0, %1, %2;" : "=r"(sum[i]) : "r"(a[i]), "r"(b[i]));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(difference[i]) : "r"(a[i]), "r"(b[i]));
}

__device__ __noinline__ int word_at(const int *p, int i)
{
    return p[i];
}

/* Parameters and constants by their addresses. */
extern "C" __global__ void by_address(const __grid_constant__ words w, int *out)
{
    unsigned long long constants;

    asm("{ .reg .u64 t; mov.u64 t, table; cvta.const.u64 %0, t; }" : "=l"(constants));
    out[threadIdx.x] =
        word_at(w.v, threadIdx.x) + 100 * word_at((const int *)constants, threadIdx.x);
}
