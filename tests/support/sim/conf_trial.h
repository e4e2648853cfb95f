/*
 * Passes one hostile input through everything that reads configurations; used by the fuzz target
 * and by the replay of its corpus.
 */
#ifndef RUBATO_TESTS_CONF_TRIAL_H
#define RUBATO_TESTS_CONF_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Reads n bytes as a configuration of a GPU. Panics unless it is refused with a message, or gives a
 * spec whose resolved file reads back as the same values.
 */
rb_code_t conf_trial(const void *text, size_t n);

#endif
