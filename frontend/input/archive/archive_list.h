/* What is in an archive of traces, found in one pass without unpacking it. */
#ifndef RUBATO_ARCHIVE_LIST_H
#define RUBATO_ARCHIVE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* A folder with a kernelslist or kernel files, a folder of MacSim, or a native file. */
typedef struct {
    char *name;            /* owned; of the folder or file, "" for the top of the archive */
    const char *format;    /* "rbt", "accelsim", "macsim" */
    uint64_t grouped, raw; /* number of kernel files */
    uint64_t bytes;        /* of all its files, unpacked; 0 of macsim: unknown */
} archive_trace_t;

typedef struct {
    archive_trace_t *traces; /* owned; in the order of the archive */
    size_t n, cap;
} archive_list_t;

/* Errors as tar_next(). The caller frees the list, also after an error. */
RB_CHECKED rb_code_t archive_list_read(archive_list_t *list, const char *path, rb_err_t *err);
void archive_list_free(archive_list_t *list);

#endif
