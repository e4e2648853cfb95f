/* Checks whether a file is a shared object that this program can load. */
#ifndef RUBATO_PLUGIN_OBJECT_H
#define RUBATO_PLUGIN_OBJECT_H

#include "sim/core/err.h"

/* RB_USAGE with the reason: not there, not a shared object, truncated, built for another
 * architecture. The dynamic loader reports the last as a missing file, and crashes on truncated
 * files. */
RB_CHECKED rb_code_t plugin_object_check(const char *path, rb_err_t *err);

#endif
