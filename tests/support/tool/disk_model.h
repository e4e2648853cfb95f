/*
 * Computes the states that a folder can have after a power failure, from the log of the changes that
 * a process made there (tests/faults/fault_log.h). The modelled disk keeps everything that was synced,
 * and writes in order:
 *
 *   bytes of a file   its state at the last fsync(), plus any prefix of the later writes; the last of
 *                     them may be cut after any byte. Files are independent of each other.
 *   names             their state at the last fsync() of the folder, plus any prefix of the later
 *                     creations, renames and removals, whatever the state of the files.
 *
 * Journaling file systems that write in order behave like this (ext4 with data=ordered; XFS except for
 * the zeros that it may leave). A disk that does not honour fsync() is not modelled.
 */
#ifndef RUBATO_TESTS_DISK_MODEL_H
#define RUBATO_TESTS_DISK_MODEL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct disk disk_t;

/* Reads the changes of the files directly in `folder` from a log. Panics if the log is malformed. */
disk_t *disk_read(const char *log, const char *folder);
void disk_free(disk_t *d);

/*
 * Calls visit once for every possible state, after putting the folder into that state. visit may
 * change the folder.
 */
void disk_every_state(disk_t *d, void (*visit)(void *ctx), void *ctx);

#endif
