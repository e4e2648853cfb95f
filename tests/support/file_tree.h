/* Lists, removes and compares the files in folders. */
#ifndef RUBATO_TESTS_FILE_TREE_H
#define RUBATO_TESTS_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* The files and folders below a folder: sorted paths relative to it. Folders end with a slash. */
typedef struct {
    char **path; /* owned */
    size_t n;
} file_tree_t;

/* Returns an empty list if the folder does not exist. */
file_tree_t file_tree_list(const char *folder);
void file_tree_free(file_tree_t *t);

/* Removes a folder and its contents. Returns 0, or -1 with errno. */
int file_tree_remove(const char *folder);

/* Lists the names and sizes of all entries that match none of the patterns (of fnmatch(), NULL at
 * the end). Returns a text owned by the caller. */
char *file_tree_sizes(const char *folder, const char *const *but);

/* Whether the file at path has the same content in both folders. Ignores the command, host times
 * and memory in run.json. Always true if path is a folder. */
bool file_tree_same_file(const char *folder, const char *other, const char *path);

/* Whether a path matches one of the patterns. */
bool file_tree_matches(const char *path, const char *const *patterns);

#endif
