/*
 * The value of --sample: a list of samplers, "stem:epsilon=0.05,variant=paper,photon_bb". A comma
 * ends an option or a sampler: what follows is an option if it has a '=' and no ':' before it.
 * "photon" stands for photon_kernel,photon_bb,photon_warp; it takes no options.
 * Of a sampler from outside the first piece is the file, the others are its options:
 * "plugin:every_nth.so,n=4,photon_bb". A comma cannot be in a file's name here; ':' and '=' can.
 */
#ifndef RUBATO_SAMPLE_SYNTAX_H
#define RUBATO_SAMPLE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

typedef struct {
    char **items; /* owned: each one sampler with its options */
    size_t n;
} sample_list_t;

rb_code_t sample_list_parse(sample_list_t *list, const char *text, rb_err_t *err) RB_CHECKED;
/* What an item of a sampler from outside begins with: "plugin:FILE.so,option=value". */
#define SAMPLE_PLUGIN "plugin:"
bool sample_is_plugin(const char *item);

/*
 * Characters of an item that name the sampler: those before the options. Of a sampler from outside
 * that is "plugin:" with the file.
 */
size_t sample_name_length(const char *item);

void sample_list_free(sample_list_t *list);

#endif
