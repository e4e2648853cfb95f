/* Launch samplers from outside (include/rubato_sampler.h) as methods. */
#ifndef RUBATO_LAUNCH_PLUGIN_H
#define RUBATO_LAUNCH_PLUGIN_H

#include "sampling/launch/launch_sampler.h"

/*
 * The method of "plugin:FILE.so"; it is closed by its close(). RB_USAGE: the object cannot be
 * loaded, or is a sampler inside launches.
 */
RB_CHECKED rb_code_t launch_plugin_open(const launch_method_t **method, const char *item,
                                        rb_err_t *err);

#endif
