/* rubato stats explain: what a statistic or a column is. */
#ifndef RUBATO_CLI_STATS_EXPLAIN_H
#define RUBATO_CLI_STATS_EXPLAIN_H

#include "sim/core/err.h"

/*
 * Prints to standard output what names stand for. A name is a path ("sm.warp_insts"), a path
 * without its group ("warp_insts"), the beginning of one ("sm.icache"), or a metric of Nsight
 * Compute. Without names: a line for each statistic. RB_USAGE for a name that is unknown.
 */
RB_CHECKED rb_code_t stats_explain(char *const *names, int n, rb_err_t *err);

#endif
