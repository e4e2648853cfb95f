/*
 * What all that read a part of a checkpoint say when it cannot be read. A file may say what cannot
 * be: each part checks that its numbers are in range, and that nothing is busy longer than until
 * the cycle "latest", which the chip has from the launch before the checkpoint.
 */
#ifndef RUBATO_CORE_CHECKPOINT_READ_H
#define RUBATO_CORE_CHECKPOINT_READ_H

#include <errno.h>
#include <stdio.h>

/* Returns -1. errno stays as the failed read has left it; if none failed, it becomes EINVAL: the
 * file is cut short or not ours. */
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
