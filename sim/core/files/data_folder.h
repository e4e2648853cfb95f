/*
 * Finds the files that belong to rubato: configurations, listings, the CUDA runtime. The search
 * starts at the program or shared library that contains this code, so an installed tree can be
 * moved, and a build tree works without being installed.
 */
#ifndef RUBATO_CORE_DATA_FOLDER_H
#define RUBATO_CORE_DATA_FOLDER_H

#include <stddef.h>

enum { DATA_PATH_MAX = 4096, DATA_FOLDERS_MAX = 10 };

/*
 * Lists the existing folders named `below` (such as "share/rubato/configs"), in order of
 * precedence: first relative to the folder of the shared library that contains this code and up to
 * three folders above it, then the same for the program, then in /usr/local and /usr. Returns how
 * many.
 */
size_t data_folders(const char *below, char found[DATA_FOLDERS_MAX][DATA_PATH_MAX]);

#endif
