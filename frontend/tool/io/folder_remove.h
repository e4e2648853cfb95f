/* Removes folders. */
#ifndef RUBATO_IO_FOLDER_REMOVE_H
#define RUBATO_IO_FOLDER_REMOVE_H

#include <stdbool.h>

/* Removes a folder with everything in it, without following links. False with errno. */
bool folder_remove(const char *folder);

#endif
