/* Plugins that choose launches (include/rubato_sampler.h), as launch methods. */
#ifndef RUBATO_LAUNCH_PLUGIN_H
#define RUBATO_LAUNCH_PLUGIN_H

#include "sampling/launch/launch_sampler.h"

/* Opens the method of "plugin:FILE.so"; free it with its close(). RB_USAGE: the object cannot be
 * loaded, or is a sampler inside launches. */
RB_CHECKED rb_code_t launch_plugin_open(const launch_method_t **method, const char *item,
                                        rb_err_t *err);

#endif
