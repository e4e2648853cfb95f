/*
 * Errors of the functions that read a part of a checkpoint. The file is not trusted: each part
 * checks that its numbers are in range, and that nothing is busy beyond the cycle `latest`, which
 * the chip knows from the launch before the checkpoint.
 */
#ifndef RUBATO_CORE_CHECKPOINT_READ_H
#define RUBATO_CORE_CHECKPOINT_READ_H

#include <errno.h>
#include <stdio.h>

/* Returns -1. errno keeps the reason of a failed read; if no read failed, the file is cut short or
 * is not a checkpoint, and errno becomes EINVAL. */
static inline int checkpoint_read_failed(FILE *in)
{
    if (!ferror(in))
        errno = EINVAL;
    return -1;
}

/* The same for a number that is out of range. */
static inline int checkpoint_out_of_range(void)
{
    errno = EINVAL;
    return -1;
}

#endif
