/* Damaged journals, for the fuzz target. */
#ifndef RUBATO_TESTS_JOURNAL_TRIAL_H
#define RUBATO_TESTS_JOURNAL_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * The first line of data[0 .. n) says what becomes of a journal, the rest are edits (edits.h):
 *   file      of its file; each record is a part, the first the magic
 *   records   of what is in its records, whose checksums are right all the same; each is a part:
 *             its kind (a byte) and its payload
 * The journal is read, its launches and intervals are written as results, parts of a run are put
 * together from it, and it is continued. Panics unless it is refused with a message or what is
 * appended is there when it is opened again. Needs the folder of temp_folder.h.
 */
rb_code_t journal_trial(const void *data, size_t n);

#endif
