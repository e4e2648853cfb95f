/*
 * The value of --sample: a list of samplers, "stem:epsilon=0.05,variant=paper,photon_bb". Commas
 * separate options and samplers: a piece is an option if it has a '=' and no ':' before it.
 * "photon" stands for photon_kernel,photon_bb,photon_warp and takes no options. A plugin is given
 * by its file, followed by its options: "plugin:every_nth.so,n=4,photon_bb". The file name must not
 * contain a comma; ':' and '=' are allowed.
 */
#ifndef RUBATO_SAMPLE_SYNTAX_H
#define RUBATO_SAMPLE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

typedef struct {
    char **items; /* owned: each is one sampler with its options */
    size_t n;
} sample_list_t;

rb_code_t sample_list_parse(sample_list_t *list, const char *text, rb_err_t *err) RB_CHECKED;
/* Prefix of a plugin's item: "plugin:FILE.so,option=value". */
#define SAMPLE_PLUGIN "plugin:"
bool sample_is_plugin(const char *item);

/* Length of the part of an item that names the sampler, without the options; for a plugin "plugin:"
 * and the file. */
size_t sample_name_length(const char *item);

void sample_list_free(sample_list_t *list);

#endif
