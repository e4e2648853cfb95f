/*
 * The folder in which libraries are built: one process at a time builds there, and what is not
 * finished is in a folder of its own.
 */
#ifndef RUBATO_RUN_LIBRARY_PLACE_H
#define RUBATO_RUN_LIBRARY_PLACE_H

#include "sim/core/err.h"

typedef struct {
    int fd;        /* of the folder, locked; -1: not open */
    char *scratch; /* owned; a folder inside it for what is being built; NULL: none yet */
} library_place_t;

/* Makes the folder if need be, and waits until no other process builds there. RB_IO. */
RB_CHECKED rb_code_t library_place_open(library_place_t *p, const char *folder, rb_err_t *err);

/* Makes the scratch folder unless it is there. RB_IO. */
RB_CHECKED rb_code_t library_place_scratch(library_place_t *p, const char *folder, rb_err_t *err);

/* Removes the scratch folder with all it has, and unlocks. Does nothing for a place that is not
 * open. */
void library_place_close(library_place_t *p);

#endif
