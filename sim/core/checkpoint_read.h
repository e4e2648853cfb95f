/*
 * What all that read a part of a checkpoint say when it cannot be read.
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

#endif
