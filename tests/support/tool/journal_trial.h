/* Tries damaged journals, for the fuzz target. */
#ifndef RUBATO_TESTS_JOURNAL_TRIAL_H
#define RUBATO_TESTS_JOURNAL_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Writes a good journal and damages it. The first line of data[0 .. n) says what is edited, the
 * other lines are edits (edits.h):
 *   file      the file; the magic is part 0, each record is another part
 *   records   the records, with correct checksums; each is a part: its kind (a byte) and payload
 * Then reads the journal, writes its launches and intervals as results, merges it as a part of a
 * run, and appends to it. Panics unless the journal is refused with a message or reopening it shows
 * what was appended. Needs the folder of temp_folder.h.
 */
rb_code_t journal_trial(const void *data, size_t n);

#endif
