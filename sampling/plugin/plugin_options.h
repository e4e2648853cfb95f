/* The table of options of a sampler from outside, as parameters. */
#ifndef RUBATO_PLUGIN_OPTIONS_H
#define RUBATO_PLUGIN_OPTIONS_H

#include "sampling/plugin/plugin.h"

/* Lower-case letters, digits and '_', the first a letter, at most max characters. */
bool plugin_name_valid(const char *name, size_t max);

/*
 * Makes p->options from the object's table. RB_USAGE, naming the option, if the table is not as
 * rubato_sampler.h says.
 */
RB_CHECKED rb_code_t plugin_options_make(plugin_t *p, rb_err_t *err);

void plugin_options_free(plugin_t *p);

#endif
