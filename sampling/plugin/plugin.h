/*
 * Plugins: loads a sampler from a shared object that was compiled against include/rubato_sampler.h,
 * and translates its table of options. sampling/launch/launch_plugin.h and
 * sampling/inside/inside_plugin.h call its hooks.
 */
#ifndef RUBATO_PLUGIN_H
#define RUBATO_PLUGIN_H

#include "include/rubato_sampler.h"
#include "sim/conf/param.h"
#include "sim/core/err.h"

typedef struct {
    const rubato_sampler_t *sampler; /* in the object; checked */
    char *item;                      /* owned: "plugin:FILE.so", as given */
    char *name;                      /* owned: "plugin:every_nth", for results */
    param_group_t options;           /* rows are owned; their texts belong to the object */
    uint64_t digest;                 /* hash of the file's contents */
    void *handle;
} plugin_t;

/* Loads the object of "plugin:FILE.so"; ignores what follows a comma. RB_USAGE, naming the file and
 * what is wrong with it. The name is a path; no search path is used. */
RB_CHECKED rb_code_t plugin_open(plugin_t **out, const char *item, rb_err_t *err);

/* NULL is allowed. */
void plugin_close(plugin_t *p);

/* Converts the values of options, described by p->options, to the form that hooks get; free with
 * free(). Texts are borrowed from options. */
rubato_value_t *plugin_values(const plugin_t *p, const void *options);

/* Turns what a hook wrote to why into an error of the run. */
rb_code_t plugin_failed(const plugin_t *p, const char *hook, const char *why, rb_err_t *err);

#endif
