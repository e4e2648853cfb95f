/* The folder of the listings. */
#ifndef RUBATO_SILICON_FOLDER_H
#define RUBATO_SILICON_FOLDER_H

#include <stddef.h>

#include "sim/core/err.h"
#include "sim/core/files/data_folder.h"

/* Receives a whole file. */
typedef rb_code_t (*silicon_file_fn)(void *ctx, const char *path, const char *text, size_t size,
                                     rb_err_t *err);

enum { SILICON_PATH_MAX = DATA_PATH_MAX };

/* The folder of the listings: $RUBATO_SILICON, else share/rubato/silicon near the program
 * (sim/core/files/data_folder.h). RB_IO if there is none. */
RB_CHECKED rb_code_t silicon_folder_find(char path[SILICON_PATH_MAX], rb_err_t *err);

/* Calls visit for every *.sil of the folder (NULL: silicon_folder_find()) in order of name.
 * RB_IO. */
RB_CHECKED rb_code_t silicon_folder_visit(const char *folder, silicon_file_fn visit, void *ctx,
                                          rb_err_t *err);

/* Calls visit for one file. RB_IO. */
RB_CHECKED rb_code_t silicon_file_visit(const char *path, silicon_file_fn visit, void *ctx,
                                        rb_err_t *err);

#endif
