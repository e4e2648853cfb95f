/*
 * The options of a sampler, declared in a parameter table: parses "option=value,..." and writes
 * it.
 */
#ifndef RUBATO_SAMPLER_OPTIONS_H
#define RUBATO_SAMPLER_OPTIONS_H

#include "sim/conf/param.h"
#include "sim/core/err.h"

/* All pointers are borrowed. */
typedef struct {
    const char *name; /* of the sampler, for messages */
    const param_group_t *group;
    void *values;      /* the struct described by group */
    const bool *given; /* per parameter, whether a configuration sets it; NULL: none */
} sampler_options_t;

/* Sets one option. Fractions may be written as percentages, truth values as on and off. RB_USAGE,
 * naming the option and what is similar or allowed. */
rb_code_t sampler_options_set(const sampler_options_t *o, const char *option, const char *value,
                              rb_err_t *err) RB_CHECKED;

/* Sets all options of "option=value,..."; modifies text. Warns of those that cannot act beside the
 * others. */
rb_code_t sampler_options_read(const sampler_options_t *o, char *text, rb_err_t *err) RB_CHECKED;

/*
 * Whether an option cannot act with these values; why then says when it does ("only with variant = slope,
 * waves"). The help of such an option begins with choices of another option: "slope, waves: ...".
 */
bool sampler_option_idle(const sampler_options_t *o, const param_t *option, char why[128]);

/* The sampler with all its options, as a user would write it; free with free(). */
char *sampler_options_text(const sampler_options_t *o);

#endif
