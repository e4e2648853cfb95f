/* Damaged checkpoints, for the fuzz target. */
#ifndef RUBATO_TESTS_CHIP_TRIAL_H
#define RUBATO_TESTS_CHIP_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * A small chip runs a few launches and is saved. The first line of data[0 .. n) says what becomes
 * of its checkpoint, the rest are edits (edits.h):
 *   file   of the file; part 0: its head, 1: the identity, 2: checkpoint_t, 3: the chip's image
 *   body   of its body, with a checksum that is right all the same; part 0: the identity, ...
 * Panics unless it is refused with a message, or a chip goes on from it to the end of the program
 * or to an error. Needs the folder of temp_folder.h.
 */
rb_code_t chip_trial(const void *data, size_t n);

#endif
