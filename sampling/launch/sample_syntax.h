/*
 * The value of --sample: a list of samplers, "stem:epsilon=0.05,variant=paper,photon_bb". A comma
 * ends an option or a sampler: what follows is an option if it has a '=' and no ':' before it.
 * "photon" stands for photon_kernel,photon_bb,photon_warp; it takes no options.
 */
#ifndef RUBATO_SAMPLE_SYNTAX_H
#define RUBATO_SAMPLE_SYNTAX_H

#include <stddef.h>

#include "sim/core/err.h"

typedef struct {
    char **items; /* owned: each one sampler with its options */
    size_t n;
} sample_list_t;

rb_code_t sample_list_parse(sample_list_t *list, const char *text, rb_err_t *err) RB_CHECKED;
void sample_list_free(sample_list_t *list);

#endif
