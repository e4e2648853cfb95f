/*
 * The traces of a suite: everything below a folder that open_trace() accepts, and archives of
 * traces.
 */
#ifndef RUBATO_LIBRARY_TRACE_TREE_H
#define RUBATO_LIBRARY_TRACE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

typedef struct {
    char *path;   /* owned */
    char *name;   /* owned; its path in the tree, without "traces", NO_ARGS and the file's ending */
    bool archive; /* a tar file, which must be unpacked to see what it has */
} trace_tree_item_t;

/* Zeroed: empty. */
typedef struct {
    trace_tree_item_t *items; /* owned; by name, with numbers by value */
    size_t n, cap;
} trace_tree_t;

/* Whether path is a folder that may have traces below it, but is no trace itself. */
bool trace_tree_detect(const char *path);

/*
 * Adds the traces below a folder, or the folder if it is a trace: native files (*.rbt), folders that
 * are traces (their subfolders are not searched), and archives. prefix: of their names, "" or
 * "suite/". Hidden files, the folders of studies, the folder except (NULL: none) and links to a
 * folder above are left out. RB_IO.
 */
RB_CHECKED rb_code_t trace_tree_find(trace_tree_t *t, const char *folder, const char *prefix,
                                     const char *except, rb_err_t *err);

/* The name of a trace at a path below such a folder; the caller frees it. */
char *trace_tree_name(const char *prefix, const char *path);

void trace_tree_free(trace_tree_t *t);

/*
 * Whether a name matches a list of patterns: at least one that does not begin with '!', unless there
 * is none, and none of those that do. A pattern is that of a shell, in which * also stands for
 * slashes, or a part of the name.
 */
bool trace_tree_match(const char *name, const char *const *patterns, size_t n);

#endif
