/*
 * Issue with counts per instruction: the files of hot.h once more. So a run without these counts does
 * not pay for them.
 */
#define PROFILED(sm)     true
#define issue_step       issue_step_profiled
#define issue_warp       issue_warp_profiled
#define issue_controlled issue_controlled_profiled
#define run_ahead        run_ahead_profiled

/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "sim/sm/subcore/issue.c"
#include "sim/sm/subcore/issue_warp.c"
#include "sim/sm/subcore/run_ahead.c"
/* NOLINTEND(bugprone-suspicious-include) */
