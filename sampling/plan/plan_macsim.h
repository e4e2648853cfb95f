/*
 * A plan in the format that MacSim's tracer reads (sampled_kernels_info.txt): two lines of free
 * text, then one line per cluster, "size draws id id ...", with repeated ids for repeated draws, up
 * to an empty line or the end. Its ids count from 0, those of a plan from 1.
 */
#ifndef RUBATO_PLAN_MACSIM_H
#define RUBATO_PLAN_MACSIM_H

#include <stdio.h>

#include "sampling/plan/plan.h"
#include "sim/core/err.h"

/* name: of the file, for messages. The number of launches is the sum of the sizes. */
rb_code_t plan_read_macsim(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;

/* RB_USAGE for weights other than size / draws, which the format cannot store. */
rb_code_t plan_write_macsim(const plan_t *plan, FILE *out, rb_err_t *err) RB_CHECKED;

#endif
