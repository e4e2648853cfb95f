#include "sim/sm/sm_stats.h"

const stat_def_t sm_stat_defs[] = {STATS_ROWS(SM_STATS)};
