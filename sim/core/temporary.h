/*
 * Temporary files and folders that are removed if the process ends before it could do so itself:
 * when memory runs out (alloc.h), or by who catches signals.
 */
#ifndef RUBATO_CORE_TEMPORARY_H
#define RUBATO_CORE_TEMPORARY_H

/* A file, or a folder with files in it, that is there for now. The name is borrowed until
 * temporary_drop(). */
void temporary_add(const char *path);

/* It has been removed, or is to stay. Nothing happens if it was not added. */
void temporary_drop(const char *path);

/* Removes all of them, and the files in the folders. Safe in a signal handler; allocates nothing. */
void temporary_remove_all(void);

#endif
