/* Folders of libraries for the programs that rubato runs. */
#ifndef RUBATO_RUN_PROGRAM_FOLDERS_H
#define RUBATO_RUN_PROGRAM_FOLDERS_H

#include <limits.h>

#include "sim/core/err.h"

/* The folder of rubato's CUDA runtime. RB_IO if there is none. */
RB_CHECKED rb_code_t program_runtime(char folder[PATH_MAX], rb_err_t *err);

/* The folder of the user's CUDA libraries, which need not exist: $XDG_CACHE_HOME/rubato/libs, or
 * ~/.cache/rubato/libs. RB_IO if neither variable is set. */
RB_CHECKED rb_code_t program_libs_folder(char path[PATH_MAX], rb_err_t *err);

#endif
