/*
 * Checkpoints: saves and loads values as they are in the host's memory. Return 0, or -1 with
 * errno.
 */
#ifndef RUBATO_SM_SAVE_VALUE_H
#define RUBATO_SM_SAVE_VALUE_H

#include <stddef.h>
#include <stdio.h>

static inline int save_bytes(FILE *out, const void *value, size_t bytes)
{
    return bytes == 0 || fwrite(value, bytes, 1, out) == 1 ? 0 : -1;
}

static inline int load_bytes(FILE *in, void *value, size_t bytes)
{
    return bytes == 0 || fread(value, bytes, 1, in) == 1 ? 0 : -1;
}

/* For X-macro lists of fields; they use a FILE *out or *in and an int rc. */
#define SAVE_VALUE(field) rc |= save_bytes(out, &(field), sizeof(field));
#define LOAD_VALUE(field) rc |= load_bytes(in, &(field), sizeof(field));

#endif
