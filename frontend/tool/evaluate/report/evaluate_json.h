/* Writes the members of evaluation.json for scored runs and sets. */
#ifndef RUBATO_EVALUATE_EVALUATE_JSON_H
#define RUBATO_EVALUATE_EVALUATE_JSON_H

#include "frontend/tool/evaluate/score/evaluated_run.h"
#include "sim/core/files/json_write.h"

/* Writes the errors, shares, speed-ups and metrics of a run into its open object. */
void evaluate_json_score(json_t *j, const evaluated_run_t *run);

/* Writes an object for a launch l that was simulated at least in part, with the values of the full
 * run. */
void evaluate_json_launch(json_t *j, const evaluated_run_t *run, const run_launch_t *full,
                          const run_launch_t *l);

/* Writes an object for a set of samplers over its seeds. */
void evaluate_json_set(json_t *j, const evaluated_set_t *set);

#endif
