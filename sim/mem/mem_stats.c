#include "sim/mem/mem_stats.h"

const stat_def_t l2_stat_defs[] = {STATS_ROWS(L2_STATS)};
const stat_def_t dram_stat_defs[] = {STATS_ROWS(DRAM_STATS)};
