/*
 * Where the files that belong to rubato are: configurations, listings, the CUDA runtime. They are
 * found relative to the program or shared library that this code is part of, so that an installed
 * tree can be moved, and a build tree works without being installed.
 */
#ifndef RUBATO_CORE_DATA_FOLDER_H
#define RUBATO_CORE_DATA_FOLDER_H

#include <stddef.h>

enum { DATA_PATH_MAX = 4096, DATA_FOLDERS_MAX = 10 };

/*
 * Folders that exist under the name `below`, such as "share/rubato/configs", in order of
 * precedence: in the folder of the shared library that holds this code and up to three folders
 * above it, the same for the program, then in /usr/local and /usr. Returns how many.
 */
size_t data_folders(const char *below, char found[DATA_FOLDERS_MAX][DATA_PATH_MAX]);

#endif
