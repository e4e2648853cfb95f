/* Tries damaged checkpoints, for the fuzz target. */
#ifndef RUBATO_TESTS_CHIP_TRIAL_H
#define RUBATO_TESTS_CHIP_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Runs a few launches on a small chip and saves a checkpoint. The first line of data[0 .. n) says what
 * is edited, the other lines are edits (edits.h):
 *   file   the file; part 0: its head, 1: the identity, 2: checkpoint_t, 3: the chip's image
 *   body   its body; part 0: the identity, and so on. The checksum is corrected afterwards.
 * Panics unless the checkpoint is refused with a message, or a chip continues from it to the end of
 * the program or to an error. Needs the folder of temp_folder.h.
 */
rb_code_t chip_trial(const void *data, size_t n);

#endif
