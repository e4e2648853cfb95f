/* rubato plan --regions: the table that tbpoint_region works by. */
#ifndef RUBATO_CLI_PLAN_REGIONS_H
#define RUBATO_CLI_PLAN_REGIONS_H

#include <stdio.h>

#include "frontend/tool/run/run_setup.h"

typedef struct {
    setup_options_t setup;
    const char *launches; /* ids; NULL: all */
    uint64_t seed;        /* of the predicted spread */
} regions_options_t;

/*
 * Prints the regions of each launch of a native trace on a GPU, with the rate that TBPoint's model
 * gives them and how far it spreads. Reads the index only.
 */
RB_CHECKED rb_code_t plan_regions_print(const regions_options_t *o, FILE *out, rb_err_t *err);

#endif
