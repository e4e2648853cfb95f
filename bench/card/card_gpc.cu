/*
 * Which SMs form a GPC, and what they read and write together, on chips of compute capability 9.0 and
 * newer: the blocks of a cluster run in one GPC.
 */
#include "card_kit.h"

#include <vector>

#if CUDART_VERSION >= 11080

enum { LAUNCHES = 16, THREADS = 1024, ROUNDS = 9, PART = 256 * 1024 };

static __global__ void where(unsigned *sm_of_block)
{
    unsigned sm;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        sm_of_block[blockIdx.x] = sm;
}

/* Launches clusters of one block per SM and stores each block's SM; false if the card cannot. */
static bool launch_where(card_t *c, unsigned cluster, unsigned blocks, unsigned *sm_of_block)
{
    cudaLaunchConfig_t l = {};
    cudaLaunchAttribute a = {};
    const size_t shared = 128 * 1024; /* more than half of an SM's */

    l.gridDim = blocks;
    l.blockDim = 32;
    l.dynamicSmemBytes = shared;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = cluster;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    l.attrs = &a;
    l.numAttrs = 1;
    if (cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ||
        cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared) ||
        cudaLaunchKernelEx(&l, where, sm_of_block) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    card_untimed(c, "clusters");
    return true;
}

static int root(std::vector<int> &parent, int i)
{
    while (parent[(size_t)i] != i)
        i = parent[(size_t)i];
    return i;
}

/* Joins the SMs of each cluster of the launches. */
static void join(card_t *c, unsigned cluster, std::vector<int> &parent, unsigned *sm_of_block)
{
    const unsigned blocks = (unsigned)c->sms / cluster * cluster;
    std::vector<unsigned> sm(blocks);

    for (int n = 0; n < LAUNCHES && launch_where(c, cluster, blocks, sm_of_block); n++) {
        card_check(cudaMemcpy(sm.data(), sm_of_block, blocks * sizeof(unsigned),
                              cudaMemcpyDeviceToHost),
                   "clusters");
        for (unsigned b = 0; b < blocks; b++) {
            const int first = root(parent, (int)sm[b / cluster * cluster]);
            parent[(size_t)root(parent, (int)sm[b])] = first;
        }
    }
}

/*
 * SMs that were in a cluster together belong to one GPC. Large clusters join most of a GPC; small ones
 * reach the SMs that are left over.
 */
static std::vector<std::vector<int>> find_gpcs(card_t *c, unsigned *sm_of_block)
{
    std::vector<int> parent((size_t)c->sms);
    std::vector<std::vector<int>> gpcs;

    for (int i = 0; i < c->sms; i++)
        parent[(size_t)i] = i;
    for (unsigned cluster = 16; cluster >= 2; cluster /= 2)
        join(c, cluster, parent, sm_of_block);
    for (int i = 0; i < c->sms; i++) {
        if (root(parent, i) != i)
            continue;
        gpcs.push_back({});
        for (int k = 0; k < c->sms; k++)
            if (root(parent, k) == i)
                gpcs.back().push_back(k);
    }
    return gpcs;
}

/* The first block on each chosen SM reads or writes a part of its own, which the L2 holds. */
template <bool WRITE>
static __global__ void work(long long *clocks, uint4 *data, unsigned *slot_of_sm, unsigned *sink)
{
    __shared__ unsigned slot;
    unsigned sm, sum = 0;
    long long first = 0;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        slot = atomicExch(&slot_of_sm[sm], 0);
    __syncthreads();
    if (slot == 0)
        return;
    uint4 *part = data + (size_t)(slot - 1) * (PART / 16);
    for (int round = 0; round < ROUNDS; round++) {
        if (round == 1) {
            card_sync();
            first = clock64();
        }
#pragma unroll 8
        for (unsigned i = threadIdx.x; i < PART / 16; i += THREADS) {
            if (WRITE) {
                __stcg(&part[i], make_uint4(1, 2, 3, 4));
            } else {
                const uint4 v = __ldcg(&part[i]);
                sum ^= v.x ^ v.y ^ v.z ^ v.w;
            }
        }
    }
    if (WRITE)
        __threadfence();
    if (sum == 0x12345678)
        *sink = sum;
    const long long last = clock64();
    if (threadIdx.x % 32 == 0) {
        clocks[2 * ((slot - 1) * (THREADS / 32) + threadIdx.x / 32)] = first;
        clocks[2 * ((slot - 1) * (THREADS / 32) + threadIdx.x / 32) + 1] = last;
    }
}

/* Measures the SMs of the list together; x: their number. */
template <bool WRITE>
static void measure(card_t *c, const char *test, const std::vector<int> &sms, uint4 *data,
                    unsigned *slots, unsigned *sink)
{
    std::vector<unsigned> slot((size_t)c->sms);

    for (int r = 0; r < c->repeats; r++) {
        const card_row_t row = {test, KIND_CHIP, "bytes per cycle", (double)sms.size(), r,
                                (double)PART * (ROUNDS - 1) * (double)sms.size()};
        for (size_t i = 0; i < sms.size(); i++)
            slot[(size_t)sms[i]] = (unsigned)i + 1;
        card_check(cudaMemcpy(slots, slot.data(), slot.size() * sizeof(unsigned),
                              cudaMemcpyHostToDevice),
                   test);
        work<WRITE><<<(unsigned)c->sms, THREADS>>>(card_clocks(sms.size() * (THREADS / 32)), data,
                                                   slots, sink);
        card_timed(c, &row, (unsigned)sms.size(), THREADS);
    }
}

/* The first n SMs of every list. */
static std::vector<int> first_of(const std::vector<std::vector<int>> &lists, size_t n)
{
    std::vector<int> all;

    for (const std::vector<int> &l : lists)
        all.insert(all.end(), l.begin(), l.begin() + (long)(n < l.size() ? n : l.size()));
    return all;
}

void card_gpc(card_t *c)
{
    uint4 *data;
    unsigned *words;

    if (c->major < 9 || !card_wants(c, "gpc_"))
        return;
    card_check(cudaMalloc(&data, (size_t)c->sms * PART), "memory");
    card_check(cudaMalloc(&words, ((size_t)c->sms + 1) * sizeof(unsigned)), "memory");
    const std::vector<std::vector<int>> gpcs = find_gpcs(c, words);
    FILE *f = card_file(c, "gpcs.csv");
    fputs("sm,gpc\n", f);
    for (size_t g = 0; g < gpcs.size(); g++)
        for (int sm : gpcs[g])
            fprintf(f, "%d,%zu\n", sm, g);
    card_close(f, "gpcs.csv");
    unsigned *sink = words + c->sms;
    size_t most = 0;
    for (size_t g = 1; g < gpcs.size(); g++)
        most = gpcs[g].size() > gpcs[most].size() ? g : most;
    const std::vector<std::vector<int>> one(1, gpcs[most]);
    for (size_t n = 1; n <= gpcs[most].size(); n++)
        measure<false>(c, "gpc_read", first_of(one, n), data, words, sink);
    for (size_t n = 1; n <= gpcs[most].size(); n++)
        measure<true>(c, "gpc_write", first_of(one, n), data, words, sink);
    for (size_t n = 1; n <= gpcs[most].size(); n++)
        measure<false>(c, "gpc_all_read", first_of(gpcs, n), data, words, sink);
    for (size_t n = 1; n <= gpcs[most].size(); n++)
        measure<true>(c, "gpc_all_write", first_of(gpcs, n), data, words, sink);
    cudaFree(data);
    cudaFree(words);
}

#else

void card_gpc(card_t *c)
{
    (void)c;
}

#endif
