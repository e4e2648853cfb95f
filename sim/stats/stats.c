#include "sim/stats/stats.h"

void stats_add(uint64_t *sum, const uint64_t *part, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += part[i];
}

void stats_sub(uint64_t *out, const uint64_t *now, const uint64_t *before, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = now[i] - before[i];
}

double stats_ratio(uint64_t a, uint64_t b)
{
    return b == 0 ? 0.0 : (double)a / (double)b;
}
