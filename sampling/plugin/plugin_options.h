/* The option table of a plugin, as parameters. */
#ifndef RUBATO_PLUGIN_OPTIONS_H
#define RUBATO_PLUGIN_OPTIONS_H

#include "sampling/plugin/plugin.h"

/* 1 to max lower-case letters, digits and '_', starting with a letter. */
bool plugin_name_valid(const char *name, size_t max);

/* Makes p->options from the object's table. RB_USAGE, naming the option, if the table breaks a rule
 * of rubato_sampler.h. */
RB_CHECKED rb_code_t plugin_options_make(plugin_t *p, rb_err_t *err);

void plugin_options_free(plugin_t *p);

#endif
