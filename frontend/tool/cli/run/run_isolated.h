/* rubato run --isolated: each launch on a chip of its own, several at the same time. */
#ifndef RUBATO_CLI_RUN_ISOLATED_H
#define RUBATO_CLI_RUN_ISOLATED_H

#include "frontend/tool/cli/run/run_command.h"
#include "frontend/tool/run/run_parts.h"

/* Launches that are simulated at the same time, each by a process of one thread. */
uint64_t run_isolated_processes(const run_t *run);

/* Simulates the launches of the plan. take: receives those of other processes. */
RB_CHECKED rb_code_t run_isolated(run_t *run, const run_plan_t *plan,
                                  const gpu_callbacks_t *callbacks, const run_parts_taker_t *take,
                                  rb_err_t *err);

#endif
