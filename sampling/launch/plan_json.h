/*
 * A plan as JSON:
 *
 *   {"schema": "rubato-plan-1", "method": "stem:epsilon=0.05,...", "seed": 1, "launches": 1000,
 *    "sampling": "random" | "random with replacement" | "chosen",
 *    "profile": {"unit": "ns" | "cycles", "total": ..., "predicted_total": ...,
 *                "predicted_speedup": ..., "error_bound": ..., "confidence": ...},
 *    "warnings": ["..."],
 *    "clusters": [{"name": "kernel", "size": 500, "mean": ..., "sd": ...,
 *                  "samples": [[launch, weight], [launch, weight, draws]]}]}
 *
 * Numbers that are not known are null. Unknown members are ignored; launches are ids from 1.
 */
#ifndef RUBATO_PLAN_JSON_H
#define RUBATO_PLAN_JSON_H

#include <stdio.h>

#include "sampling/launch/plan.h"
#include "sim/core/err.h"

/* Whether all of it reached the file is the file's: check ferror(). */
void plan_write_json(const plan_t *plan, FILE *out);

/*
 * Reads a plan and checks it: no launch twice, weights positive and finite, clusters together no
 * larger than the program. That ids and names are those of the trace is for whoever has the trace
 * to check: ids need not be dense. name: of the file, for messages.
 */
rb_code_t plan_read_json(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;

#endif
