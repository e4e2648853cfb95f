/*
 * The options of a sampler, as the table of its parameters describes them: read from
 * "option=value,..." and written back.
 */
#ifndef RUBATO_SAMPLER_OPTIONS_H
#define RUBATO_SAMPLER_OPTIONS_H

#include "sim/conf/param.h"
#include "sim/core/err.h"

/* All borrowed. */
typedef struct {
    const char *name; /* the sampler's, for messages */
    const param_group_t *group;
    void *values; /* the struct that group describes */
} sampler_options_t;

/*
 * Sets one option. Fractions may be written as percentages, truth values as on and off. RB_USAGE,
 * naming the option and what was near or is legal.
 */
rb_code_t sampler_options_set(const sampler_options_t *o, const char *option, const char *value,
                              rb_err_t *err) RB_CHECKED;

/* Sets all options of "option=value,..."; text is changed. */
rb_code_t sampler_options_read(const sampler_options_t *o, char *text, rb_err_t *err) RB_CHECKED;

/* The sampler with every option, as a user would write it; to be freed. */
char *sampler_options_text(const sampler_options_t *o);

#endif
