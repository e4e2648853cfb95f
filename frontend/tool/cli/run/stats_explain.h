/* rubato stats explain: explains statistics and columns. */
#ifndef RUBATO_CLI_STATS_EXPLAIN_H
#define RUBATO_CLI_STATS_EXPLAIN_H

#include "sim/core/err.h"

/*
 * Prints the explanation of names to standard output. A name is a path ("sm.warp_insts"), a path
 * without its group ("warp_insts"), the start of one ("sm.icache"), or a metric of Nsight Compute.
 * Without names: one line per statistic. RB_USAGE for an unknown name.
 */
RB_CHECKED rb_code_t stats_explain(char *const *names, int n, rb_err_t *err);

#endif
