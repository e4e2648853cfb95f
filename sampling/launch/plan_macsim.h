/*
 * Plans of others as files: what the tracer of MacSim reads (sampled_kernels_info.txt) and the
 * list of the STEM artifact, as text.
 *
 * MacSim: two lines of free text, then one line per cluster, "size draws id id ...", ids repeated
 * when drawn more than once, up to an empty line or the end. Its ids count from 0, ours from 1.
 *
 * List: one line per sampled launch, "id weight" or "id,weight" (in brackets or not: the print of
 * the artifact's pickled list of pairs reads as well as one pair a line).
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

/* Each launch is a cluster of its own, of its weight rounded: a list does not say more. */
rb_code_t plan_read_list(plan_t *plan, FILE *in, const char *name, rb_err_t *err) RB_CHECKED;
void plan_write_list(const plan_t *plan, FILE *out);

#endif
