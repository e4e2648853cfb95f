/*
 * What a disk may hold of a folder when the power fails, from the log of the changes that a process
 * made there (tests/faults/fault_log.h). The disk is one that keeps what was synced, and the order
 * of what it keeps:
 *
 *   the bytes of a file   those of its last fsync(), and of the writes after it any first ones, of
 *                         the last of these any first bytes; each file for itself
 *   the names             those of the last fsync() of the folder, and of the new names, renames
 *                         and removals after it any first ones; whatever is there of the files
 *
 * So do journaling file systems that write in order (ext4 with data=ordered, XFS, without the zeros
 * that the latter may leave). A disk that lies about fsync() is not modelled.
 */
#ifndef RUBATO_TESTS_DISK_MODEL_H
#define RUBATO_TESTS_DISK_MODEL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct disk disk_t;

/* The changes of files directly in `folder`, from a log. Panics if it makes no sense. */
disk_t *disk_read(const char *log, const char *folder);
void disk_free(disk_t *d);

/*
 * Calls visit for every state of the folder that the disk may hold, each once, with the folder
 * filled so. visit may change the folder.
 */
void disk_every_state(disk_t *d, void (*visit)(void *ctx), void *ctx);

#endif
