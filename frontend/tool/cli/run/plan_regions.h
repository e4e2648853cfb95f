/* rubato plan --regions: prints the table that tbpoint_region uses. */
#ifndef RUBATO_CLI_PLAN_REGIONS_H
#define RUBATO_CLI_PLAN_REGIONS_H

#include <stdio.h>

#include "frontend/tool/run/run_setup.h"

typedef struct {
    setup_options_t setup;
    const char *launches; /* ids; NULL: all */
    uint64_t seed;        /* seed of the predicted spread */
} regions_options_t;

/*
 * Prints the regions of each launch of a native trace on a GPU, with the rate and its spread
 * according to TBPoint's model. Reads only the index.
 */
RB_CHECKED rb_code_t plan_regions_print(const regions_options_t *o, FILE *out, rb_err_t *err);

#endif
