#include "sim/gpu/gpu_internal.h"

#include <string.h>

void gpu_count(gpu_t *g, cycle_t cycle, gpu_counters_t *out)
{
    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < g->n_sms; i++) {
        sm_charge(g->sm[i], cycle);
        stats_add((uint64_t *)&out->sm, (const uint64_t *)sm_stats(g->sm[i]), SM_STAT_COUNT);
    }
    for (uint32_t i = 0; i < g->n_partitions; i++) {
        l2_stats_t l2 = {0};
        dram_stats_t dram = {0};
        partition_stats(g->partition[i], &l2, &dram);
        stats_add((uint64_t *)&out->l2, (const uint64_t *)&l2, L2_STAT_COUNT);
        stats_add((uint64_t *)&out->dram, (const uint64_t *)&dram, DRAM_STAT_COUNT);
    }
}

void gpu_counters_between(gpu_counters_t *out, const gpu_counters_t *now,
                          const gpu_counters_t *before)
{
    stats_sub((uint64_t *)out, (const uint64_t *)now, (const uint64_t *)before, GPU_COUNTERS);
}

uint64_t gpu_warp_insts(const gpu_t *g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->n_sms; i++)
        n += sm_warp_insts(g->sm[i]);
    return n;
}
