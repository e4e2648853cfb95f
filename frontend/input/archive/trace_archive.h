/* Archives of traces: tar files, plain or compressed, as they are published. */
#ifndef RUBATO_TRACE_ARCHIVE_H
#define RUBATO_TRACE_ARCHIVE_H

#include <stdbool.h>

#include "sim/core/err.h"

/* Length of a path without the ending of an archive (.tgz, .tar.gz, .tar.xz, .tar.zst, .tar); 0:
 * it has none. */
size_t trace_archive_stem(const char *path);

/*
 * Unpacks an archive into a folder, which must exist and be empty, in one pass. Kernel files of
 * Accel-Sim's text are stored compressed (zstd, .zst), as the reader takes them, so the folder is
 * about as large as the archive; an archive whose content would take four times its size and 64 MiB
 * is refused. RB_TRACE names the archive and the member; RB_IO; RB_STOPPED: stop(ctx), which is called
 * regularly, said so (NULL: never). After an error the folder is incomplete.
 */
RB_CHECKED rb_code_t trace_archive_unpack(const char *path, const char *folder,
                                          bool (*stop)(void *ctx), void *ctx, rb_err_t *err);

#endif
