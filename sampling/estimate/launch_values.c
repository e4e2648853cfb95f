#include "sampling/estimate/launch_values.h"

static const size_t counters_of_sm = 0, counters_of_l2 = SM_STAT_COUNT,
                    counters_of_dram = (size_t)SM_STAT_COUNT + (size_t)L2_STAT_COUNT;

static void add_counters(double *sum, const uint64_t *part, size_t n, double weight)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += weight * (double)part[i];
}

void launch_values_add(double sum[STAT_VALUES], const launch_result_t *r, double weight)
{
    double *counters = sum + VALUE_COUNTERS;
    sum[VALUE_CYCLES] += weight * (double)launch_result_cycles(r);
    sum[VALUE_LAUNCH_CYCLES] += weight * (double)r->launch_cycles;
    sum[VALUE_BLOCKS] += weight * (double)r->blocks;
    sum[VALUE_WARP_INSTS] += weight * (double)r->warp_insts;
    sum[VALUE_THREAD_INSTS] += weight * (double)r->thread_insts;
    sum[VALUE_COPIED_BYTES] += weight * (double)r->copied_bytes;
    add_counters(counters + counters_of_sm, (const uint64_t *)&r->sm, SM_STAT_COUNT, weight);
    add_counters(counters + counters_of_l2, (const uint64_t *)&r->l2, L2_STAT_COUNT, weight);
    add_counters(counters + counters_of_dram, (const uint64_t *)&r->dram, DRAM_STAT_COUNT, weight);
}

double form_value(const linear_form_t *f, const double values[STAT_VALUES])
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->term[i].coefficient * values[f->term[i].value];
    return sum;
}
