/* The statistics of an estimated run that its page shows with their intervals. */
#ifndef RUBATO_REPORT_PAGE_ESTIMATES_H
#define RUBATO_REPORT_PAGE_ESTIMATES_H

#include "frontend/tool/report/run_data.h"

/* X(name on the page, path in the totals of run.json). */
#define PAGE_ESTIMATES(X)                                                                          \
    X("cycles", "cycles")                                                                          \
    X("IPC", "metrics.ipc")                                                                        \
    X("occupancy", "metrics.achieved_occupancy")                                                   \
    X("issue slots used", "metrics.issue_utilization")                                             \
    X("L1 hits, global loads", "metrics.global_load_hit_rate")                                     \
    X("L2 hits", "metrics.l2_hit_rate")                                                            \
    X("DRAM bytes", "dram_bytes")                                                                  \
    X("DRAM bandwidth, of its peak", "metrics.dram_utilization")                                   \
    X("selected", "metrics.state_selected_share")                                                  \
    X("not_selected", "metrics.state_not_selected_share")                                          \
    X("long_scoreboard", "metrics.state_long_scoreboard_share")                                    \
    X("short_scoreboard", "metrics.state_short_scoreboard_share")                                  \
    X("wait", "metrics.state_wait_share")                                                          \
    X("barrier", "metrics.state_barrier_share")                                                    \
    X("lg_throttle", "metrics.state_lg_throttle_share")                                            \
    X("mio_throttle", "metrics.state_mio_throttle_share")                                          \
    X("math_pipe_throttle", "metrics.state_math_pipe_throttle_share")

/* The paths of their values that the section of a run does not read for itself, and those of the
 * ends of their intervals; each followed by a comma. */
#define PAGE_ESTIMATE_VALUES                                                                       \
    "dram_bytes", "metrics.state_selected_share", "metrics.state_not_selected_share",              \
        "metrics.state_long_scoreboard_share", "metrics.state_short_scoreboard_share",             \
        "metrics.state_wait_share", "metrics.state_barrier_share",                                 \
        "metrics.state_lg_throttle_share", "metrics.state_mio_throttle_share",                     \
        "metrics.state_math_pipe_throttle_share",
#define PAGE_ESTIMATE_ENDS_(name, path) "interval." path ".low", "interval." path ".high",
#define PAGE_ESTIMATE_PATHS             PAGE_ESTIMATE_VALUES PAGE_ESTIMATES(PAGE_ESTIMATE_ENDS_)

/* Writes the member "estimates" and a comma: name, value and ends of those with an interval. */
void page_estimates(FILE *out, const run_data_t *d);

#endif
