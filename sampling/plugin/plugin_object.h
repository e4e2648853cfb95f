/* Whether a file is a shared object that this program can load. */
#ifndef RUBATO_PLUGIN_OBJECT_H
#define RUBATO_PLUGIN_OBJECT_H

#include "sim/core/err.h"

/*
 * RB_USAGE, saying what it is instead: not there, no shared object, cut off, built for another
 * architecture. The dynamic loader says of the last that the file is not there, and crashes on
 * what is cut off.
 */
RB_CHECKED rb_code_t plugin_object_check(const char *path, rb_err_t *err);

#endif
