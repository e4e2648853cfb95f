/*
 * Samplers from outside: loads a shared object that was compiled against include/rubato_sampler.h,
 * and translates its table of options. What its hooks mean is known to sampling/launch/
 * launch_plugin.h and sampling/inside/inside_plugin.h.
 */
#ifndef RUBATO_PLUGIN_H
#define RUBATO_PLUGIN_H

#include "include/rubato_sampler.h"
#include "sim/conf/param.h"
#include "sim/core/err.h"

typedef struct {
    const rubato_sampler_t *sampler; /* in the object: checked */
    char *item;                      /* owned: "plugin:FILE.so", as it was given */
    char *name;                      /* owned: "plugin:every_nth", for results */
    param_group_t options;           /* rows owned; their texts are the object's */
    uint64_t digest;                 /* of the file's contents */
    void *handle;
} plugin_t;

/*
 * Loads the object of "plugin:FILE.so"; what follows a comma is not looked at. RB_USAGE, naming the
 * file and what is wrong with it. The name is taken as a path, never searched for.
 */
RB_CHECKED rb_code_t plugin_open(plugin_t **out, const char *item, rb_err_t *err);

/* Harmless on NULL. */
void plugin_close(plugin_t *p);

/*
 * The values of options, which p->options describes, as hooks get them; to be freed. Texts are
 * borrowed from options.
 */
rubato_value_t *plugin_values(const plugin_t *p, const void *options);

/* What a hook wrote into why, as the error of a run. */
rb_code_t plugin_failed(const plugin_t *p, const char *hook, const char *why, rb_err_t *err);

#endif
