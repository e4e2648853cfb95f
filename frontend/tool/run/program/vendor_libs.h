/*
 * Shared libraries for programs on the emulator, built from the static archives of a CUDA toolkit:
 * NVIDIA's own shared libraries contain the CUDA runtime, the archives take it from outside.
 */
#ifndef RUBATO_RUN_VENDOR_LIBS_H
#define RUBATO_RUN_VENDOR_LIBS_H

#include <stdbool.h>

#include "sim/core/err.h"

typedef struct {
    const char *folder;   /* where they are built; made if it does not exist */
    const char *archives; /* where the archives are; NULL: the usual places */
    bool force;           /* build those that are newer than their archives, too */
} vendor_libs_options_t;

/*
 * Builds the libraries whose archives are there, and prints a line for each. RB_USAGE if there is
 * none, RB_IO if one cannot be built.
 */
RB_CHECKED rb_code_t vendor_libs_build(const vendor_libs_options_t *o, rb_err_t *err);

#endif
