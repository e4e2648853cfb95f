/*
 * Reads a tar archive as a stream, plain or compressed with gzip, xz or zstd: ustar, with the long
 * names of GNU tar and of pax.
 *
 * Only files and folders are accepted, with names that stay inside the archive's folder: links,
 * devices, absolute names and names with ".." are refused.
 */
#ifndef RUBATO_TAR_READER_H
#define RUBATO_TAR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct tar_reader tar_reader_t;

/* A file or folder of an archive. */
typedef struct {
    const char *name; /* relative, without "." components and slashes at its ends; borrowed until
                       * the next call of tar_next() */
    uint64_t bytes;   /* of the file's content */
    bool folder;
} tar_member_t;

/* NULL with *err set: RB_IO, or RB_TRACE for an unknown compression. path is borrowed. */
tar_reader_t *tar_open(const char *path, rb_err_t *err);

/*
 * Goes to the next member; *more is false at the end. RB_TRACE, with the archive and the member or
 * the offset, if the archive is damaged or truncated, has a member that is refused, or more than a
 * million members.
 */
RB_CHECKED rb_code_t tar_next(tar_reader_t *r, tar_member_t *member, bool *more, rb_err_t *err);

/* Reads up to cap bytes of the member's content; *got is 0 only at its end. */
RB_CHECKED rb_code_t tar_read(tar_reader_t *r, char *buf, size_t cap, size_t *got, rb_err_t *err);

void tar_close(tar_reader_t *r); /* NULL is allowed */

#endif
