/* Tries damaged data between a recorded program and rubato, for the fuzz target. */
#ifndef RUBATO_TESTS_PIPE_TRIAL_H
#define RUBATO_TESTS_PIPE_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * The first line of data[0 .. n) says what the rest is:
 *   pipe     edits (edits.h) of the launches that a program sends; each message is a part that
 *            begins with a header of 16 bytes
 *   device   the text that describes the GPU to the program
 *   plan     the file that lists the launches that the program records
 * Reads it like the receiver. Panics unless it is refused with a message or the result keeps the
 * reader's guarantees. Needs the folder of temp_folder.h.
 */
rb_code_t pipe_trial(const void *data, size_t n);

#endif
