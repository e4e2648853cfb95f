#include "frontend/tool/run/program/program_folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/core/files/data_folder.h"

rb_code_t program_runtime(char folder[PATH_MAX], rb_err_t *err)
{
    char found[DATA_FOLDERS_MAX][DATA_PATH_MAX];
    size_t n = data_folders("lib/rubato/cudart", found);

    for (size_t i = 0; i < n; i++) {
        char library[DATA_PATH_MAX + 32];

        snprintf(library, sizeof(library), "%.*s/libcudart.so.13", DATA_PATH_MAX - 1, found[i]);
        if (access(library, R_OK) != 0)
            continue;
        snprintf(folder, PATH_MAX, "%.*s", PATH_MAX - 1, found[i]);
        return RB_OK;
    }
    return rb_fail(err, RB_IO,
                   "the CUDA runtime of rubato (lib/rubato/cudart/libcudart.so.*) was not found "
                   "beside the program; build it with 'cmake --build', or install rubato again");
}

rb_code_t program_libs_folder(char path[PATH_MAX], rb_err_t *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (cache != NULL && cache[0] == '/')
        snprintf(path, PATH_MAX, "%s/rubato/libs", cache);
    else if (home != NULL && home[0] == '/')
        snprintf(path, PATH_MAX, "%s/.cache/rubato/libs", home);
    else
        return rb_fail(err, RB_IO,
                       "there is no folder for libraries: set HOME, or name the folder");
    return RB_OK;
}
