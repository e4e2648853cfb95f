/* Plugins that work inside launches (include/rubato_sampler.h), as methods. */
#ifndef RUBATO_INSIDE_PLUGIN_H
#define RUBATO_INSIDE_PLUGIN_H

#include "sampling/inside/inside_sampler.h"

/* Opens the method of "plugin:FILE.so"; free it with its close(). *method is NULL if the plugin
 * chooses launches instead. RB_USAGE: the object cannot be loaded. */
RB_CHECKED rb_code_t inside_plugin_open(const inside_method_t **method, const char *item,
                                        rb_err_t *err);

#endif
