/* What a recorded program and rubato say to each other, damaged, for the fuzz target. */
#ifndef RUBATO_TESTS_PIPE_TRIAL_H
#define RUBATO_TESTS_PIPE_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * The first line of data[0 .. n) says what the rest is:
 *   pipe     edits (edits.h) of the launches that a program sends; each message is a part, its
 *            header the 16 bytes in front
 *   device   the text that shows the program its GPU
 *   plan     the file that tells the program which launches to record
 * All is read as the other end reads it. Panics unless it is refused with a message or what is read
 * is what the reader promises. Needs the folder of temp_folder.h.
 */
rb_code_t pipe_trial(const void *data, size_t n);

#endif
