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
 * Unknown numbers are null. Unknown members are ignored; launches are ids from 1.
 */
#ifndef RUBATO_PLAN_JSON_H
#define RUBATO_PLAN_JSON_H

#include <stdio.h>

#include "sampling/plan/plan.h"
#include "sim/core/err.h"

/* Does not report write errors: check ferror(out). */
void plan_write_json(const plan_t *plan, FILE *out);

/* Reads a plan and checks it: no launch twice, weights positive and finite, clusters together not
 * larger than the program. The caller must check ids and names against its trace, because ids need
 * not be dense. name: of the file, for messages. */
rb_code_t plan_read_json(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;

#endif
