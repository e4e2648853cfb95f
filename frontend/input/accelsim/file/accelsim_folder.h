/* The files of a trace in its folder, by their names: lists of kernels, and kernel files. */
#ifndef RUBATO_ACCELSIM_FOLDER_H
#define RUBATO_ACCELSIM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

/* Endings of kernel files in order of preference: grouped before raw, uncompressed before
 * compressed. */
enum { ACCELSIM_ENDINGS = 9, ACCELSIM_GROUPED_ENDINGS = 5 };
extern const char *const accelsim_endings[ACCELSIM_ENDINGS];

/* The index of the ending of a kernel file's name; ACCELSIM_ENDINGS: none. */
size_t accelsim_ending(const char *name);

/* Length of a name without such an ending. */
size_t accelsim_stem(const char *name);

/* Whether a file of this name (without folder) is a list of kernels. */
bool accelsim_is_list_name(const char *name);

/* The name of a path without its folder; borrowed. */
const char *accelsim_base_name(const char *path);

/* The path of a file in a folder, from parts of given lengths; the caller frees it. */
char *accelsim_join(const char *folder, size_t folder_len, const char *name, size_t name_len);

/*
 * Finds the list of a folder; lists of grouped files (.g) come before raw ones. Returns NULL with
 * *several false: no list, or RB_IO; with true: one list per context, and the user must choose. The
 * caller frees the path.
 */
char *accelsim_folder_list(const char *folder, bool *several, rb_err_t *err);

/*
 * The grouped kernel files of a folder, one per kernel, with numbers in their names in numeric
 * order. The caller frees the list with accelsim_folder_free(). RB_IO.
 */
typedef struct {
    char **names; /* owned, like its elements; without the folder */
    size_t n, cap;
} accelsim_files_t;
RB_CHECKED rb_code_t accelsim_folder_kernels(accelsim_files_t *files, const char *folder,
                                             rb_err_t *err);
void accelsim_folder_free(accelsim_files_t *files);

/* Whether a folder has a list, or kernel files as above. */
bool accelsim_folder_detect(const char *folder);

/* The first folder with a trace, at most depth levels below folder; NULL: none. The caller frees
 * it. */
char *accelsim_folder_below(const char *folder, int depth);

#endif
