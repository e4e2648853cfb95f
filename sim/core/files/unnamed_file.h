/* Temporary files without a name: nothing is left of them however the process ends. */
#ifndef RUBATO_CORE_UNNAMED_FILE_H
#define RUBATO_CORE_UNNAMED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a new file in a folder for reading and writing. Returns its descriptor, or -1 with errno. */
int unnamed_file_open(const char *dir);

/* The folder for temporary files: dir if it is not NULL, else $TMPDIR, else /tmp. */
const char *unnamed_file_dir(const char *dir);

/* Writes or reads n bytes at an offset. false with errno; a file that ends early is EIO. */
bool unnamed_file_write(int fd, const void *data, size_t n, uint64_t offset);
bool unnamed_file_read(int fd, void *data, size_t n, uint64_t offset);

#endif
