/* The user's tools of a CUDA toolkit: ptxas, nvlink. */
#ifndef RUBATO_PTX_TOOLS_H
#define RUBATO_PTX_TOOLS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { PTX_TOOLS_MAX = 8 };

/*
 * The places of a tool, best first: RUBATO_PTXAS (a file; other tools are looked for beside it, and
 * no other place is), the folders of PATH, $CUDA_HOME/bin, $CUDA_PATH/bin, and where toolkits are
 * installed. Returns their number.
 */
unsigned ptx_tools(const char *name, char found[PTX_TOOLS_MAX][PATH_MAX]);

/* A new temporary folder; ptx_folder_remove() removes it with its files. */
RB_CHECKED rb_code_t ptx_folder_make(char folder[PATH_MAX], rb_err_t *err);
void ptx_folder_remove(const char *folder);

/*
 * Runs a tool (words end with NULL; the first is its path) in the background of nothing else. False:
 * it failed, and log has the beginning of what it printed.
 */
bool ptx_run(const char *folder, const char *const *words, char *log, size_t log_size);

/* The bytes of a file and a zero byte after them; NULL: it cannot be read. Free with free(). */
uint8_t *ptx_read_file(const char *path, size_t *size);

/* False: the file could not be written completely. */
bool ptx_write_file(const char *path, const void *data, size_t size);

#endif
