/* The files of two folders, compared. */
#ifndef RUBATO_TESTS_FILE_TREE_H
#define RUBATO_TESTS_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* The files below a folder, sorted: paths from there on. Those of folders end with a slash. */
typedef struct {
    char **path; /* owned */
    size_t n;
} file_tree_t;

/* An empty list if there is no such folder. */
file_tree_t file_tree_list(const char *folder);
void file_tree_free(file_tree_t *t);

/* Removes a folder with all that is in it. 0, or -1 with errno. */
int file_tree_remove(const char *folder);

/* Names and sizes of files and folders that match none of the patterns (of fnmatch(), NULL at the end), in
 * one text owned by the caller. */
char *file_tree_sizes(const char *folder, const char *const *but);

/* Whether two files hold the same, apart from the command, host times and memory in run.json. Two
 * folders always do. */
bool file_tree_same_file(const char *folder, const char *other, const char *path);

/* Whether a path matches one of the patterns. */
bool file_tree_matches(const char *path, const char *const *patterns);

#endif
