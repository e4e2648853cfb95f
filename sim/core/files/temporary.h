/*
 * Registers temporary files and folders, so that they can be removed when the process ends early:
 * when memory runs out (alloc.h) or a signal arrives.
 */
#ifndef RUBATO_CORE_TEMPORARY_H
#define RUBATO_CORE_TEMPORARY_H

/* Registers a file, or a folder, which is removed with all it has. The path is borrowed until temporary_drop(). */
void temporary_add(const char *path);

/* Unregisters a path that was removed or is kept. Does nothing if it is not registered. */
void temporary_drop(const char *path);

/* Removes all registered files and folders. Safe in a signal handler; allocates nothing. */
void temporary_remove_all(void);

#endif
