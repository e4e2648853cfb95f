/*
 * Passes one hostile input through everything that reads plans; used by the fuzz target and by the
 * replay of its corpus.
 */
#ifndef RUBATO_TESTS_PLAN_TRIAL_H
#define RUBATO_TESTS_PLAN_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Reads n bytes as a plan of any format. Panics unless they are refused with a message, or give a
 * consistent plan whose JSON reads back as the same plan.
 */
rb_code_t plan_trial(const void *data, size_t n);

#endif
