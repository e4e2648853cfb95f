/* Members of evaluation.json about a run that was scored. */
#ifndef RUBATO_EVALUATE_EVALUATE_JSON_H
#define RUBATO_EVALUATE_EVALUATE_JSON_H

#include "frontend/tool/evaluate/evaluate_report.h"

/* Members of the open object of a run: its errors, shares, speed-ups and metrics. */
void evaluate_json_score(json_t *j, const evaluated_run_t *run);

/* An object of a launch l that was simulated, at least in part, beside the same of the full run. */
void evaluate_json_launch(json_t *j, const evaluated_run_t *run, const run_launch_t *full,
                          const run_launch_t *l);

#endif
