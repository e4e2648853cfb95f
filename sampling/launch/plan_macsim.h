/*
 * A plan as the tracer of MacSim reads it (sampled_kernels_info.txt): two lines of free text, then
 * one line per cluster, "size draws id id ...", ids repeated when drawn more than once, up to an
 * empty line or the end. Its ids count from 0, ours from 1.
 */
#ifndef RUBATO_PLAN_MACSIM_H
#define RUBATO_PLAN_MACSIM_H

#include <stdio.h>

#include "sampling/launch/plan.h"
#include "sim/core/err.h"

/* name: of the file, for messages. The program's number of launches is the sum of the sizes. */
rb_code_t plan_read_macsim(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;

/* Weights other than size over draws have no place in the file and are refused. */
rb_code_t plan_write_macsim(const plan_t *plan, FILE *out, rb_err_t *err) RB_CHECKED;

#endif
