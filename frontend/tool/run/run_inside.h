/* --sample of a run: which of its samplers look inside launches, and which chooses launches. */
#ifndef RUBATO_RUN_RUN_INSIDE_H
#define RUBATO_RUN_RUN_INSIDE_H

#include "sampling/inside/inside_sampler.h"

typedef struct {
    inside_list_t list;
    char *launch; /* owned: the items of --sample that are none of list's; NULL: there are none */
} run_inside_t;

/* Divides the value of --sample. RB_USAGE. */
RB_CHECKED rb_code_t run_inside_divide(run_inside_t *r, const char *sample, uint64_t seed,
                                       rb_err_t *err);

/* Harmless on a zeroed r. */
void run_inside_free(run_inside_t *r);

/* Differs between lists that can decide differently. */
uint64_t run_inside_fingerprint(const run_inside_t *r, uint64_t seed);

#endif
